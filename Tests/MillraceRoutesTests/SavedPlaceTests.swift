// Saved places as bytes: written, read, damaged, and made at random.

import Foundation
import Millrace
import MillraceRoutes
import RuleScenarios
import MillraceFiles
import Testing

@Suite struct SavedPlaceTests {
  typealias Saved = SavedPlace<Place>

  private static let sample = Saved(
    account: Account("A"),
    stack: [
      .init(
        .home,
        tabs: [
          [.init(.orders), .init(.order(7)), .init(.search("größe \"x\"", .audio))],
          [.init(.chats), .init(.chat("b/c"), tabs: [[.init(.help)]])],
        ], selectedTab: 1)
    ],
    modals: [[.init(.checkout(Intent(key: "k"))), .init(.search("", nil))], [.init(.help)]])

  static func random(_ numbers: inout SplitMix64) -> Saved {
    func nodes(_ depth: Int) -> [Saved.Node] {
      (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
        let route: Place =
          switch Int.random(in: 0..<6, using: &numbers) {
          case 0: .home
          case 1: .order(Int.random(in: .min ... .max, using: &numbers))
          case 2:
            .chat(["", "é", "e\u{301}", "\0", "\"\\/", "🜁"].randomElement(using: &numbers) ?? "")
          case 3: .search("a", [nil, .audio].randomElement(using: &numbers) ?? nil)
          case 4: .checkout(Intent(using: &numbers))
          default: .help
          }
        let count = depth == 0 ? 0 : Int.random(in: 0...2, using: &numbers)
        let tabs = (0..<count).map { _ in nodes(depth - 1) }
        return Saved.Node(
          route, tabs: tabs,
          selectedTab: tabs.isEmpty ? nil : Int.random(in: 0..<tabs.count, using: &numbers))
      }
    }
    return Saved(
      account: Bool.random(using: &numbers) ? Account("ä") : nil, stack: nodes(3),
      modals: (0..<Int.random(in: 0...2, using: &numbers)).map { _ in nodes(1) })
  }

  // Property: encode(decode(x)) == x, three levels deep.
  @Test func place_comesBackAsItWasSaved() throws {
    for number in 0..<500 {
      var numbers = SplitMix64(case: UInt64(number))
      let place = SavedPlaceTests.random(&numbers)
      let bytes = try place.bytes()
      let (read, reports) = try Saved.read(bytes)
      #expect(read == place && reports.isEmpty)
      #expect(try read.bytes() == bytes)
    }
  }

  // Fault: one flipped bit leads to another place, or traps.
  @Test func damageAtAnyByte_isFound() throws {
    let whole = try SavedPlaceTests.sample.bytes()
    for index in whole.indices {
      for bit in 0..<8 {
        var damaged = whole
        damaged[index] ^= 1 << bit
        #expect(throws: PlaceError.self) { try Saved.read(damaged) }
      }
      #expect(throws: PlaceError.self) { try Saved.read(Array(whole.prefix(index))) }
      #expect(throws: PlaceError.self) { try Saved.read(whole + whole[...index]) }
    }
  }

  // Fault: bytes without a check sum trap where they are damaged; they are cut or refused.
  @Test func damageAtAnyByteWithoutSum_cutsOrIsRefused() throws {
    let whole = Array(try SavedPlaceTests.sample.bytes().drop { $0 != UInt8(ascii: "{") })
    #expect(try Saved.read(whole).place == SavedPlaceTests.sample)
    var outcomes: [String: Int] = [:]
    for index in whole.indices {
      for bit in 0..<8 {
        var damaged = whole
        damaged[index] ^= 1 << bit
        do {
          outcomes[try Saved.read(damaged).reports.first?.kind ?? "read", default: 0] += 1
        } catch {
          outcomes["refused", default: 0] += 1
        }
      }
    }
    #expect(Set(outcomes.keys) == ["read", "unknown", "cut", "mended", "refused"], "\(outcomes)")
  }

  // Fault: a huge or deeply nested place takes all memory, or the stack.
  @Test func hugeAndDeepPlaces_areBounded() throws {
    let long = #"{"version":1,"stack":[{"route":{"chat":{"_0":""#
    let huge = Array((long + String(repeating: "a", count: 2 << 20) + #""}}}]}"#).utf8)
    #expect(throws: PlaceError.tooLong(bytes: huge.count, limit: 1 << 20)) {
      try Saved.read(huge)
    }
    let many =
      #"{"version":1,"stack":["#
      + Array(repeating: #"{"route":{"home":{}}}"#, count: 5_000).joined(separator: ",") + "]}"
    let read = try Saved.read(Array(many.utf8))
    #expect(read.place.stack.count == 1_000)
    #expect(read.reports.map(\.kind) == ["cut"])
    #expect("\(read.reports)".contains("stack[1000] is more than the app reads"))
    for depth in [15, 17, 100, 10_000] {
      let deep =
        #"{"version":1,"stack":"#
        + String(repeating: #"[{"route":{"home":{}},"tabs":["#, count: depth)
        + #"[{"route":{"home":{}}}]"# + String(repeating: "]}]", count: depth) + "}"
      do {
        #expect(try Saved.read(Array(deep.utf8)).reports.isEmpty == (depth == 15))
      } catch {
        #expect(depth == 10_000)
      }
    }
    for open in ["[", "{\"version\":", "{\"stack\":["] {
      #expect(throws: PlaceError.self) {
        try Saved.read(Array(String(repeating: open, count: 100_000).utf8.prefix(1 << 20)))
      }
    }
  }

  // Fault: a place from outside traps, or is refused without a word.
  @Test func places_areReadOrRefused() throws {
    let pieces = [
      "{", "}", "[", "]", ",", ":", "null", "true", "1", "-1", "1e999", "\"route\"", "\"tabs\"",
      "\"selected\"", "\"version\"", "\"stack\"", "\"modals\"", "\"account\"", "\"kind\"",
      "\"home\"", "{\"home\":{}}", "{\"route\":{\"home\":{}}}", "{\"order\":{\"_0\":7}}", "\\u0000",
      "\"\u{202E}\"", "99999999999999999999999",
    ].map { Array($0.utf8) }
    var outcomes: [String: Int] = [:]
    for number in 0..<fuzzCount {
      var numbers = SplitMix64(case: UInt64(number))
      var bytes = try SavedPlaceTests.random(&numbers).bytes()
      if number % 4 != 0 { bytes = Array(bytes.drop { $0 != UInt8(ascii: "{") }) }
      // Some are huge, or deeply nested.
      if number % 500 == 1 {
        let node = #"{"route":{"home":{}},"tabs":[["#
        let count = Int.random(in: 1...40, using: &numbers)
        bytes = Array(
          (#"{"version":1,"stack":["# + String(repeating: node, count: count)
            + #"{"route":{"home":{}}}"# + String(repeating: "]]}", count: count) + "]}").utf8)
      } else if number % 500 == 2 {
        let node = #"{"route":{"order":{"_0":7}},"tabs":[[{"route":{"help":{}}}]]},"#
        let count = Int.random(in: 400...2_000, using: &numbers)
        bytes = Array(
          (#"{"version":1,"stack":["# + String(repeating: node, count: count)
            + #"{"route":{"home":{}}}]}"#).utf8)
      }
      for _ in 0...Int.random(in: 0...4, using: &numbers) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        let end = min(bytes.count, place + Int.random(in: 0...9, using: &numbers))
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes.removeSubrange(place..<end)
        case 2: bytes.removeSubrange(place...)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4: bytes.insert(contentsOf: pieces.randomElement(using: &numbers) ?? [], at: place)
        default:
          bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &numbers) ?? [])
        }
      }
      do {
        let (place, reports) = try Saved.read(bytes)
        outcomes[reports.first?.kind ?? "read", default: 0] += 1
        let told = reports.map { "\($0)" }
        guard reports.count <= 2, reports.allSatisfy(\.namesItsPart),
          told.allSatisfy({ $0.utf8.count <= 4_000 && $0.isOneLine })
        else {
          Issue.record("case \(number) is told with \(told)")
          return
        }
        guard (1...1_000).contains(place.size.screens), place.size.depth <= 16 else {
          Issue.record("case \(number): \(place.size) are kept")
          return
        }
        // What was read is written and read again as it is.
        guard try Saved.read(place.bytes()).place == place else {
          Issue.record("case \(number): \(place) is not read as it was written")
          return
        }
      } catch let error as PlaceError {
        outcomes["refused", default: 0] += 1
        let why = "\(error)"
        guard why.utf8.count <= 1_000, why.isOneLine, error.namesItsPart else {
          Issue.record(
            "case \(number) is refused with \(why):\n\(String(decoding: bytes, as: UTF8.self))")
          return
        }
      }
    }
    #expect(Set(outcomes.keys) == ["read", "unknown", "cut", "mended", "refused"], "\(outcomes)")
  }

  // Fault: what is wrong after the cut throws away what stands before it.
  @Test func modalsAfterACut_areNotRead() throws {
    let text =
      #"{"version": 1, "stack": [{"route": {"home": {}}}, {"route": {"moon": {}}}], "modals": 7}"#
    let (place, reports) = try Saved.read(Array(text.utf8))
    #expect(place == Saved(stack: [.init(.home)]) && reports == [.unknownRoute("moon")])
  }

  // Fault: a place is lost in the file, or a write that fails takes the old one along.
  @Test func file_keepsThePlace() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = FilePlaceStore(file: folder.appending(path: "place.json"))
    #expect(try await store.load() == nil)
    try await store.save([1, 2, 3])
    try await store.save([4])
    #expect(try await store.load() == [4])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["place.json"])
    try await store.clear()
    try await store.clear()
    #expect(try await store.load() == nil)
    await #expect(throws: FileStoreError.self) {
      try await FilePlaceStore(file: folder.appending(path: "none/place.json")).save([1])
    }
  }
}

extension PlaceReport {
  fileprivate var kind: String {
    switch self {
    case .unknownRoute: "unknown"
    case .cut: "cut"
    case .mended: "mended"
    default: "other"
    }
  }
}
