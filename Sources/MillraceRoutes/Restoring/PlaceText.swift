// The text of a saved place, for what is said of it: where something stands, and what it should be.

import MillraceFiles

/// The bytes of a place, and where its JSON begins among them.
struct PlaceText {
  let bytes: [UInt8]
  let start: Int

  /// What is wrong with the text as a whole: it is no JSON.
  var fault: String {
    jsonFault.map(words) ?? "it is not JSON"
  }

  /// The member that is there twice, if there is one.
  var repeatedMember: String? {
    JSONPlaces.repeatedMember(in: bytes, from: start).map(words)
  }

  private func words(_ fault: JSONPlaces.Fault) -> String {
    "\(fault.position(in: bytes)): \(fault.what)"
  }

  private var jsonFault: JSONPlaces.Fault? {
    JSONPlaces.fault(in: bytes, from: start, wholeNumbers: true, wholeCharacters: true)
  }

  /// Where a value stands, or what should hold it: "line 1, column 45: stack[0].route".
  func place(of path: [any CodingKey]) -> String {
    let offset = JSONPlaces.offset(of: path, in: bytes, from: start) ?? start
    return "\(TextPosition(ofByte: offset, in: bytes)): \(Self.words(path))"
  }

  /// What a decoder's error says, where it stands, and what is expected there.
  ///
  /// - Parameter path: where it was met, for an error that does not say.
  func words(_ error: any Error, at path: [any CodingKey] = []) -> String {
    switch error {
    case DecodingError.typeMismatch(let type, let context):
      return expected(Self.name(of: type), context.codingPath)
    case DecodingError.valueNotFound(let type, let context):
      return expected(Self.name(of: type), context.codingPath)
    case DecodingError.keyNotFound(let key, let context):
      return "\(place(of: context.codingPath)) lacks its member \(quoted(key.stringValue))"
    case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
      return "\(place(of: context.codingPath)) cannot be read: \(quoted(context.debugDescription))"
    default:
      // No JSON, or a number of another kind: of these the decoder tells no place.
      return path.isEmpty || jsonFault != nil ? fault : "\(place(of: path)) cannot be read"
    }
  }

  private func expected(_ what: String, _ path: [any CodingKey]) -> String {
    let offset = JSONPlaces.offset(of: path, in: bytes, from: start) ?? start
    let found = JSONPlaces.kind(at: offset, in: bytes)
    return "\(place(of: path)) must be \(what), but is \(what == found ? "another one" : found)"
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any FixedWidthInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [Any].Type: "an array"
    case is [String: Any].Type: "an object"
    case is any Route.Type: #"an object with the name of one route, such as {"home": {}}"#
    default: "a value of \(type)"
    }
  }

  /// A way as it is written in programs.
  private static func words(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "the place" }
    var words = ""
    for key in path {
      guard words.utf8.count < 300 else { return words + "…" }
      if let index = key.intValue {
        words += "[\(index)]"
      } else {
        let name = key.stringValue
        let isPlain =
          name.utf8.count <= 40 && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        words += (words.isEmpty ? "" : ".") + (isPlain ? name : quoted(name))
      }
    }
    return words
  }
}
