// Reads a catalogue from a file or from the copy built into the program. Each record is tried by
// itself, so that one error names every record that must be mended.

import Foundation
import MillraceFiles

extension Catalogue {
  /// Reads the catalogue that is built into the program.
  package static func builtIn() throws(CatalogueError) -> Catalogue {
    try Catalogue(json: Data(PackageResources.books_json), source: "the built-in catalogue")
  }

  /// Reads a file: a JSON array of records with `id`, `title`, `issued` and, optionally, `authors`.
  ///
  /// Blocks while it reads. At most 64 MB are read, so a device file does not read for ever.
  ///
  /// - Parameter onWait: called before it waits for somebody to write to a pipe with a name.
  package init(path: String, onWait: () -> Void = {}) throws(CatalogueError) {
    try self.init(json: try contents(ofFile: path, onWait: onWait), source: path)
  }

  /// Reads records from JSON text. `source` names it in errors.
  package init(json: Data, source: String) throws(CatalogueError) {
    func failure(_ problem: CatalogueError.Problem) -> CatalogueError {
      CatalogueError(source: source, problem: problem)
    }
    func notJSON() -> CatalogueError {
      let bytes = Array(json)
      guard let fault = JSONPlaces.fault(in: bytes) else {
        return failure(.notJSON(reason: "a value cannot be read", position: nil))
      }
      return failure(.notJSON(reason: fault.what, position: fault.position(in: bytes)))
    }
    guard json.contains(where: { !isJSONWhitespace($0) }) else { throw failure(.noContent) }
    // Strings that are not UTF-8 would come as values of no kind.
    guard String(validating: json, as: UTF8.self) != nil else { throw notJSON() }
    let records: [RecordAttempt]
    do {
      records = try JSONDecoder().decode([RecordAttempt].self, from: json)
    } catch {
      if case DecodingError.valueNotFound = error { throw failure(.notAnArray(found: .null)) }
      if let found = try? JSONDecoder().decode(JSONKind.self, from: json), found != .array {
        throw failure(.notAnArray(found: found))
      }
      throw notJSON()
    }
    guard !records.isEmpty else { throw failure(.noBooks) }
    let faults = records.enumerated().flatMap { index, record in record.faults(index: index) }
    guard faults.isEmpty else { throw failure(.faultyRecords(faults)) }
    do {
      try self.init(records.compactMap(\.book))
    } catch {
      throw failure(.duplicates(error))
    }
  }
}

/// The kinds of JSON values, as an error names them.
package enum JSONKind: String, Equatable, Sendable, Decodable, CustomStringConvertible {
  case null
  case boolean
  case number
  case string
  /// A string with an escape such as `\ud800`, which is half of a character.
  case brokenString = "string with half of a surrogate pair"
  case array
  case object

  package var description: String {
    switch self {
    case .null: "null"
    case .array, .object: "an \(rawValue)"
    case .boolean, .number, .string, .brokenString: "a \(rawValue)"
    }
  }

  package init(from decoder: any Decoder) throws {
    if (try? decoder.unkeyedContainer()) != nil {
      self = .array
    } else if (try? decoder.container(keyedBy: RecordAttempt.Field.self)) != nil {
      self = .object
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if (try? value.decode(Bool.self)) != nil {
        self = .boolean
      } else {
        do {
          _ = try value.decode(String.self)
          self = .string
        } catch is DecodingError {
          self = .number
        } catch {
          self = .brokenString
        }
      }
    }
  }
}

/// One record, read as far as it can be read.
private struct RecordAttempt: Decodable {
  enum Field: String, CodingKey {
    case id, title, authors, issued
  }

  private(set) var book: Book?
  private var id: Int?
  private var title: String?
  private var complaints: [(field: String?, complaint: RecordFault.Complaint)] = []

  init(from decoder: any Decoder) throws {
    guard let record = try? decoder.container(keyedBy: Field.self) else {
      let found = try JSONKind(from: decoder)
      complaints.append((nil, .wrongKind(expected: "an object", found: found)))
      return
    }
    id = value(.id, in: record, expected: "a whole number")
    title = value(.title, in: record, expected: "a string")
    let day: String? = value(.issued, in: record, expected: "a string")
    let authors: [String]? =
      isAbsent(.authors, in: record)
      ? [] : value(.authors, in: record, expected: "an array of strings")

    if let id, id < 1 { complain(.id, .unusable(why: "is \(id), but must be 1 or more")) }
    if let title, singleLine(title).isEmpty { complain(.title, .unusable(why: "is blank")) }
    let issued = day.flatMap { CalendarDate($0) }
    if let day, issued == nil {
      let why = "is \(quoted(singleLine(day))), but must be a day such as \"2008-06-27\""
      complain(.issued, .unusable(why: why))
    }
    if complaints.isEmpty, let id, let title, let authors, let issued {
      book = Book(id: Book.ID(id), title: title, authors: authors, issued: issued)
    }
  }

  func faults(index: Int) -> [RecordFault] {
    complaints.map {
      RecordFault(index: index, id: id, title: title, field: $0.field, complaint: $0.complaint)
    }
  }

  private mutating func value<Value: Decodable>(
    _ field: Field, in record: KeyedDecodingContainer<Field>, expected: String
  ) -> Value? {
    guard record.contains(field) else {
      complain(field, .missing)
      return nil
    }
    if let value = try? record.decode(Value.self, forKey: field) { return value }
    let found = (try? record.decode(JSONKind.self, forKey: field)) ?? .number
    switch found {
    case .number where Value.self == Int.self:
      complain(field, .unusable(why: "must be a whole number that fits in 64 bits"))
    case .array:
      complain(field, .unusable(why: "must hold nothing but strings"))
    default:
      complain(field, .wrongKind(expected: expected, found: found))
    }
    return nil
  }

  private func isAbsent(_ field: Field, in record: KeyedDecodingContainer<Field>) -> Bool {
    !record.contains(field) || (try? record.decodeNil(forKey: field)) == true
  }

  private mutating func complain(_ field: Field, _ complaint: RecordFault.Complaint) {
    complaints.append((field.rawValue, complaint))
  }
}
