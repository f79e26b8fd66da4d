#!/usr/bin/env python3
"""A lending library on HTTP: keys remembered, loans durable, confirmation later, faults on demand.

    library_server.py --database FILE [--port N] [--catalogue FILE] [--today YYYY-MM-DD]
                      [--confirm-after N] [--faults SHARE] [--seed N] [--until-stdin-ends]

Binds 127.0.0.1 only. Prints "listening PORT" when it is ready, and runs until it is told to end: by
Ctrl-C, by SIGTERM, or with --until-stdin-ends by the end of its standard input, so that a test that dies
takes it along. What keeps it from running is told in one line, and it ends with 2. Needs Python's
standard library and nothing else.

    POST /v1/writes/KEY         the body is the write; header Authorization: Account NAME
        201 new, 200 known      {"status": "accepted"|"confirmed", "receipt": N}
        409                     the key stands for another body, or the book is on loan
        429, Retry-After        come back later, nothing was done
        500, 401                nothing was done
    GET /v1/writes/KEY          200 {"status": ..., "receipt": N}, 404 never seen
    GET /v1/catalogue           the books
    POST /v1/library/CALL       a call of the app, see lending_desk.py; header Authorization: Token N
        200, 403                the answer; why not; 400 if there is no such call
        401, 409, 429, 500      as above: the fault of that name
    POST /v1/library/answer     {"key": KEY}: what became of the loan with this key
        200                     {"status": "unseen"|"accepted"|"confirmed", "receipts": [...]}
    POST /control/faults        {"faults": ["lose-answer", "500", ...]}: one for each write, or call that
                                changes something, that follows
        400                     a name that is none of those below: nothing is changed
    GET /control/loans          every loan, as often as it was made: key, account, body
    GET /control/log            every request: method, path, account, and what came of it
    POST /control/confirm       confirms all that was accepted

Faults: lose-answer (done, then the connection is closed), lose-request (closed before anything is
done), reset (closed with a reset, before), 500, 500-after (done, then 500), slow (done, answered after
a while), hold (done, answered when the client has gone or /control/release is called), 409, 429, 401.
"""

import argparse
import datetime
import json
import os
import random
import signal
import socket
import sqlite3
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lending_desk import CHANGES, Desk, Refusal

RANDOM_FAULTS = ["lose-answer", "lose-request", "reset", "500", "500-after", "429"]
FAULTS = RANDOM_FAULTS + ["slow", "hold", "409", "401"]
LONGEST_BODY = 1 << 20
# What JSON of another form, or with numbers of another size, leads to.
UNUSABLE = (
    ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError,
    sqlite3.DataError, sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError,
)


class Library:
    """The loans, in a database that is synced at each commit."""

    def __init__(self, options):
        self.lock = threading.Lock()
        self.database = sqlite3.connect(options.database, check_same_thread=False)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        # A loan that is made twice is to be seen as two: no constraint hides it.
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS loans (number INTEGER PRIMARY KEY, account TEXT NOT NULL,"
            " key TEXT NOT NULL, body BLOB NOT NULL, status TEXT NOT NULL, asked INTEGER NOT NULL)"
        )
        self.database.execute("CREATE INDEX IF NOT EXISTS intents ON loans (account, key)")
        self.database.commit()
        self.confirm_after = options.confirm_after
        self.share = options.faults
        self.random = random.Random(options.seed)
        self.faults = []
        self.log = []
        self.released = threading.Event()
        self.desk = Desk(self.database, self.lock, options.catalogue, options.today, options.confirm_after)

    def next_fault(self):
        with self.lock:
            if self.faults:
                return self.faults.pop(0)
            if self.random.random() < self.share:
                return self.random.choice(RANDOM_FAULTS)
            return None

    def lend(self, account, key, body):
        """Status code and answer. The same key again gives the first answer again."""
        with self.lock, self.database:
            # Another server may be at work on the same database.
            self.database.execute("BEGIN IMMEDIATE")
            found = self.database.execute(
                "SELECT number, body, status FROM loans WHERE account = ? AND key = ?",
                (account, key),
            ).fetchone()
            if found:
                if bytes(found[1]) != body:
                    return 409, {"error": "the key stands for another body"}
                return 200, {"status": found[2], "receipt": found[0]}
            cursor = self.database.execute(
                "INSERT INTO loans (account, key, body, status, asked) VALUES (?, ?, ?, ?, 0)",
                (account, key, body, "accepted"),
            )
            return 201, {"status": "accepted", "receipt": cursor.lastrowid}

    def status(self, account, key):
        with self.lock:
            found = self.database.execute(
                "SELECT number, status, asked FROM loans WHERE account = ? AND key = ?",
                (account, key),
            ).fetchone()
            if not found:
                return 404, {"error": "never seen"}
            number, status, asked = found
            if status == "accepted" and asked >= self.confirm_after:
                status = "confirmed"
            self.database.execute(
                "UPDATE loans SET status = ?, asked = asked + 1 WHERE number = ?", (status, number)
            )
            self.database.commit()
            return 200, {"status": status, "receipt": number}

    def confirm(self):
        with self.lock:
            self.database.execute("UPDATE loans SET status = 'confirmed'")
            self.database.execute("DELETE FROM unconfirmed")
            self.database.commit()

    def loans(self):
        with self.lock:
            rows = self.database.execute("SELECT key, account, body FROM loans ORDER BY number")
            return [
                {"key": key, "account": account, "body": list(bytes(body))}
                for key, account, body in rows
            ]

    def note(self, method, path, account, outcome):
        with self.lock:
            self.log.append(
                {"method": method, "path": path, "account": account, "outcome": outcome}
            )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer is one packet, and leaves at once: else each waits for the client's delayed ACK.
    wbufsize = -1
    disable_nagle_algorithm = True
    library = None

    def log_message(self, *arguments):
        pass

    def account(self, kind="Account"):
        words = self.headers.get("Authorization", "").split(" ", 1)
        return words[1] if len(words) == 2 and words[0] == kind else ""

    def body(self):
        """The whole body, or None: a client that died in the middle has asked for nothing."""
        length = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(length)
        return body if len(body) == length else None

    def answer(self, code, value, headers=()):
        content = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def hang_up(self, reset=False):
        self.close_connection = True
        if reset:
            # With no time to linger the kernel answers with a reset.
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        else:
            try:
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.connection.close()

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass

    def client_has_gone(self):
        """Waits until the client closes its side, or the answer is released."""
        self.connection.settimeout(0.02)
        while not self.library.released.is_set():
            try:
                if self.connection.recv(1, socket.MSG_PEEK) == b"":
                    return True
            except (socket.timeout, BlockingIOError):
                continue
            except OSError:
                return True
            time.sleep(0.02)
        self.connection.settimeout(None)
        return False

    def do_GET(self):
        self.serve(self.get)

    def do_POST(self):
        self.serve(self.post)

    def serve(self, request):
        """Carries a request out. A database that is full or cannot be written fails it, and is told."""
        try:
            request()
        except sqlite3.OperationalError as error:
            self.library.note(self.command, self.path, "", f"507 {error}")
            self.answer(507, {"error": f"the database cannot be used: {error}"})

    def get(self):
        library = self.library
        if self.path == "/v1/catalogue":
            return self.answer(200, library.desk.catalogue)
        if self.path == "/control/loans":
            return self.answer(200, library.loans())
        if self.path == "/control/log":
            return self.answer(200, list(library.log))
        if self.path.startswith("/v1/writes/"):
            code, value = library.status(self.account(), self.path[len("/v1/writes/") :])
            library.note("GET", self.path, self.account(), str(code))
            return self.answer(code, value)
        self.answer(404, {"error": "no such page"})

    def post(self):
        library = self.library
        length = self.headers.get("Content-Length", "0")
        if not (length.isascii() and length.isdigit()):
            self.close_connection = True
            return self.answer(400, {"error": "Content-Length is no number"})
        if len(length) > 9 or int(length) > LONGEST_BODY:
            self.close_connection = True
            return self.answer(413, {"error": f"a body has at most {LONGEST_BODY} bytes"})
        body = self.body()
        if body is None:
            library.note("POST", self.path, self.account(), "cut off")
            return self.hang_up()
        if self.path == "/control/faults":
            return self.set_faults(body)
        if self.path == "/control/confirm":
            library.confirm()
            return self.answer(200, {})
        if self.path == "/control/release":
            library.released.set()
            return self.answer(200, {})
        if self.path.startswith("/v1/library/"):
            return self.carry_out(self.path[len("/v1/library/") :], body)
        if not self.path.startswith("/v1/writes/"):
            return self.answer(404, {"error": "no such page"})
        self.write(self.path[len("/v1/writes/") :], body)

    def set_faults(self, body):
        try:
            faults = json.loads(body)["faults"]
        except UNUSABLE:
            faults = None
        if not isinstance(faults, list):
            return self.answer(400, {"error": 'it is to be like {"faults": ["500"]}'})
        wrong = [name for name in faults if name not in FAULTS]
        if wrong:
            names = ", ".join(FAULTS)
            return self.answer(400, {"error": f"there are no faults {wrong}, but: {names}"})
        with self.library.lock:
            self.library.faults = faults
        self.library.released.clear()
        self.answer(200, {})

    def carry_out(self, name, body):
        """A call of the app. One that changes nothing has no faults: it can be made again."""
        token = self.account("Token")
        fault = self.library.next_fault() if name in CHANGES else None
        if self.befell(fault, token, "keyInUse"):
            return
        code = 200
        try:
            value = self.library.desk.call(name, token, json.loads(body or b"{}"))
            outcome = "200"
        except Refusal as refusal:
            code, value, outcome = 403, refusal.content, str(refusal)
        except UNUSABLE as error:
            code, value = 400, {"error": f"it is no call of the library: {error!r}"}
            outcome = "400"
        self.reply(code, value, fault, token, outcome)

    def write(self, key, body):
        account = self.account()
        fault = self.library.next_fault()
        if self.befell(fault if account else "401", account, "on loan"):
            return
        code, value = self.library.lend(account, key, body)
        self.reply(code, value, fault, account, str(code))

    def befell(self, fault, who, conflict):
        """Whether the fault has left the work undone, and answered or not."""

        def answer(value, headers=()):
            self.library.note("POST", self.path, who, fault)
            self.answer(int(fault), value, headers)
            return True

        if fault == "401":
            return answer({"error": "signed out"})
        if fault in ("lose-request", "reset"):
            self.library.note("POST", self.path, who, fault)
            self.hang_up(reset=fault == "reset")
            return True
        if fault == "409":
            return answer({"error": conflict})
        if fault == "429":
            return answer({"error": "busy"}, [("Retry-After", "0")])
        if fault == "500":
            return answer({"error": "a bad day"})
        return False

    def reply(self, code, value, fault, who, outcome):
        """Answers after the work, as the fault has it."""

        def note(outcome):
            self.library.note("POST", self.path, who, outcome)

        if fault == "lose-answer":
            note("done, answer lost")
            return self.hang_up()
        if fault == "500-after":
            note("done, 500")
            return self.answer(500, {"error": "a bad day"})
        if fault == "slow":
            time.sleep(0.2)
        if fault == "hold":
            note("done, held")
            if self.client_has_gone():
                note("client gone")
                return self.hang_up()
        note(outcome)
        try:
            self.answer(code, value)
        except OSError:
            note("client gone")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        # A client that goes in the middle of a request is what these tests are about.
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):
            super().handle_error(request, client_address)


class Options(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def number(kind, lowest, highest):
    """Reads a number of this kind between two others."""

    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {lowest} to {highest}")
        return value

    return read


def day(text):
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day, such as 2024-05-02") from None


def file(text):
    # SQLite would keep an empty name in a file that goes with the process.
    if not text:
        raise argparse.ArgumentTypeError("it is empty, and wants the path of a file")
    return text


def server(parser, options):
    """The server on its port; ends the process if it cannot be."""
    try:
        Handler.library = Library(options)
    except sqlite3.Error as error:
        parser.error(f"the database {options.database} cannot be used: {error}")
    except OSError as error:
        parser.error(f"the catalogue {options.catalogue} cannot be read: {error.strerror}")
    except (ValueError, KeyError, TypeError, RecursionError):
        parser.error(f"the catalogue {options.catalogue} is no list of books in JSON")
    except OverflowError:
        parser.error(f"no book can be lent on {options.today}: the calendar ends before it is due")
    try:
        return Server(("127.0.0.1", options.port), Handler)
    except OSError as error:
        parser.error(f"cannot listen on port {options.port}: {error.strerror}")


def main():
    parser = Options(description="A lending library on HTTP, for tests.", allow_abbrev=False)
    parser.add_argument(
        "--database", type=file, required=True, help="file for the loans, made if there is none"
    )
    parser.add_argument("--port", type=number(int, 0, 65535), default=0, help="0 for a free one")
    books = os.path.join(
        os.path.dirname(__file__), "../../Sources/LibraryApp/Resources/books.json"
    )
    parser.add_argument("--catalogue", default=books)
    parser.add_argument("--today", type=day, default="2024-05-02", help="when loans begin")
    parser.add_argument(
        "--confirm-after", type=number(int, 0, 10**9), default=0, help="questions about a loan"
    )
    parser.add_argument(
        "--faults", type=number(float, 0, 1), default=0, help="share of what changes something, 0 to 1"
    )
    parser.add_argument(
        "--seed", type=number(int, 0, 2**64 - 1), default=1, help="what --faults draws from"
    )
    parser.add_argument(
        "--until-stdin-ends", action="store_true", help="end with the standard input"
    )
    options = parser.parse_args()
    # A thread that starts this may have its signals blocked, which a process inherits.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    listening = server(parser, options)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    try:
        print(f"listening {listening.server_port}", flush=True)
        if options.until_stdin_ends:
            sys.stdin.read()
        else:
            threading.Event().wait()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
