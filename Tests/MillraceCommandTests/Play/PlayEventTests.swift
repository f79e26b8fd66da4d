// Events as lines, and what each wrong line says.

import Foundation
import Millrace
import MillraceCommand
import Testing

@Suite struct PlayEventTests {
  static let all: [PlayEvent] = [
    .choose("Sign in"), .choose("\"quoted\" \\ \n \u{1B}[2J 日本語"), .type("", field: "PIN"),
    .type("Ada", field: "Name"), .select(tab: "Account"), .back(nil), .back(FlowID(rawValue: 7)),
    .swipe(nil), .swipe(FlowID(rawValue: 7)), .begin(nil), .begin(FlowID(rawValue: 7)), .letGo,
    .complete, .signOut, .openWindow, .useWindow(2), .closeWindow, .wait(nil), .wait(0),
    .wait(PlayEvent.longestWait), .openLink("millrace://books/11?account=M1"), .lock,
  ]

  // Prevents: a recording that cannot be read, or is read as something else.
  @Test(arguments: all) func everyEvent_isReadAsItWasWritten(event: PlayEvent) throws {
    #expect(!event.line.contains("\n"))
    #expect(try PlayEvent(line: event.line) == event)
  }

  // Prevents: a wrong line that is taken for another event, traps, or says nothing of use.
  @Test(arguments: [
    ("", "is not JSON"), ("{", "is not JSON"),
    ("nonsense", "is not JSON: column 1: a value is expected"),
    ("[]", "is an array, not an object"), ("7", "is a number, not an object"),
    ("null", "is null, not an object"), ("{}", "does not say what to do"),
    (#"{"do": 7}"#, "does not say what to do"), (#"{"do": "swip"}"#, "\"swip\" is no event"),
    (#"{"do": "\u001b[2J"}"#, "\"[2J\" is no event"),
    (#"{"do": "choose"}"#, "\"choose\" lacks its member \"item\""),
    (#"{"do": "choose", "item": 7}"#, "\"item\" of \"choose\" must be a string, but is a number"),
    (
      #"{"do": "choose", "item": "a\ud800b"}"#,
      "must be a string, but is a string with half of a surrogate pair"
    ),
    (#"{"do": "choose", "item": null}"#, "must be a string, but is null"),
    (#"{"do": "choose", "item": "a", "tab": "b"}"#, "\"choose\" has no member \"tab\""),
    (#"{"do": "let go", "flow": 1}"#, "\"let go\" has no member \"flow\""),
    (#"{"do": "swipe", "flow": -1}"#, "must be a whole number from 0"),
    (#"{"do": "swipe", "flow": 1.5}"#, "but is another number"),
    (#"{"do": "swipe", "flow": 18446744073709551616}"#, "must be a whole number"),
    (#"{"do": "swipe", "flow": "3"}"#, "but is a string"),
    (#"{"do": "open link"}"#, "\"open link\" lacks its member \"link\""),
    (#"{"do": "open link", "link": 7}"#, "must be a string, but is a number"),
    (#"{"do": "lock", "link": "a"}"#, "\"lock\" has no member \"link\""),
    (#"{"do": "use window"}"#, "lacks its member \"window\""),
    (#"{"do": "use window", "window": 0}"#, "must be a whole number from 1"),
    (#"{"do": "wait", "ms": 3600001}"#, "must be a whole number from 0 to 3600000"),
    (
      #"{"do": "choose", "item": "a", "item": "b"}"#,
      "column 31: the member \"item\" is there twice"
    ),
    (#"{"do": "wait"} {"do": "wait"}"#, "is not JSON: column 16: nothing is expected"),
  ]) func wrongLine_saysWhatIsWrong(line: String, expected: String) {
    let fault = #expect(throws: LineFault.self) { try PlayEvent(line: line) }
    #expect(fault?.what.contains(expected) == true, "\(fault?.what ?? "no fault")")
    #expect(fault?.remedy.isEmpty == false)
  }

  // Prevents: a line that is nested so deeply that reading it overflows the stack.
  @Test func deeplyNestedLine_isAFault() {
    let line = String(repeating: "[", count: 30_000)
    #expect(throws: LineFault.self) { try PlayEvent(line: line) }
  }
}

@Suite struct ScriptLinesTests {
  private func lines(_ data: Data, parts: Int) throws -> [ScriptLine] {
    var rest = data
    var lines = ScriptLines { count in
      let part = rest.prefix(min(parts, count))
      rest = Data(rest.dropFirst(part.count))
      return Data(part)
    }
    var all: [ScriptLine] = []
    while let line = try lines.next() { all.append(line) }
    return all
  }

  private func texts(_ lines: [ScriptLine]) -> [String] {
    lines.map { line in
      switch line.text {
      case .success(let text): "\(line.number) \(text)"
      case .failure(let fault): "\(line.number) ! \(fault.what.prefix(12))"
      }
    }
  }

  // Prevents: a line that is cut where a part of what is read ends, a last line without an end that
  // is lost, numbers that do not count blank lines.
  @Test(arguments: [1, 2, 3, 7, 100_000]) func lines_areTheSameInAnyParts(parts: Int) throws {
    let text = "\u{FEFF}one\r\n\n  \ntwo é日\nthree"
    #expect(try texts(lines(Data(text.utf8), parts: parts)) == ["1 one", "4 two é日", "5 three"])
    #expect(try lines(Data(), parts: parts).isEmpty)
    #expect(try texts(lines(Data("\n\none\n".utf8), parts: parts)) == ["3 one"])
  }

  // Prevents: one huge or broken line that takes the rest of the script along, or all memory.
  @Test(arguments: [1_000, 65_536]) func wrongLine_leavesTheOthers(parts: Int) throws {
    var data = Data("one\n".utf8)
    data += Data(repeating: 0x61, count: ScriptLines.limit + 1) + Data("\n".utf8)
    data += Data(repeating: 0x61, count: 3 * ScriptLines.limit) + Data("\n".utf8)
    data += Data([0xFF, 0xFE, 0x0A]) + Data("five".utf8)
    let found = texts(try lines(data, parts: parts))
    #expect(
      found == ["1 one", "2 ! is longer th", "3 ! is longer th", "4 ! is not UTF-8", "5 five"])
  }

  // Prevents: a limit that is one off.
  @Test func longestLine_isRead() throws {
    let data = Data(repeating: 0x61, count: ScriptLines.limit) + Data("\r\nend".utf8)
    let all = try lines(data, parts: 4_096)
    #expect(all.count == 2)
    #expect(try all.first?.text.get().utf8.count == ScriptLines.limit)
  }
}
