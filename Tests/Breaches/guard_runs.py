"""Builds the package with the mutants of Tests/Breaches/guards in it, and runs its scenarios and tests
against one of them.

What a scenario or a suite of tests can say about a mutant is known before: each is run once without a
mutant, and records at which conditions another answer would have made a difference. Up to there a run
with the mutant is the same, so that a mutant is tried with those alone that come to it.
"""

import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
from collections import Counter, namedtuple
from pathlib import Path

from guard_mutants import ROOT, SOURCES, SWITCH, fail

# The tests of the runtime. They explore as the scenarios do, or run one course in the lab.
TESTS = ["MillraceTests", "PresentationTests", "FieldCases", "MillraceRoutesTests"]

# How many schedules their explorations try, whatever they ask for: with all of them the suites take
# minutes, and the closer look is that of the scenarios.
TEST_SCHEDULES = 25

# The copy's manifest leaves out what neither these tests nor the scenarios need.
MANIFEST = """
// Added by Tests/Breaches/guards.
let kept = %s
package.products = []
package.targets.removeAll { !kept.contains($0.name) }
"""
KEPT = TESTS + [
    "Millrace", "MillraceFiles", "MillraceRoutes", "MillraceTesting", "RaceLab", "RaceLabCommand",
    "RaceLabHooks", "RuleExplorer", "RuleScenarios", "SignalHooks"]

# Random sequences of commands and reports, as one more scenario: twenty for each schedule of the others.
SEQUENCES = "random sequences of commands and reports"

# verdict: survived, killed (an exploration failed), tested (a test failed), crashed, or hangs.
Result = namedtuple("Result", "verdict by detail")
SURVIVED = Result("survived", "", "")


def write(path, data):
    """Leaves a file that is as it should be alone, so that a second build is short."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def prepare(files, scratch):
    """Makes or renews the copy. Returns its folder."""
    copy = scratch / "package"
    changed = {file.path: file.mutated().encode() for file in files}
    changed[SOURCES / "Mutant.swift"] = SWITCH.encode()
    manifest = (ROOT / "Package.swift").read_bytes()
    changed[Path("Package.swift")] = manifest + (MANIFEST % json.dumps(KEPT)).encode()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True)
    if listed.returncode == 0:
        paths = [Path(name) for name in listed.stdout.decode().split("\0") if name]
    else:
        paths = [
            path.relative_to(ROOT) for path in ROOT.rglob("*")
            if path.is_file() and ".build" not in path.parts and ".git" not in path.parts
        ]
    wanted = {path for path in paths if (ROOT / path).is_file()} | set(changed)
    for folder in ("Sources", "Tests"):
        for path in (copy / folder).rglob("*"):
            if path.is_file() and path.relative_to(copy) not in wanted:
                path.unlink()
    for path in wanted:
        write(copy / path, changed.get(path) or (ROOT / path).read_bytes())
        shutil.copymode(ROOT / path, copy / path) if (ROOT / path).exists() else None
    return copy


def build(copy, configuration, what):
    """Builds the copy. What the tests look into is built with the rest: one build serves both."""
    command = ["swift", "build", "-c", configuration, "-Xswiftc", "-enable-testing", *what]
    result = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    if result.returncode != 0:
        errors = [line for line in result.stdout.splitlines() if "error:" in line]
        fail(
            "the copy with the mutants in it does not build:\n"
            + "\n".join(sorted(set(errors))[:20] or [result.stderr[-2000:]]))
    return copy / ".build" / configuration


class Launcher:
    """Runs programs with a mutant, and with limits."""

    def __init__(self, scratch, count):
        self.scratch = scratch
        self.count = count
        self.output = scratch / "output"
        self.log = scratch / "log"
        self.reached = scratch / "reached"

    def launch(self, command, number, limit, enough=lambda: False):
        """Runs a command with a mutant, until `enough` holds. Returns its status, None if it had no end.
        The limit is in seconds of processor time, so that a busy machine makes no difference; ten times
        that in real time, in which the time that this script was stopped for is not counted."""

        def bound():
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            # A run without an end may want memory without end.
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

        environment = dict(
            os.environ, MILLRACE_MUTANT=str(number), MILLRACE_MUTANTS=str(self.count + 1),
            SWIFT_BACKTRACE="enable=no", RACELAB_RECORDS="", RACELAB_SCHEDULES=str(TEST_SCHEDULES))
        if number == 0:
            self.reached.write_bytes(bytes(self.count + 1))
            environment["MILLRACE_REACHED"] = str(self.reached)
        with open(self.output, "wb") as output, open(self.log, "wb") as log:
            process = subprocess.Popen(
                command, env=environment, cwd=self.scratch, stdin=subprocess.DEVNULL, stdout=output,
                stderr=log, preexec_fn=bound)
            try:
                for _ in range(100 * limit):
                    try:
                        process.wait(0.1)
                        break
                    except subprocess.TimeoutExpired:
                        if enough():
                            return -signal.SIGTERM
                else:
                    return None
            finally:
                process.kill()
                process.wait()
        endless = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        return None if endless else process.returncode

    def said(self):
        return self.output.read_text(errors="replace"), self.log.read_text(errors="replace")

    def measure(self, action):
        """Runs something without a mutant. Returns what it returns, the seconds of processor time that
        it took, and the numbers of the mutants that would have made a difference."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = action()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return result, seconds, [n for n, byte in enumerate(self.reached.read_bytes()) if byte]


class Stage:
    """Programs that may find a mutant, what each of them comes to, and what found the last ones."""

    def __init__(self, launcher, binary, key):
        self.launcher = launcher
        self.binary = binary
        self.kept = launcher.scratch / f"{type(self).__name__.lower()}.json"
        self.key = hashlib.sha256(binary.read_bytes()).hexdigest() + key
        # Key: a scenario or a suite. Value: seconds of processor time, and the mutants in its way.
        self.known = {}
        # What found the last mutants in a file is likely to find the next: key: file, what.
        self.found = Counter()

    def survey(self, names, action):
        """Runs each without a mutant, or reads what an earlier run has kept."""
        if self.kept.exists():
            kept = json.loads(self.kept.read_text())
            if kept["key"] == self.key:
                self.known = kept["known"]
                self.left_out = kept.get("left_out", {})
                return
        for name in names:
            result, seconds, reached = self.launcher.measure(lambda: action(name))
            if result.verdict != "survived":
                self.fails_unbroken(name, result)
            else:
                self.known[name] = [seconds, reached]
        self.kept.write_text(
            json.dumps({"key": self.key, "known": self.known, "left_out": self.left_out}))

    def in_the_way(self, mutant):
        """The names that come to a mutant; first what has found most in its file, then what is fast."""
        names = [name for name, (_, reached) in self.known.items() if mutant.number in reached]
        return sorted(names, key=lambda name: (-self.found[mutant.file, name], self.known[name][0]))

    def count(self, mutant, result, name):
        if result.verdict != "survived":
            self.found[mutant.file, name] += 1
        return result


class Scenarios(Stage):
    """The scenarios of the rules."""

    def __init__(self, launcher, binary, quick, schedules, limit):
        super().__init__(launcher, binary, f" {schedules}")
        self.quick, self.schedules, self.limit = quick, schedules, limit
        self.left_out = {}
        listed = subprocess.run([binary, "list"], capture_output=True, text=True)
        names = [line.split("  ")[0] for line in listed.stdout.splitlines()]
        if not names:
            fail("RuleExplorer lists no scenarios:\n" + listed.stderr)
        names.append(SEQUENCES)
        self.survey(names, lambda name: self.run(0, schedules, [name], 10 * limit))

    def fails_unbroken(self, name, result):
        fail(f"without a mutant the scenario {name!r} {result.verdict}; mend that first")

    def tries(self, mutant):
        names = self.in_the_way(mutant)
        seconds = sum(self.known[name][0] for name in names)
        limit = min(self.limit, 5 + int(4 * seconds))
        return self.explore(mutant, self.quick, names, limit)

    def looks_closer(self, mutant):
        result = self.explore(mutant, self.schedules, self.in_the_way(mutant), self.limit)
        # Nothing stops a search that goes on as it should.
        return SURVIVED if result.verdict == "hangs" else result

    def explore(self, mutant, schedules, names, limit):
        result = self.run(mutant.number, schedules, names, limit) if names else SURVIVED
        return self.count(mutant, result, result.by)

    def run(self, number, schedules, names, limit):
        named = [name for name in names if name != SEQUENCES]
        result = SURVIVED
        if named:
            command = [self.binary, "prove", str(schedules), "--only", *named]
            result = self.judge(self.launcher.launch(command, number, limit), named)
        if result == SURVIVED and SEQUENCES in names:
            command = [self.binary, "sequences", "0", str(20 * schedules)]
            result = self.judge(self.launcher.launch(command, number, limit), [SEQUENCES])
        return result

    def judge(self, status, names):
        if status == 0:
            return SURVIVED
        output, log = self.launcher.said()
        last = next((line for line in reversed(log.splitlines()) if line in names), names[0])
        if status is None:
            return Result("hangs", last, "")
        for line in output.splitlines():
            if line.startswith("found\t"):
                _, scenario, schedule, _ = line.split("\t", 3)
                return Result("killed", scenario, schedule)
        return Result("killed" if status == 1 and output else "crashed", last, "")


class Tests(Stage):
    """The suites of the tests, each a process of its own."""

    def __init__(self, launcher, bundle, limit):
        super().__init__(launcher, bundle, f" {TEST_SCHEDULES}")
        # Key: a test, or a suite that does not get to its end. Value: what it does without a mutant, or
        # that it failed only once with one. It says nothing.
        self.left_out = {}
        self.clean = set()
        listed = subprocess.run(
            [bundle, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True)
        names = {line.split("/")[0] for line in listed.stdout.splitlines()}
        names = sorted(name for name in names if name.split(".")[0] in TESTS)
        if not names:
            fail("the copy has no tests:\n" + listed.stderr)
        self.survey(names, lambda name: self.run(name, 0, 1200))
        # A suite that takes long all the same has little that the others have not.
        self.slow = [name for name, (seconds, _) in self.known.items() if 12 * seconds > limit]

    def fails_unbroken(self, name, result):
        """A test that fails is left out from here on; the others of its suite are not."""
        self.left_out[result.by] = f"{result.verdict} without a mutant"
        if result.verdict == "tested":
            again, seconds, reached = self.launcher.measure(lambda: self.run(name, 0, 1200))
            if again == SURVIVED:
                self.known[name] = [seconds, reached]
            else:
                self.fails_unbroken(name, again)

    def tries(self, mutant):
        for name in self.in_the_way(mutant):
            if name in self.slow:
                continue
            result = self.certain(name, mutant.number)
            if result != SURVIVED:
                return self.count(mutant, result, name)
        return SURVIVED

    def certain(self, name, number):
        """What a suite makes of a mutant, twice the same; and it must pass without one a second time."""
        limit = 10 + int(4 * self.known[name][0])
        while True:
            result = self.run(name, number, limit)
            if result == SURVIVED:
                return result
            again = self.run(name, number, limit)
            if again != SURVIVED and name not in self.clean:
                unbroken = self.run(name, 0, limit)
                if unbroken == SURVIVED:
                    self.clean.add(name)
                elif unbroken.by in self.left_out:
                    return SURVIVED
                else:
                    self.left_out[unbroken.by] = f"{unbroken.verdict} without a mutant, at times"
                    continue
            if again != SURVIVED:
                return again
            if result.by in self.left_out:
                return SURVIVED
            self.left_out[result.by] = f"{result.verdict} with {number}, and not again"

    def run(self, name, number, limit):
        events = Events(self.launcher.scratch / "events")
        command = [
            self.binary, "--testing-library", "swift-testing", "--no-parallel", "--filter",
            f"^{re.escape(name)}(/|$)", "--event-stream-output-path", events.path,
            "--event-stream-version", "0"]

        def fault():
            events.read()
            return next((test for test in events.faults if test not in self.left_out), None)

        status = self.launcher.launch(command, number, limit, fault)
        if fault():
            return Result("tested", fault(), "")
        if status == 0 or (status == 1 and events.faults):
            return SURVIVED
        return Result("hangs" if status is None else "crashed", (events.running or [name])[-1], "")


class Events:
    """What a run of tests tells while it goes on."""

    def __init__(self, path):
        self.path = path
        path.unlink(missing_ok=True)
        self.offset = 0
        # The tests that have begun and not ended, and those with an issue.
        self.running, self.faults = [], []

    def read(self):
        if not self.path.exists():
            return
        with open(self.path, "rb") as file:
            file.seek(self.offset)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.offset += len(line)
                record = json.loads(line)
                if record["kind"] == "event" and "testID" in record["payload"]:
                    self.take(record["payload"])

    def take(self, event):
        # Without the place in the sources.
        test = re.sub(r"/[^/]*\.swift:\d+:\d+$", "", event["testID"])
        issue = event.get("issue", {})
        if event["kind"] == "testStarted":
            self.running.append(test)
        elif event["kind"] == "testEnded" and test in self.running:
            self.running.remove(test)
        elif event["kind"] == "issueRecorded":
            if not issue.get("isKnown") and issue.get("severity") != "warning":
                self.faults.append(test)
