// An event as a line of JSON, and back. A line that is not one says what is wrong with it.

import Foundation
import LibraryApp
import Millrace
import MillraceFiles
import MillraceTrace

/// What is wrong with a line of a script, and what to do about it.
package struct LineFault: Error, Equatable {
  package let what: String
  package let remedy: String

  /// What a right line is.
  static let example = #"A line is an object such as {"do": "choose", "item": "Sign in"}."#
}

extension PlayEvent {
  /// The event as a script has it, without a line end.
  package var line: String {
    var members: [(String, JSON)] = [("do", .text(word.rawValue))]
    switch self {
    case .choose(let item): members.append(("item", .text(item)))
    case .type(let text, let field): members += [("field", .text(field)), ("text", .text(text))]
    case .select(let tab): members.append(("tab", .text(tab)))
    case .back(let id?), .swipe(let id?), .begin(let id?):
      members.append(("flow", .whole(Int(clamping: id.rawValue))))
    case .openLink(let link): members.append(("link", .text(link)))
    case .useWindow(let number): members.append(("window", .whole(number)))
    case .wait(let time?): members.append(("ms", .whole(time)))
    case .back(nil), .swipe(nil), .begin(nil), .wait(nil), .letGo, .complete, .signOut,
      .lock, .openWindow, .closeWindow:
      break
    }
    return JSON.object(members).line
  }

  /// Reads a line.
  package init(line: String) throws(LineFault) {
    let json = Data(line.utf8)
    let bytes = Array(json)
    func words(_ fault: JSONPlaces.Fault) -> String {
      "column \(fault.position(in: bytes).column): \(fault.what)"
    }
    if let twice = JSONPlaces.repeatedMember(in: bytes) {
      throw LineFault(what: words(twice), remedy: "Leave one of them out.")
    }
    let written: WrittenEvent
    do {
      written = try JSONDecoder().decode(WrittenEvent.self, from: json)
    } catch let fault as LineFault {
      throw fault
    } catch {
      let why = JSONPlaces.fault(in: bytes).map(words)
      throw LineFault(
        what: "is not JSON: \(why ?? "a value cannot be read")", remedy: LineFault.example)
    }
    self = written.event
  }
}

/// Reads the object of a line: each member is known, is there, and is of its kind.
private struct WrittenEvent: Decodable {
  let event: PlayEvent

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct Members {
    let container: KeyedDecodingContainer<Name>
    let word: PlayEvent.Word

    /// Refuses a member that this event does not have.
    func allow(_ names: String...) throws {
      for key in container.allKeys where key.stringValue != "do" && !names.contains(key.stringValue)
      {
        let known =
          names.isEmpty ? "no other member" : names.map { "\"\($0)\"" }.joined(separator: ", ")
        throw LineFault(
          what: "\"\(word.rawValue)\" has no member \"\(printable(key.stringValue))\"",
          remedy: "Beside \"do\" it has \(known).")
      }
    }

    func text(_ name: String) throws -> String {
      let key = Name(stringValue: name)
      guard container.contains(key) else {
        throw LineFault(
          what: "\"\(word.rawValue)\" lacks its member \"\(name)\"",
          remedy: "Add \"\(name)\" and a string.")
      }
      guard let text = try? container.decode(String.self, forKey: key) else {
        throw wrongKind(name, "a string")
      }
      return text
    }

    func number(_ name: String, _ range: ClosedRange<UInt64>) throws -> UInt64? {
      let key = Name(stringValue: name)
      guard container.contains(key) else { return nil }
      let kind = "a whole number from \(range.lowerBound) to \(range.upperBound)"
      guard let number = try? container.decode(UInt64.self, forKey: key), range.contains(number)
      else { throw wrongKind(name, kind) }
      return number
    }

    func flow() throws -> FlowID? {
      try number("flow", 0...UInt64(Int64.max)).map { FlowID(rawValue: $0) }
    }

    private func wrongKind(_ name: String, _ kind: String) -> LineFault {
      let found = try? container.decode(JSONKind.self, forKey: Name(stringValue: name))
      let text =
        found.map { $0 == .number && kind != "a string" ? "another number" : "\($0)" }
        ?? "something else"
      return LineFault(
        what: "\"\(name)\" of \"\(word.rawValue)\" must be \(kind), but is \(text)",
        remedy: "Put \(kind) there.")
    }
  }

  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: Name.self) else {
      let found = try JSONKind(from: decoder)
      throw LineFault(what: "is \(found), not an object", remedy: LineFault.example)
    }
    guard let name = try? container.decode(String.self, forKey: Name(stringValue: "do")) else {
      throw LineFault(what: "does not say what to do", remedy: LineFault.example)
    }
    guard let word = PlayEvent.Word(rawValue: name) else {
      let words = PlayEvent.Word.allCases.map(\.rawValue)
      let near = nearest(to: name, among: words).map { "Did you mean \"\($0)\"? " } ?? ""
      throw LineFault(
        what: "\"\(printable(name))\" is no event",
        remedy: near + "There are: \(words.joined(separator: ", ")).")
    }
    event = try Self.event(Members(container: container, word: word))
  }

  private static func event(_ members: Members) throws -> PlayEvent {
    switch members.word {
    case .choose:
      try members.allow("item")
      return .choose(try members.text("item"))
    case .type:
      try members.allow("field", "text")
      return .type(try members.text("text"), field: try members.text("field"))
    case .select:
      try members.allow("tab")
      return .select(tab: try members.text("tab"))
    case .back:
      try members.allow("flow")
      return .back(try members.flow())
    case .swipe:
      try members.allow("flow")
      return .swipe(try members.flow())
    case .begin:
      try members.allow("flow")
      return .begin(try members.flow())
    case .useWindow:
      try members.allow("window")
      guard let number = try members.number("window", 1...1_000) else {
        throw LineFault(
          what: "\"use window\" lacks its member \"window\"", remedy: "Add \"window\": 2.")
      }
      return .useWindow(Int(number))
    case .wait:
      try members.allow("ms")
      return .wait(try members.number("ms", 0...UInt64(PlayEvent.longestWait)).map { Int($0) })
    case .openLink:
      try members.allow("link")
      return .openLink(try members.text("link"))
    case .lock: return try alone(members, .lock)
    case .letGo: return try alone(members, .letGo)
    case .complete: return try alone(members, .complete)
    case .signOut: return try alone(members, .signOut)
    case .openWindow: return try alone(members, .openWindow)
    case .closeWindow: return try alone(members, .closeWindow)
    }
  }

  private static func alone(_ members: Members, _ event: PlayEvent) throws -> PlayEvent {
    try members.allow()
    return event
  }
}
