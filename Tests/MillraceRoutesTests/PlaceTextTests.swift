// What is said of a saved place that is not as it is written: where, what is expected, what is there.

import Foundation
import Millrace
import MillraceRoutes
import RuleScenarios
import Testing

@Suite struct PlaceTextTests {
  private typealias Saved = SavedPlace<Place>

  // Fault: "data corrupted", or an error of the language, with no place to look at.
  @Test(arguments: [
    // No JSON.
    ("{\"version\": 1,", "line 1, column 15: the text ends too early"),
    ("{\"version\": 1,\n \"stack\": [}", "line 2, column 12: a value is expected here"),
    ("{\"größe\": 1,\n 'a': 2}", "line 2, column 2: a name in quotation marks is expected"),
    ("{\"ö\" 1}", "line 1, column 6: a colon is expected after the name"),
    ("{\"a\": 1 2}", "line 1, column 9: a comma or } is expected"),
    ("{\"a\": [1 2]}", "line 1, column 10: a comma or ] is expected"),
    ("{\"version\": 01}", "line 1, column 13: a number does not begin with a zero"),
    ("{\"version\": -}", "line 1, column 14: a digit is expected here"),
    ("{\"a\": nul}", "line 1, column 7: a value is expected here"),
    (
      "{\"version\": 1, \"account\": \"\\q\", \"stack\": []}",
      "line 1, column 29: there is no such escape"
    ),
    ("{\"a\": \"\\u12\"}", "line 1, column 12: four hexadecimal digits"),
    (
      "{\"version\": 1, \"account\": \"b\u{7}\", \"stack\": []}",
      "line 1, column 29: a control character has to be written as an escape"
    ),
    ("{\"a\": \"b}", "line 1, column 7: this string does not end"),
    ("{\"a\": 1} x", "line 1, column 10: nothing is expected after the end"),
    ("{\"a\": " + String(repeating: "[", count: 600), "it is more than 512 levels deep"),
    ("x", "line 1, column 1: its first line is not as written, and it does not begin with {"),
    // Twice the same member: which of them is meant?
    (
      "{\"version\": 1,\n \"stack\": [], \"stack\": []}",
      "line 2, column 15: the member \"stack\" is there twice"
    ),
    (
      "{\"version\": 1, \"stack\": [{\"route\": {\"order\": {\"_0\": 7, \"\\u005f0\": 8}}}]}",
      "line 1, column 56: the member \"_0\" is there twice"
    ),
    (
      "{\"version\": 1, \"ä\": 1, \"a\\u0308\": 2, \"stack\": [{\"route\": {\"home\": {}}}]}",
      "line 1, column 24: the member \"ä\" is there twice"
    ),
    // Another kind of value than expected.
    (
      "{\"version\": 1.5}",
      "line 1, column 13: this number cannot be read: it should be a whole one"
    ),
    ("{\"version\": \"1\"}", "line 1, column 13: version must be a whole number, but is a string"),
    ("{\"version\": null}", "line 1, column 13: version must be a whole number, but is null"),
    ("{}", "line 1, column 1: the place lacks its member \"version\""),
    ("{\"version\": 1}", "line 1, column 1: the place lacks its member \"stack\""),
    (
      "{\"version\": 1, \"account\": 7, \"stack\": []}",
      "line 1, column 27: account must be a string, but is a number"
    ),
    (
      "{\"version\": 1,\n \"stack\": {}}",
      "line 2, column 11: stack must be an array, but is an object"
    ),
    ("{\"version\": 1, \"stack\": []}", "line 1, column 25: stack is empty"),
    (
      #"{"version": 1, "account": "\ud83d\ude00\ud83d", "stack": []}"#,
      "line 1, column 40: this escape is half of a character"
    ),
    (
      #"{"version": 1, "account": "\ud83d\n\ude00", "stack": []}"#,
      "line 1, column 28: this escape is half of a character"
    ),
    (
      #"{"version": 1, "account": "a\uDE00", "stack": []}"#,
      "line 1, column 29: this escape is half of a character"
    ),
    (
      "{\"version\": 1, \"stack\": [\n7]}",
      "line 2, column 1: stack[0] must be an object, but is a number"
    ),
    (
      "{\"version\": 1, \"stack\": [{}]}", "line 1, column 26: stack[0] lacks its member \"route\""
    ),
    (
      "{\"version\": 1, \"stack\": [{\"route\": {\"home\": {}}, \"tabs\": 7}]}",
      "line 1, column 58: stack[0].tabs must be an array, but is a number"
    ),
    (
      "{\"version\": 1, \"stack\": [{\"route\": {\"order\": {\"_0\": \"x\"}}}]}",
      "line 1, column 53: stack[0].route.order._0 must be a whole number, but is a string"
    ),
    (
      "{\"version\": 1, \"stack\": [{\"route\": {\"order\": {\"id\": 7}}}]}",
      "stack[0].route.order lacks its member \"_0\""
    ),
    ("{\"version\": 1, \"stack\": [{\"route\": {\"moon\": {}}}]}", "unknown route: moon"),
    (
      "{\"version\": 1, \"stack\": [{\"route\": {\"home\": {}, \"help\": {}}}]}",
      "line 1, column 36: stack[0].route must be an object with the name of one route"
    ),
  ])
  func damagedPlace_isToldWithItsPosition(_ wrong: (text: String, why: String)) {
    do {
      _ = try Saved.read(Array(wrong.text.utf8))
      Issue.record("\(wrong.text) is read")
    } catch {
      #expect("\(error)".contains(wrong.why), "\(error)")
      #expect(!"\(error)".contains("Error"), "\(error)")
    }
  }

  // Fault: a place is cut, and nobody knows why.
  @Test func damagedRoute_isToldWithItsPosition() throws {
    let text =
      "{\"version\": 1, \"stack\": [{\"route\": {\"home\": {}}},\n"
      + " {\"route\": {\"order\": {\"_0\": 1.5}}}]}"
    let (place, reports) = try Saved.read(Array(text.utf8))
    #expect(place.stack.map(\.route) == [.home])
    guard case .cut(let words)? = reports.first, reports.count == 1 else {
      Issue.record("\(reports)")
      return
    }
    #expect(words.hasPrefix("line 2, column 29: this number cannot be read"), "\(words)")
  }

  // Fault: what means nothing is passed over without a word.
  @Test(arguments: [
    ("\"tabs\": [[$]], \"selected\": 9", "selected is 9 and should be from 0 to 0"),
    ("\"tabs\": [[$]], \"selected\": -1", "selected is -1 and should be from 0 to 0"),
    ("\"selected\": 0", "selected is 0, and there are no tabs"),
    ("\"tabs\": [[], [$]]", "tabs[0] is empty, and is left out"),
    ("\"tab\": [[$]]", "stack[0].tab is left out: there are only route, tabs, selected here"),
  ])
  func mendedPlace_isTold(_ mended: (members: String, why: String)) throws {
    let members = mended.members.replacing("$", with: "{\"route\": {\"orders\": {}}}")
    let text =
      "{\"version\": 1, \"stack\": [{\"route\": {\"home\": {}}, \(members)}], \"modals\": []}"
    let (place, reports) = try Saved.read(Array(text.utf8))
    guard case .mended(let words)? = reports.first, reports.count == 1 else {
      Issue.record("\(reports)")
      return
    }
    #expect(words.contains(mended.why), "\(words)")
    #expect(words.hasPrefix("line 1, column "))
    #expect(try Saved.read(place.bytes()).reports.isEmpty)
  }

  // Fault: a thousand things that are passed over, told one by one.
  @Test func manyMended_areCounted() throws {
    let node = "{\"route\": {\"home\": {}}, \"x\": 1}"
    let nodes = Array(repeating: node, count: 900).joined(separator: ",")
    let text = "{\"version\": 1, \"modal\": 1, \"stack\": [\(nodes)], \"modals\": [[]]}"
    let told = "\(try Saved.read(Array(text.utf8)).reports)"
    #expect(told.contains("and 897 more"), "\(told)")
  }

  // Fault: a place of a newer version, told as damage; or damage, told as a version.
  @Test(arguments: [
    ("millrace-place 2 0011", PlaceError.version(2)), ("millrace-place 17 \n{}", .version(17)),
  ])
  func placeWithTheMarkOfAnotherVersion_saysWhich(_ saved: (text: String, why: PlaceError)) {
    #expect(throws: saved.why) { try Saved.read(Array(saved.text.utf8)) }
  }

  @Test(arguments: [
    "millrace-place  0", "millrace-place 2", "millrace-place x 0", "millrace-place",
    "millrace-place 99999999999999999999 0",
  ])
  func placeWithADamagedMark_isDamaged(_ text: String) {
    let error = #expect(throws: PlaceError.self) { try Saved.read(Array(text.utf8)) }
    guard case .damaged = error else {
      Issue.record("\(error as Any)")
      return
    }
  }

  // Fault: what is told of a place brings control characters along, or is as long as the place.
  @Test(arguments: ["\u{1B}[2J", "a\nb", "\u{202E}", String(repeating: "long", count: 5_000)])
  func whatIsTold_isOneLine(_ text: String) throws {
    let reports: [PlaceReport] = [
      .unknownRoute(text), .notShown(text), .notChecked(text), .storeFailed(text),
    ]
    let rejections: [LinkRejection] = [
      .notPermitted(text), .notFound(text), .checkFailed(text), .unreachable(text), .notShown(text),
      .unknownAccount(Account(text)), .unreadable(.unknownPath(text)),
    ]
    for line in reports.map({ "\($0)" }) + rejections.map({ "\($0)" }) {
      #expect(line.count < 2_200)
      #expect(
        line.unicodeScalars.allSatisfy {
          ![.control, .format].contains($0.properties.generalCategory)
        }, "\(line)")
    }
  }

  // Fault: a check sum that keeps a place from being mended by hand, with no way out.
  @Test func changedPlace_saysHowToReadTheRest() throws {
    let place = Saved(account: nil, stack: [.init(.home)])
    var bytes = try place.bytes()
    bytes[bytes.count - 2] ^= 1
    let error = #expect(throws: PlaceError.self) { try Saved.read(bytes) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("without line 1 the rest is read"))
  }
}
