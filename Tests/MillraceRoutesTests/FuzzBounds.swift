// What the fuzz tests hold to whatever is read: how much is kept of it, and that a refusal names the part.

import Millrace
import MillraceRoutes
import RuleScenarios

extension Link<Place> {
  /// The bytes of the texts in it.
  var keptBytes: Int {
    let texts: [String] =
      switch route {
      case .chat(let name): [name]
      case .search(let text, let format): [text, format?.rawValue ?? ""]
      default: []
      }
    return (texts + [account?.id ?? ""]).reduce(0) { $0 + $1.utf8.count }
  }
}

extension LinkError {
  /// Whether the words say which part of the link is wrong.
  func namesItsPart(_ words: String) -> Bool {
    let parts: [String] =
      switch self {
      case .tooLong(let bytes, let limit): ["\(bytes) bytes", "\(limit)"]
      case .noScheme, .unknownScheme: ["scheme"]
      case .unknownHost, .hostNotASCII, .damagedHost: ["host"]
      case .notForLinks(let part), .notUTF8(let part): [part]
      case .noSlashes(let scheme): [scheme]
      case .emptyPart(let number): ["part \(number) of the path"]
      case .unknownPath: ["the path"]
      case .wrongValue(let part, _, let expected): [part, expected]
      case .missingItem(let item, let expected): ["query item \"\(item)\"", expected]
      case .repeatedItem(let item): ["query item \"\(item)\""]
      case .noPlace(let pattern, _): [pattern]
      case .unprintable: ["route"]
      case .unprintableValue(let part, _): [part]
      }
    return parts.allSatisfy { !$0.isEmpty && words.contains($0) }
  }
}

extension PlaceError {
  /// Whether the words say where it is wrong.
  var namesItsPart: Bool {
    switch self {
    case .tooLong(let bytes, let limit):
      "\(self)".contains("\(bytes) bytes") && "\(self)".contains("\(limit)")
    case .damaged(let words): words.contains("line ") || words.hasPrefix("unknown route: ")
    case .version(let version): "\(self)".contains("version \(version)")
    }
  }
}

extension PlaceReport {
  /// Whether the words say where it was cut or mended.
  var namesItsPart: Bool {
    switch self {
    case .unknownRoute: "\(self)".hasPrefix("unknown route: ")
    case .cut(let words), .mended(let words): words.contains("line ")
    default: false
    }
  }
}

extension String {
  /// Whether it can be printed on a terminal as one line.
  var isOneLine: Bool {
    !isEmpty
      && unicodeScalars.allSatisfy {
        ![.control, .format, .lineSeparator, .paragraphSeparator]
          .contains($0.properties.generalCategory)
      }
  }
}

extension SavedPlace<Place> {
  /// How many screens it has, and how deep its tabs stand in tabs.
  var size: (screens: Int, depth: Int) {
    func size(_ nodes: [Node]) -> (screens: Int, depth: Int) {
      nodes.reduce(into: (0, 1)) { sum, node in
        sum.0 += 1
        for tab in node.tabs {
          let inner = size(tab)
          sum = (sum.0 + inner.screens, max(sum.1, 1 + inner.depth))
        }
      }
    }
    return ([stack] + modals).map(size).reduce((0, 0)) {
      ($0.screens + $1.screens, max($0.depth, $1.depth))
    }
  }
}
