// A book as the catalogue has it, and how it reads on one line of a screen: titles may hold line
// breaks or control characters, and authors may be missing.

/// A book of the catalogue.
package struct Book: Identifiable, Hashable, Sendable {
  /// The number a book has in the catalogue. Two books may share a title, never a number.
  package struct ID: Hashable, Comparable, Sendable {
    /// The number, 1 or more.
    package let number: Int

    /// Wraps a catalogue number.
    package init(_ number: Int) { self.number = number }

    package static func < (a: ID, b: ID) -> Bool { a.number < b.number }
  }

  package let id: ID
  /// The title as recorded: the first line, then subtitles, one a line.
  package let title: String
  /// The authors as recorded, such as "Carroll, Lewis, 1832-1898". Often empty.
  package let authors: [String]
  /// The day on which this edition was issued.
  package let issued: CalendarDate

  /// Makes a book from its four recorded fields.
  package init(id: ID, title: String, authors: [String], issued: CalendarDate) {
    self.id = id
    self.title = title
    self.authors = authors
    self.issued = issued
  }

  /// The title on one line: the lines joined by a colon, or a space after a line that already ends
  /// with a mark; anything that would move a terminal's cursor is left out.
  package var displayTitle: String {
    title.split(whereSeparator: \.isNewline).map(singleLine).filter { !$0.isEmpty }
      .reduce(into: "") { joined, line in
        if let last = joined.last { joined += last.isPunctuation ? " " : ": " }
        joined += line
      }
  }

  /// The authors on one line, without their years: "Carroll, Lewis"; "author unknown" without any.
  package var byline: String {
    let names = authors.map(authorName).filter { !$0.isEmpty }
    return names.isEmpty ? "author unknown" : names.joined(separator: "; ")
  }
}

extension Book.ID: ExpressibleByIntegerLiteral, CustomStringConvertible {
  package init(integerLiteral number: Int) { self.init(number) }
  package var description: String { "\(number)" }
}

extension Book.ID: Codable {
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Int.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

/// Text on one line: white space runs become one space, control and format characters go.
package func singleLine(_ text: some StringProtocol) -> String {
  var line = ""
  var pendingSpace = false
  for character in text {
    if character.isWhitespace {
      pendingSpace = !line.isEmpty
      continue
    }
    let visible = character.unicodeScalars.filter { !isInvisibleControl($0) }
    guard !visible.isEmpty else { continue }
    if pendingSpace {
      line.append(" ")
      pendingSpace = false
    }
    line.unicodeScalars.append(contentsOf: visible)
  }
  return line
}

/// Escape sequences, and the marks that reverse the direction of a line. Joiners inside emoji stay.
private func isInvisibleControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: true
  case .format: scalar != "\u{200D}"
  default: false
  }
}

/// "Wells, H. G. (Herbert George), 1866-1946 [Editor]" as "Wells, H. G. (Herbert George) [Editor]".
private func authorName(_ recorded: String) -> String {
  var parts = singleLine(recorded).split(separator: ", ", omittingEmptySubsequences: true)
  guard parts.count > 1, let last = parts.last, last.first?.isNumber == true else {
    return parts.joined(separator: ", ")
  }
  parts.removeLast()
  let role = last.firstIndex(of: "[").map { " " + last[$0...] } ?? ""
  return parts.joined(separator: ", ") + role
}
