"""The calls of the library app: members, credentials, loans, reading lists, notes; all durable.

Each call is one transaction: what it refuses has changed nothing. A loan that asks again with its key
gets its first answer again, and is confirmed after so many questions about its key.
"""

import datetime
import json
import re
import secrets

LOAN_DAYS = 21
LOAN_LIMIT = 5
# The calls that change something: what may befall them is the server's fault.
CHANGES = {
    "register", "signIn", "renew", "revoke", "lend", "giveBack", "addToReadingList",
    "removeFromReadingList", "save",
}

SCHEMA = """
CREATE TABLE IF NOT EXISTS members (number INTEGER PRIMARY KEY, name TEXT NOT NULL, pin TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, member INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS lent (number INTEGER PRIMARY KEY, member INTEGER NOT NULL,
    book INTEGER NOT NULL, due TEXT NOT NULL, is_out INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS answered (key TEXT PRIMARY KEY, request TEXT NOT NULL, answer TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS unconfirmed (key TEXT PRIMARY KEY, asked INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS listed (place INTEGER PRIMARY KEY, member INTEGER NOT NULL,
    book INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS notes (place INTEGER PRIMARY KEY, member INTEGER NOT NULL,
    book INTEGER NOT NULL, text TEXT NOT NULL);
"""


class Refusal(Exception):
    """A call that is not carried out, and what the app is told."""

    def __init__(self, error, **details):
        super().__init__(error)
        self.content = {"error": error, **details}


class Desk:
    def __init__(self, database, lock, catalogue, today, confirm_after):
        self.database = database
        self.lock = lock
        self.confirm_after = confirm_after
        with open(catalogue, "rb") as file:
            self.catalogue = file.read()
        self.books = {book["id"] for book in json.loads(self.catalogue)}
        self.due = (
            datetime.date.fromisoformat(today) + datetime.timedelta(days=LOAN_DAYS)
        ).isoformat()
        database.executescript(SCHEMA)

    def call(self, name, token, values):
        """Carries out a call; raises Refusal."""
        with self.lock:
            try:
                answer = self.dispatch(name, token, values)
                self.database.commit()
                return answer
            except BaseException:
                self.database.rollback()
                raise

    def dispatch(self, name, token, values):
        if name == "register":
            return self.register(values["name"], values["pin"])
        if name == "signIn":
            return self.sign_in(values["number"], values["pin"])
        if name == "revoke":
            self.database.execute("DELETE FROM tokens WHERE token = ?", (token,))
            return {}
        found = self.one("SELECT member FROM tokens WHERE token = ?", token)
        if not found:
            raise Refusal("signedOut")
        return getattr(self, "do_" + name)(found[0], values)

    def one(self, sql, *values):
        return self.database.execute(sql, values).fetchone()

    def all(self, sql, *values):
        return self.database.execute(sql, values).fetchall()

    def known(self, book):
        if book not in self.books:
            raise Refusal("unknownBook", book=book)

    def register(self, name, pin):
        if not any(character.isalpha() for character in name):
            raise Refusal("unusableName")
        if not re.fullmatch("[0-9]{4}", pin):
            raise Refusal("unusablePIN")
        number = self.database.execute(
            "INSERT INTO members (name, pin) VALUES (?, ?)", (" ".join(name.split()), pin)
        ).lastrowid
        return {"number": f"L-{number}", "pin": pin}

    def sign_in(self, card, pin):
        number = card[2:] if re.fullmatch("L-[0-9]{1,9}", card) else "0"
        found = self.one("SELECT number FROM members WHERE number = ? AND pin = ?", int(number), pin)
        if not found:
            raise Refusal("wrongCard")
        return self.do_renew(found[0], {})

    def do_renew(self, member, _):
        token = str(secrets.randbits(64))
        self.database.execute("INSERT INTO tokens VALUES (?, ?)", (token, member))
        name = self.one("SELECT name FROM members WHERE number = ?", member)[0]
        return {"member": member, "name": name, "token": token}

    def refusal(self, member, book):
        """Why the member may not have the book, or None."""
        self.known(book)
        out = self.one("SELECT due FROM lent WHERE is_out AND book = ?", book)
        if out:
            return {"reason": "onLoan", "due": out[0]}
        if self.one("SELECT count(*) FROM lent WHERE is_out AND member = ?", member)[0] >= LOAN_LIMIT:
            return {"reason": "loanLimit", "limit": LOAN_LIMIT}
        return None

    def do_eligibility(self, member, values):
        return self.refusal(member, values["book"]) or {"due": self.due}

    def do_lend(self, member, values):
        request = json.dumps([member, values["books"], values.get("branch")])
        known = self.one("SELECT request, answer FROM answered WHERE key = ?", values["key"])
        if known:
            if known[0] != request:
                raise Refusal("keyInUse")
            return json.loads(known[1])
        if not values["books"]:
            raise Refusal("nothingToCheckOut")
        receipts = []
        for book in values["books"]:
            refusal = self.refusal(member, book)
            if refusal:
                raise Refusal("notEligible", book=book, **refusal)
            number = self.database.execute(
                "INSERT INTO lent (member, book, due, is_out) VALUES (?, ?, ?, 1)",
                (member, book, self.due),
            ).lastrowid
            receipts.append(receipt((number, member, book, self.due)))
        self.database.execute(
            "INSERT INTO answered VALUES (?, ?, ?)", (values["key"], request, json.dumps(receipts))
        )
        self.database.execute("INSERT INTO unconfirmed VALUES (?, 0)", (values["key"],))
        return receipts

    def do_answer(self, member, values):
        """What became of the loan with this key, if it is the member's own."""
        known = self.one("SELECT request, answer FROM answered WHERE key = ?", values["key"])
        if not known or json.loads(known[0])[0] != member:
            return {"status": "unseen"}
        waits = self.one("SELECT asked FROM unconfirmed WHERE key = ?", values["key"])
        if waits and waits[0] >= self.confirm_after:
            self.database.execute("DELETE FROM unconfirmed WHERE key = ?", (values["key"],))
            waits = None
        self.database.execute(
            "UPDATE unconfirmed SET asked = asked + 1 WHERE key = ?", (values["key"],)
        )
        status = "accepted" if waits else "confirmed"
        return {"status": status, "receipts": json.loads(known[1])}

    def do_giveBack(self, member, values):
        self.database.execute(
            "UPDATE lent SET is_out = 0 WHERE member = ? AND book = ?", (member, values["book"])
        )
        return {}

    def do_loans(self, member, _):
        rows = self.all(
            "SELECT number, member, book, due FROM lent WHERE is_out AND member = ? ORDER BY number",
            member,
        )
        return [receipt(row) for row in rows]

    def do_readingList(self, member, _):
        rows = self.all("SELECT book FROM listed WHERE member = ? ORDER BY place", member)
        return [row[0] for row in rows]

    def do_addToReadingList(self, member, values):
        self.known(values["book"])
        if values["book"] not in self.do_readingList(member, {}):
            self.database.execute(
                "INSERT INTO listed (member, book) VALUES (?, ?)", (member, values["book"])
            )
        return self.do_readingList(member, {})

    def do_removeFromReadingList(self, member, values):
        self.database.execute(
            "DELETE FROM listed WHERE member = ? AND book = ?", (member, values["book"])
        )
        return self.do_readingList(member, {})

    def do_save(self, member, values):
        self.known(values["book"])
        self.database.execute(
            "INSERT INTO notes (member, book, text) VALUES (?, ?, ?)",
            (member, values["book"], values["text"]),
        )
        rows = self.all("SELECT book, text FROM notes WHERE member = ? ORDER BY place", member)
        return [{"book": book, "text": text} for book, text in rows]


def receipt(row):
    return dict(zip(("number", "member", "book", "due"), row))
