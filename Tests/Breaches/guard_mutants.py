"""The conditions of Sources/Millrace that Tests/Breaches/guards breaks, and the sources with all of
these breaks in them, to be chosen by a number in the environment."""

import collections
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = Path("Sources/Millrace")

# With MILLRACE_MUTANT a number is broken. With MILLRACE_REACHED, a file of MILLRACE_MUTANTS bytes, a
# byte is set there for each number that would make a difference: where a condition was asked, and had
# the other value than the mutant has.
SWITCH = """// Written by Tests/Breaches/guards.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

func setting(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

@usableFromInline
let activeMutant: Int = setting("MILLRACE_MUTANT").flatMap { Int($0) } ?? 0

@usableFromInline
nonisolated(unsafe) let reached: UnsafeMutableRawPointer? = {
  guard let path = setting("MILLRACE_REACHED"), let count = setting("MILLRACE_MUTANTS").flatMap({ Int($0) })
  else { return nil }
  let file = open(path, O_RDWR)
  return unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
}()

@usableFromInline
func reach(_ number: Int) {
  unsafe reached?.storeBytes(of: 1, toByteOffset: number, as: UInt8.self)
}

// Some guards stand in functions that are inlined elsewhere.
@inlinable @inline(__always)
func mutant(_ negated: Int, _ removed: Int, _ value: Bool) -> Bool {
  if unsafe reached != nil {
    reach(negated)
    if !value, removed > 0 { reach(removed) }
  }
  return activeMutant == negated ? !value : activeMutant == removed ? true : value
}

@inlinable @inline(__always)
func mutant<Value>(absent number: Int, _ value: Value?) -> Value? {
  if unsafe reached != nil, value != nil { reach(number) }
  return activeMutant == number ? nil : value
}
"""


def fail(text):
    print(f"guards: {text}", file=sys.stderr)
    sys.exit(2)


def blank(text):
    """The text with comments and the contents of strings blanked out, of the same length."""
    out = list(text)
    i = 0

    def wipe(start, end):
        for k in range(start, end):
            if out[k] != "\n":
                out[k] = " "

    def string(i):
        """Blanks a string that begins at i; returns the index after it."""
        quote = '"""' if text.startswith('"""', i) else '"'
        start = i
        i += len(quote)
        while i < len(text) and not text.startswith(quote, i):
            if text.startswith("\\(", i):
                depth, i = 1, i + 2
                while i < len(text) and depth:
                    if text[i] == '"':
                        i = string(i)
                        continue
                    depth += {"(": 1, ")": -1}.get(text[i], 0)
                    i += 1
            else:
                i += 2 if text[i] == "\\" else 1
        end = min(len(text), i + len(quote))
        wipe(start + 1, end - 1)
        return end

    while i < len(text):
        if text.startswith("//", i):
            end = text.find("\n", i)
            end = len(text) if end < 0 else end
            wipe(i, end)
            i = end
        elif text.startswith("/*", i):
            end = text.find("*/", i)
            end = len(text) if end < 0 else end + 2
            wipe(i, end)
            i = end
        elif text[i] == '"':
            i = string(i)
        else:
            i += 1
    return "".join(out)


def scan(masked, start, stop):
    """Splits at commas of depth zero from start until stop(i) holds there; returns the spans."""
    spans, begin, depth, i = [], start, 0, start
    while i < len(masked):
        if depth == 0 and stop(i):
            spans.append((begin, i))
            return spans
        char = masked[i]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                return None
        elif char == "," and depth == 0:
            spans.append((begin, i))
            begin = i + 1
        i += 1
    return None


NAME = re.compile(
    r"^[ \t]*(?:[\w@()]+[ \t]+)*(?:func[ \t]+(\w+)|(init|deinit|subscript)\b|var[ \t]+(\w+)[^\n=]*\{)",
    re.M)


def enclosing(masked, index):
    """The name of the function or property that this place is in."""
    name = "?"
    for match in NAME.finditer(masked, 0, index):
        name = next(group for group in match.groups() if group)
    return name


Mutant = collections.namedtuple("Mutant", "number name file")


class File:
    """The mutants of one source file, and its text with all of them in it."""

    def __init__(self, path, counter):
        self.path = path
        self.text = (ROOT / path).read_text()
        self.mutants = []
        self.left_out = []
        self.edits = []
        self.counter = counter
        self.names = collections.Counter()
        masked = blank(self.text)
        for keyword, start in self.places(masked):
            spans = scan(masked, start, self.stop(masked, keyword))
            if spans is None:
                continue
            for begin, end in spans:
                self.clause(masked, keyword, begin, end)

    @staticmethod
    def places(masked):
        for match in re.finditer(r"(?<![#.\w])(guard|if)\b", masked):
            yield match.group(1), match.end()
        for match in re.finditer(r"(?m)^\s*for\b[^\n{]*?(?:\n[^\n{]*?)?\bwhere\b(?!\s*:)", masked):
            yield "where", match.end()

    @staticmethod
    def stop(masked, keyword):
        if keyword == "guard":
            return lambda i: re.match(r"else\b", masked[i : i + 5]) and not masked[i - 1].isalnum()
        return lambda i: masked[i] == "{"

    def add(self, keyword, clause, place, kind):
        clause = " ".join(clause.split())
        base = f"{self.path.relative_to(SOURCES)} {place}: {keyword} {clause} [{kind}]"
        self.names[base] += 1
        name = base if self.names[base] == 1 else f"{base} #{self.names[base]}"
        self.counter[0] += 1
        self.mutants.append(Mutant(self.counter[0], name, self.path))
        return self.counter[0]

    def clause(self, masked, keyword, begin, end):
        raw = self.text[begin:end]
        lead = len(raw) - len(raw.lstrip())
        begin, end = begin + lead, begin + len(raw.rstrip())
        clause = self.text[begin:end]
        place = enclosing(masked, begin)
        if any(begin < edit[1] and edit[0] < end for edit in self.edits):
            self.left_out.append(f"{self.path.relative_to(SOURCES)} {place}: {clause} (nested)")
            return
        binding = re.match(r"(let|var)\s+(\w+|\([^)]*\))(\s*:[^=]+)?\s*(=\s*)?", clause)
        if binding and not binding.group(4):
            name = binding.group(2)
            if name == "self":
                return
            number = self.add(keyword, clause, place, "absent")
            new = f"{binding.group(1)} {name} = mutant(absent: {number}, {name})"
        elif binding:
            if re.fullmatch(r"\s*self\s*", clause[binding.end() :]):
                return
            number = self.add(keyword, clause, place, "absent")
            new = f"{binding.group(0)}mutant(absent: {number}, {clause[binding.end():]})"
        elif clause.startswith("case"):
            if re.search(r"\b(let|var)\b|\$0", masked[begin:end]):
                self.left_out.append(f"{self.path.relative_to(SOURCES)} {place}: {clause} (binds)")
                return
            number = self.add(keyword, clause, place, "negated")
            new = f"mutant({number}, -1, {{ if {clause} {{ return true }} else {{ return false }} }}())"
        elif clause.startswith("#"):
            return
        else:
            number = self.add(keyword, clause, place, "negated")
            removed = self.add(keyword, clause, place, "removed") if keyword != "if" else -1
            new = f"mutant({number}, {removed}, {clause})"
        self.edits.append((begin, end, new))

    def mutated(self):
        text = self.text
        for begin, end, new in sorted(self.edits, reverse=True):
            text = text[:begin] + new + text[end:]
        return text


def read_sources():
    counter = [0]
    paths = sorted(path.relative_to(ROOT) for path in (ROOT / SOURCES).rglob("*.swift"))
    if not paths:
        fail(f"no sources in {ROOT / SOURCES}")
    return [File(path, counter) for path in paths]
