// A saved place as bytes: a first line with a check sum, then JSON. The sum finds damage that would
// still read as a place, only another one. JSON without that line is read as well: by hand it is
// written so.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Millrace

extension SavedPlace {
  /// The version of the format.
  public static var version: Int { 1 }
  /// The most bytes that are read.
  public static var byteLimit: Int { 1 << 20 }
  /// How many screens are read at most, and how deep tabs may be within tabs.
  static var nodeLimit: Int { 1_000 }
  static var depthLimit: Int { 16 }
  private static var name: String { "millrace-place " }
  private static var mark: String { "\(name)\(version) " }

  /// Reads a place as far as it can be read.
  ///
  /// - Returns: the place, and what is to be told of it: where it was cut and why, and what in it was
  ///   passed over. Nothing for a place as it was written.
  /// - Throws: `PlaceError` if nothing of it can be read.
  public static func read(
    _ bytes: [UInt8]
  ) throws(PlaceError) -> (place: SavedPlace, reports: [PlaceReport]) {
    guard bytes.count <= byteLimit else { throw .tooLong(bytes: bytes.count, limit: byteLimit) }
    let body = try checkedBody(of: bytes)
    let text = PlaceText(bytes: bytes, start: body.startIndex)
    let notes = ReadingNotes(text)
    let decoder = JSONDecoder()
    decoder.userInfo[ReadingNotes.key] = notes
    let envelope: Envelope
    do { envelope = try decoder.decode(Envelope.self, from: Data(body)) } catch {
      throw .damaged(text.repeatedMember ?? text.words(error))
    }
    // Of another version nothing else was read.
    guard envelope.version == Self.version else { throw .version(envelope.version) }
    if let twice = text.repeatedMember { throw .damaged(twice) }
    guard !envelope.place.stack.isEmpty else {
      throw .damaged(notes.cutWords ?? "\(text.place(of: [Envelope.Key.stack])) is empty")
    }
    return (envelope.place, notes.reports)
  }

  /// The place as bytes.
  ///
  /// - Throws: `PlaceError` if there are more of them than are read; what the coding of a route throws.
  public func bytes() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = [UInt8](try encoder.encode(Envelope(version: Self.version, place: self)))
    let bytes = Array((Self.mark + PlaceSum.text(body) + "\n").utf8) + body
    guard bytes.count <= Self.byteLimit else {
      throw PlaceError.tooLong(bytes: bytes.count, limit: Self.byteLimit)
    }
    return bytes
  }

  /// True for a route that is not transient, and that its own coding can write.
  static func isSavable(_ route: R) -> Bool {
    !route.isTransient && (try? JSONEncoder().encode([route])) != nil
  }

  private static func checkedBody(of bytes: [UInt8]) throws(PlaceError) -> ArraySlice<UInt8> {
    let first = bytes.firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if let first, bytes[first] == UInt8(ascii: "{") { return bytes[first...] }
    guard bytes.starts(with: mark.utf8) else {
      if let other = markedVersion(of: bytes) { throw .version(other) }
      throw .damaged(
        "line 1, column 1: its first line is not as written, and it does not begin with {")
    }
    let start = mark.utf8.count
    guard bytes.count > start + 16, bytes[start + 16] == UInt8(ascii: "\n") else {
      throw .damaged("line 1: its first line is cut")
    }
    let body = bytes[(start + 17)...]
    guard bytes[start..<(start + 16)].elementsEqual(PlaceSum.text(body).utf8) else {
      throw .damaged(
        "line 1: its check sum is another, so something below was changed; without line 1 the rest "
          + "is read as it is")
    }
    return body
  }

  /// The version that a first line names: what follows is then in a form that is not known here.
  private static func markedVersion(of bytes: [UInt8]) -> Int? {
    guard bytes.starts(with: name.utf8) else { return nil }
    let digits = bytes.dropFirst(name.utf8.count).prefix { (0x30...0x39).contains($0) }
    guard digits.endIndex < bytes.endIndex, bytes[digits.endIndex] == 0x20 else { return nil }
    return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 == version ? nil : $0 }
  }

  private struct Envelope: Codable {
    var version: Int
    var place: SavedPlace

    enum Key: String, CodingKey, CaseIterable {
      case version, account, locked, stack, modals
    }

    init(version: Int, place: SavedPlace) {
      self.version = version
      self.place = place
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      version = try container.decode(Int.self, forKey: .version)
      place = SavedPlace(stack: [])
      guard version == SavedPlace.version else { return }
      let notes = ReadingNotes.of(decoder)
      notes?.noteOtherMembers(of: decoder, than: Key.allCases.map(\.rawValue))
      place.account = try container.decodeIfPresent(String.self, forKey: .account)
        .map { Account($0) }
      place.isLocked = try container.decodeIfPresent(Bool.self, forKey: .locked) ?? false
      place.stack = try container.decode(Stack.self, forKey: .stack).nodes
      // What was over something that cannot be read has nothing to stand on.
      guard notes?.isCut != true, container.contains(.modals) else { return }
      var modals = try container.nestedUnkeyedContainer(forKey: .modals)
      while !modals.isAtEnd, notes?.isCut != true {
        let path = modals.codingPath + [PlaceKey(modals.currentIndex)]
        let nodes = try modals.decode(Stack.self).nodes
        if !nodes.isEmpty {
          place.modals.append(nodes)
        } else if notes?.isCut != true {
          notes?.noteMended(path, "is empty, and is left out")
        }
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(version, forKey: .version)
      try container.encodeIfPresent(place.account?.id, forKey: .account)
      if place.isLocked { try container.encode(true, forKey: .locked) }
      try container.encode(Stack(nodes: place.stack), forKey: .stack)
      if !place.modals.isEmpty {
        try container.encode(place.modals.map { Stack(nodes: $0) }, forKey: .modals)
      }
    }
  }

  /// Nodes up to the first that cannot be read.
  private struct Stack: Codable {
    var nodes: [Node] = []

    init(nodes: [Node]) { self.nodes = nodes }

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      guard let notes = ReadingNotes.of(decoder) else { return }
      while !container.isAtEnd {
        let path = container.codingPath + [PlaceKey(container.currentIndex)]
        guard notes.count < SavedPlace.nodeLimit, notes.depth < SavedPlace.depthLimit else {
          notes.noteMore(path, screens: SavedPlace.nodeLimit, levels: SavedPlace.depthLimit)
          return
        }
        notes.count += 1
        notes.depth += 1
        defer { notes.depth -= 1 }
        do { nodes.append(try container.decode(Entry.self).node) } catch {
          notes.noteCut(error, path, (try? container.decode(EntryName.self))?.name)
          return
        }
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for node in nodes { try container.encode(Entry(node: node)) }
    }
  }

  private struct Entry: Codable {
    var node: Node

    enum Key: String, CodingKey, CaseIterable { case route, tabs, selected }

    init(node: Node) { self.node = node }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      let notes = ReadingNotes.of(decoder)
      node = Node(try container.decode(R.self, forKey: .route))
      notes?.noteOtherMembers(of: decoder, than: Key.allCases.map(\.rawValue))
      let selected = try container.decodeIfPresent(Int.self, forKey: .selected)
      var count = 0
      if container.contains(.tabs) {
        var tabs = try container.nestedUnkeyedContainer(forKey: .tabs)
        while !tabs.isAtEnd {
          let path = tabs.codingPath + [PlaceKey(count)]
          let wasCut = notes?.isCut ?? false
          let nodes = try tabs.decode(Stack.self).nodes
          if !nodes.isEmpty {
            if count == selected { node.selectedTab = node.tabs.count }
            node.tabs.append(nodes)
          } else if notes?.isCut == wasCut {
            notes?.noteMended(path, "is empty, and is left out")
          }
          count += 1
        }
      }
      guard let selected, !(0..<count).contains(selected) else { return }
      notes?.noteMended(
        container.codingPath + [Key.selected],
        count == 0
          ? "is \(selected), and there are no tabs; it is left out"
          : "is \(selected) and should be from 0 to \(count - 1); no tab is selected")
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(node.route, forKey: .route)
      guard !node.tabs.isEmpty else { return }
      try container.encode(node.tabs.map { Stack(nodes: $0) }, forKey: .tabs)
      try container.encodeIfPresent(node.selectedTab, forKey: .selected)
    }
  }
}
