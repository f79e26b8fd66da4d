// What is written to a terminal, read by a small terminal: the text on its screen is that of the grid.

import Millrace
import MillraceCommand
import Testing

@Suite struct GridEscapesTests {
  /// Reads places and text, and nothing else of a terminal.
  private struct Screen {
    var rows: [[String]]
    var row = 0
    var column = 0

    init(width: Int, height: Int) {
      rows = Array(repeating: Array(repeating: " ", count: width), count: height)
    }

    mutating func write(_ text: String) {
      var rest = Substring(text)
      while let character = rest.popFirst() {
        if character == "\u{1B}", rest.popFirst() == "[" {
          let digits = rest.prefix { $0.isNumber || $0 == ";" }
          rest = rest.dropFirst(digits.count)
          sequence(rest.popFirst(), digits.split(separator: ";").compactMap { Int($0) })
        } else {
          let cells = String(character).cells
          rows[row][column] = String(character)
          if cells == 2 { rows[row][column + 1] = "" }
          column += cells
        }
      }
    }

    private mutating func sequence(_ kind: Character?, _ numbers: [Int]) {
      switch kind {
      case "H": (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
      case "J": for row in rows.indices { rows[row] = rows[row].map { _ in " " } }
      case "m": break
      default: Issue.record("an escape sequence that is not expected: \(String(describing: kind))")
      }
    }

    /// Without the last cell, which is never written.
    var text: [String] {
      rows.enumerated().map { number, row in
        (number == rows.count - 1 ? row.dropLast() : row[...]).joined()
      }
    }
  }

  private func picture(_ title: String, items: [String]) -> Grid {
    let screen = Picture.Screen(path: [title], items: items.map { PageText(.text, $0) }, cursor: 0)
    return Picture(layers: [.init(.root, screen)], message: "日 message").drawn(width: 30, height: 9)
  }

  // Prevents: a row that is not written though it changed, or is written at another place.
  @Test func frames_addUpToTheGrid() {
    let frames = [
      picture("Catalogue", items: ["Alice", "Emma"]), picture("図書館", items: ["日本語の本", "e\u{301}"]),
      picture("図書館", items: ["日本語の本", "🎉 Emma"]), picture("", items: []),
      picture("Catalogue", items: ["\u{1B}[2J\u{9B}2J", "\u{202E}abc", "x"]),
    ]
    var screen = Screen(width: 30, height: 9)
    var last: Grid?
    for (index, frame) in frames.enumerated() {
      screen.write(frame.escapes(since: last, hasColour: index.isMultiple(of: 2)))
      last = frame
      let wanted = frame.rows.enumerated().map { number, row in
        (number == 8 ? row.dropLast() : row[...]).map(\.text).joined()
      }
      #expect(screen.text == wanted)
    }
    #expect(last?.escapes(since: last, hasColour: true) == "")
  }
}
