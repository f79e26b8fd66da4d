// Why a catalogue cannot be used, as a value: what is wrong, in which record, and how to mend it.

import MillraceFiles

/// A catalogue that cannot be used.
package struct CatalogueError: Error, Equatable, Sendable {
  /// What was read: a path, or "the built-in catalogue".
  package let source: String
  package let problem: Problem

  /// Makes an error about `source`.
  package init(source: String, problem: Problem) {
    self.source = source
    self.problem = problem
  }

  /// What is wrong with it.
  package enum Problem: Equatable, Sendable {
    /// The file could not be read, for `reason`.
    case unreadable(reason: String)
    /// The file is larger than `limit` bytes.
    case tooLarge(limit: Int)
    /// There is nothing in the file.
    case noContent
    /// It is not JSON; `position` tells where reading stopped, if that is known.
    case notJSON(reason: String, position: TextPosition?)
    /// The outermost value is not an array.
    case notAnArray(found: JSONKind)
    /// The array has no records.
    case noBooks
    /// Records that cannot be taken as books, in order. Never empty.
    case faultyRecords([RecordFault])
    /// Numbers that come more than once.
    case duplicates(DuplicateBooks)
  }
}

/// One field of one record that cannot be used.
package struct RecordFault: Equatable, Sendable {
  /// The record's place in the array, counted from 0.
  package let index: Int
  /// The record's id and title, where they could be read.
  package let id: Int?
  package let title: String?
  /// The field, or nil when the record itself is of the wrong kind.
  package let field: String?
  package let complaint: Complaint

  /// Makes a fault of one field.
  package init(index: Int, id: Int?, title: String?, field: String?, complaint: Complaint) {
    self.index = index
    self.id = id
    self.title = title
    self.field = field
    self.complaint = complaint
  }

  /// What is wrong with the field.
  package enum Complaint: Equatable, Sendable {
    case missing
    case wrongKind(expected: String, found: JSONKind)
    case unusable(why: String)
  }
}

extension CatalogueError: CustomStringConvertible {
  /// What is wrong, with what, and where. May have several lines.
  package var description: String { "\(source): \(what)" }

  /// What to do about it.
  package var remedy: String {
    switch problem {
    case .unreadable: "Give the path of a file that exists and that you may read."
    case .tooLarge: "Give a smaller file."
    case .noContent, .noBooks: "Give at least one record, such as:\n\(CatalogueError.sampleRecord)"
    case .notJSON(_, .some): "Mend the text at that place; a JSON checker shows it."
    case .notJSON(_, nil): "Check the file with a JSON checker, and that it is saved as UTF-8."
    case .notAnArray: "Put the records between [ and ], separated by commas."
    case .faultyRecords: "Mend these records. One that can be read:\n\(CatalogueError.sampleRecord)"
    case .duplicates: "Give each book an id of its own, or take the second record out."
    }
  }

  private var what: String {
    switch problem {
    case .unreadable(let reason): "cannot be read: \(reason)"
    case .tooLarge(let limit): "is larger than \(limit / 1_048_576) MB, the most that is read"
    case .noContent: "is empty"
    case .notJSON(let reason, .some(let position)): "is not JSON: \(position): \(reason)"
    case .notJSON(let reason, nil): "is not JSON: \(reason)"
    case .notAnArray(let found): "must hold an array of books, but holds \(found)"
    case .noBooks: "holds no books"
    case .faultyRecords(let faults): listed(faults, as: \.description)
    case .duplicates(let duplicates): duplicates.description
    }
  }

  private static let sampleRecord =
    #"{"id": 11, "title": "A Title", "authors": ["Name, First"], "issued": "2008-06-27"}"#
}

extension RecordFault: CustomStringConvertible {
  package var description: String {
    let known = [id.map { "id \($0)" }, title.map { quoted(singleLine($0)) }].compactMap(\.self)
    let name = "record \(index + 1)" + (known.isEmpty ? "" : " (\(known.joined(separator: ", ")))")
    let subject = field.map { "\(name): \"\($0)\"" } ?? name
    switch complaint {
    case .missing: return "\(subject) is missing"
    case .wrongKind(let expected, let found):
      return "\(subject) must be \(expected), but is \(found)"
    case .unusable(let why): return "\(subject) \(why)"
    }
  }
}

/// A title in quotation marks, cut where it is long.
func quoted(_ title: String) -> String {
  title.count > 60 ? "\"\(title.prefix(57))...\"" : "\"\(title)\""
}

/// One item as it is; more of them one a line, five at most and then how many more.
func listed<Item>(_ items: [Item], as text: (Item) -> String) -> String {
  guard items.count > 1 else { return items.first.map(text) ?? "" }
  let shown = items.prefix(5).map { "\n  " + text($0) }.joined()
  let rest = items.count > 5 ? "\n  and \(items.count - 5) more" : ""
  return "\(items.count) faults:" + shown + rest
}
