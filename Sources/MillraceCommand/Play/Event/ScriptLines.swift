// The lines of a script, one at a time from a file or a pipe. A line that is too long, or not UTF-8,
// is a fault of that line, and the next one is read all the same.

import Foundation
import LibraryApp

/// A line of a script, without its end, or what keeps it from being one.
package struct ScriptLine {
  /// Its number, from 1.
  package let number: Int
  package let text: Result<String, LineFault>
}

/// Reads lines. Holds no more than one line, and one part of what is read, in memory.
package struct ScriptLines {
  /// The most bytes that a line may have.
  package static let limit = 65_536

  private let read: (Int) throws -> Data?
  private var rest = Data()
  private var isAtEnd = false
  private var number = 0

  /// - Parameter read: gives at most so many bytes, none or nil at the end.
  package init(_ read: @escaping (Int) throws -> Data?) { self.read = read }

  /// The next line that is not blank; nil at the end.
  ///
  /// - Throws: what reading throws.
  package mutating func next() throws -> ScriptLine? {
    while let bytes = try nextBytes() {
      number += 1
      let text = Self.text(of: bytes, isFirst: number == 1)
      if case .success(let text) = text, text.allSatisfy(\.isWhitespace) { continue }
      return ScriptLine(number: number, text: text)
    }
    return nil
  }

  /// The bytes of a line; more than the limit stand for a line that is too long.
  private mutating func nextBytes() throws -> Data? {
    var line = Data()
    var hasLine = false
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        Self.append(rest[..<end], to: &line)
        rest = rest[(end + 1)...]
        return line
      }
      hasLine = hasLine || !rest.isEmpty
      Self.append(rest, to: &line)
      rest = Data()
      if isAtEnd { return hasLine ? line : nil }
      rest = try read(Self.limit) ?? Data()
      isAtEnd = rest.isEmpty
    }
  }

  private static func append(_ part: Data, to line: inout Data) {
    line.append(part.prefix(limit + 2 - min(line.count, limit + 2)))
  }

  private static func text(of bytes: Data, isFirst: Bool) -> Result<String, LineFault> {
    var bytes = bytes
    if bytes.last == 0x0D { bytes = bytes.dropLast() }
    if isFirst, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = Data(bytes.dropFirst(3)) }
    guard bytes.count <= limit else {
      return .failure(
        LineFault(
          what: "is longer than \(limit) bytes, the most that is read",
          remedy: "Make it shorter; an event has one line."))
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      return .failure(LineFault(what: "is not UTF-8", remedy: "Save the script as UTF-8."))
    }
    return .success(text)
  }
}
