// Where in a text something stands, for messages to people.

/// A place in a text, both counted from 1; the column counts characters.
package struct TextPosition: Equatable, Sendable, CustomStringConvertible {
  package let line: Int
  package let column: Int

  /// Makes a place.
  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The place of a byte; that of the end for one that is behind it.
  package init(ofByte offset: Int, in text: some BidirectionalCollection<UInt8>) {
    let before = text.prefix(max(0, offset))
    let lineStart = before.lastIndex(of: 0x0A).map(before.index(after:)) ?? before.startIndex
    line = 1 + before.count { $0 == 0x0A }
    column = 1 + String(decoding: before[lineStart...], as: UTF8.self).count
  }

  /// "line 3, column 14".
  package var description: String { "line \(line), column \(column)" }
}
