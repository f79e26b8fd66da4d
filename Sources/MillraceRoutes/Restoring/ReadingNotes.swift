// What is noted while a place is read: where it was cut, and what in it was passed over.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import MillraceFiles

/// The notes of one decoder. They are used on one thread, in one call.
///
/// `@unchecked Sendable`: `userInfo` wants it, and they never leave that call.
final class ReadingNotes: @unchecked Sendable {
  static let key: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "millrace.place") else {
      preconditionFailure("a key of any text can be made")
    }
    return key
  }()

  private let text: PlaceText
  private var cut: PlaceReport?
  private var mended: [String] = []
  private var mendedCount = 0
  /// How many screens were read, and how deep in tabs the one at hand is.
  var count = 0
  var depth = 0

  /// How many places are named that were passed over.
  private static let mostNamed = 5

  init(_ text: PlaceText) { self.text = text }

  static func of(_ decoder: any Decoder) -> ReadingNotes? {
    decoder.userInfo[key] as? ReadingNotes
  }

  /// What is to be told, the cut first.
  var reports: [PlaceReport] {
    let more = mendedCount - mended.count
    let words = mended.joined(separator: "; ") + (more > 0 ? "; and \(more) more" : "")
    return [cut, mended.isEmpty ? nil : .mended(words)].compactMap(\.self)
  }

  var isCut: Bool { cut != nil }

  /// Where it was cut and why, for a place that nothing is left of.
  var cutWords: String? {
    switch cut {
    case .unknownRoute(let name): "unknown route: \(legible(name))"
    case .cut(let words): words
    default: nil
    }
  }

  // MARK: - Noting

  /// An entry cannot be read.
  ///
  /// - Parameter name: of its route, if it has one.
  func noteCut(_ error: any Error, _ entry: [any CodingKey], _ name: String?) {
    guard cut == nil else { return }
    if let name, Self.isAboutTheName(error, of: entry) {
      cut = .unknownRoute(name)
    } else {
      cut = .cut(text.words(error, at: entry))
    }
  }

  /// There are more screens, or tabs in tabs, than are read.
  func noteMore(_ entry: [any CodingKey], screens: Int, levels: Int) {
    guard cut == nil else { return }
    cut = .cut(
      "\(text.place(of: entry)) is more than the app reads: \(screens) screens, and tabs "
        + "\(levels) levels deep")
  }

  /// Something is passed over, and the rest is read.
  func noteMended(_ path: [any CodingKey], _ what: String) {
    mendedCount += 1
    if mended.count < Self.mostNamed { mended.append("\(text.place(of: path)) \(what)") }
  }

  /// Members that no place has.
  func noteOtherMembers(of decoder: any Decoder, than known: [String]) {
    guard let all = try? decoder.container(keyedBy: PlaceKey.self) else { return }
    for key in all.allKeys where !known.contains(key.stringValue) {
      noteMended(
        all.codingPath + [key],
        "is left out: there are only \(known.joined(separator: ", ")) here")
    }
  }

  /// True for an error about which route it is, not about the values of one that is known.
  private static func isAboutTheName(_ error: any Error, of entry: [any CodingKey]) -> Bool {
    let path: [any CodingKey] =
      switch error {
      case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
        context.codingPath
      default: []
      }
    let rest = path.dropFirst(entry.count).map(\.stringValue)
    return rest == ["route"] || rest == ["route", "kind"]
  }
}

/// Any key: a name, or a place in an array.
struct PlaceKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ index: Int) { (stringValue, intValue) = ("\(index)", index) }
  init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
  init?(intValue: Int) { self.init(intValue) }
}

/// The name of a route that could not be read: a text, its kind, or the only key that it has.
struct EntryName: Decodable {
  let name: String?

  init(from decoder: any Decoder) throws {
    let entry = try decoder.container(keyedBy: PlaceKey.self)
    let key = PlaceKey(stringValue: "route")
    if let text = try? entry.decode(String.self, forKey: key) {
      name = text
      return
    }
    let route = try entry.nestedContainer(keyedBy: PlaceKey.self, forKey: key)
    if let kind = try? route.decode(String.self, forKey: PlaceKey(stringValue: "kind")) {
      name = kind
    } else {
      name = route.allKeys.count == 1 ? route.allKeys.first?.stringValue : nil
    }
  }
}
