// A saved place as bytes: a first line with a check sum, then JSON. The sum finds damage that would
// still read as a place, only another one. JSON without that line is read as well: by hand it is
// written so.

import FoundationEssentials
import Millrace

extension SavedPlace {
  /// The version of the format.
  public static var version: Int { 1 }
  /// The most bytes that are read.
  public static var byteLimit: Int { 1 << 20 }
  /// How many screens are read at most, and how deep tabs may be within tabs.
  static var nodeLimit: Int { 1_000 }
  static var depthLimit: Int { 16 }
  private static var mark: String { "millrace-place 1 " }

  /// Reads a place as far as it can be read.
  ///
  /// - Returns: the place, and the name of the first route that could not be read and cut it.
  /// - Throws: `PlaceError` if nothing of it can be read.
  public static func read(
    _ bytes: [UInt8]
  ) throws(PlaceError) -> (place: SavedPlace, cut: String?) {
    guard bytes.count <= byteLimit else { throw .tooLong(bytes: bytes.count, limit: byteLimit) }
    let body = try checkedBody(of: bytes)
    let notes = ReadingNotes()
    let decoder = JSONDecoder()
    decoder.userInfo[ReadingNotes.key] = notes
    let envelope: Envelope
    do { envelope = try decoder.decode(Envelope.self, from: Data(body)) } catch {
      throw .damaged(quoted("\(error)"))
    }
    // Of another version nothing else was read.
    guard envelope.version == Self.version else { throw .version(envelope.version) }
    guard !envelope.place.stack.isEmpty else {
      throw .damaged(notes.cut.map { "unknown route: \($0)" } ?? "it is empty")
    }
    return (envelope.place, notes.cut)
  }

  /// The place as bytes.
  public func bytes() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let body = [UInt8](try encoder.encode(Envelope(version: Self.version, place: self)))
    return Array((Self.mark + PlaceSum.text(body) + "\n").utf8) + body
  }

  /// True for a route that is not transient, and that its own coding can write.
  static func isSavable(_ route: R) -> Bool {
    !route.isTransient && (try? JSONEncoder().encode([route])) != nil
  }

  private static func checkedBody(of bytes: [UInt8]) throws(PlaceError) -> ArraySlice<UInt8> {
    guard bytes.first != UInt8(ascii: "{") else { return bytes[...] }
    guard bytes.starts(with: mark.utf8) else { throw .damaged("its first line is not as written") }
    let start = mark.utf8.count
    guard bytes.count > start + 16, bytes[start + 16] == UInt8(ascii: "\n") else {
      throw .damaged("its first line is cut")
    }
    let body = bytes[(start + 17)...]
    guard bytes[start..<(start + 16)].elementsEqual(PlaceSum.text(body).utf8) else {
      throw .damaged("its check sum is another")
    }
    return body
  }

  private struct Envelope: Codable {
    var version: Int
    var place: SavedPlace

    enum Key: String, CodingKey { case version, account, stack, modals }

    init(version: Int, place: SavedPlace) {
      self.version = version
      self.place = place
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      version = try container.decode(Int.self, forKey: .version)
      place = SavedPlace(stack: [])
      guard version == SavedPlace.version else { return }
      place.account = try container.decodeIfPresent(String.self, forKey: .account)
        .map { Account($0) }
      let notes = ReadingNotes.of(decoder)
      place.stack = try container.decode(Stack.self, forKey: .stack).nodes
      // What was over something that cannot be read has nothing to stand on.
      guard notes?.cut == nil, container.contains(.modals) else { return }
      var modals = try container.nestedUnkeyedContainer(forKey: .modals)
      while !modals.isAtEnd, notes?.cut == nil {
        let nodes = try modals.decode(Stack.self).nodes
        if !nodes.isEmpty { place.modals.append(nodes) }
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(version, forKey: .version)
      try container.encodeIfPresent(place.account?.id, forKey: .account)
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
        guard notes.count < SavedPlace.nodeLimit, notes.depth < SavedPlace.depthLimit else {
          notes.note("more than the app reads")
          return
        }
        notes.count += 1
        notes.depth += 1
        defer { notes.depth -= 1 }
        guard let entry = try? container.decode(Entry.self) else {
          notes.note((try? container.decode(EntryName.self))?.name ?? "one that is damaged")
          return
        }
        nodes.append(entry.node)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for node in nodes { try container.encode(Entry(node: node)) }
    }
  }

  private struct Entry: Codable {
    var node: Node

    enum Key: String, CodingKey { case route, tabs, selected }

    init(node: Node) { self.node = node }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      node = Node(try container.decode(R.self, forKey: .route))
      guard container.contains(.tabs) else { return }
      let selected = try container.decodeIfPresent(Int.self, forKey: .selected)
      var tabs = try container.nestedUnkeyedContainer(forKey: .tabs)
      var index = 0
      while !tabs.isAtEnd {
        let nodes = try tabs.decode(Stack.self).nodes
        if !nodes.isEmpty {
          if index == selected { node.selectedTab = node.tabs.count }
          node.tabs.append(nodes)
        }
        index += 1
      }
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

/// What is noted while a place is read. It is used by one decoder, on one thread, in one call.
///
/// `@unchecked Sendable`: `userInfo` wants it, and it never leaves that call.
private final class ReadingNotes: @unchecked Sendable {
  static let key: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "millrace.place") else {
      preconditionFailure("a key of any text can be made")
    }
    return key
  }()
  private(set) var cut: String?
  var count = 0
  var depth = 0

  func note(_ name: String) { cut = cut ?? name }

  static func of(_ decoder: any Decoder) -> ReadingNotes? {
    decoder.userInfo[key] as? ReadingNotes
  }
}

/// The name of a route that could not be read: its kind, or the only key that it has.
private struct EntryName: Decodable {
  let name: String

  init(from decoder: any Decoder) throws {
    let entry = try decoder.container(keyedBy: AnyKey.self)
    if let text = try? entry.decode(String.self, forKey: AnyKey("route")) {
      name = text
      return
    }
    let route = try entry.nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey("route"))
    if let kind = try? route.decode(String.self, forKey: AnyKey("kind")) {
      name = kind
    } else if let only = route.allKeys.first, route.allKeys.count == 1 {
      name = only.stringValue
    } else {
      name = "one that is damaged"
    }
  }

  struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
