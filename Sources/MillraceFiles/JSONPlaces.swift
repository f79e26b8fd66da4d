// Where in a JSON text something stands. The decoder tells the way to a value and no line, and of a text
// that is no JSON nothing at all: so the text is walked once more, when something is wrong with it. Of a
// member that is there twice it says nothing either.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A walk through a JSON text, to a value or to the first fault.
package struct JSONPlaces {
  /// Why a text is no JSON, and at which byte.
  package struct Fault: Error {
    package let offset: Int
    package let what: String

    /// Where that is, in the text that was asked about.
    package func position(in bytes: [UInt8]) -> TextPosition {
      TextPosition(ofByte: offset, in: bytes)
    }
  }

  private let bytes: [UInt8]
  private var index: Int
  /// The value that is looked for: the way to it, and where it was found.
  private let wanted: [any CodingKey]
  private var found: Int?
  /// The numbers that are no whole numbers of 64 bits.
  private var otherNumbers: [Int] = []
  /// The first escape such as `\ud800` that is half of a character.
  private var halfCharacter: Int?
  /// The first member that an object has twice.
  private var repeated: Fault?
  private var depth = 0

  /// How deep the decoder goes.
  private static let depthLimit = 512

  private init(_ bytes: [UInt8], from start: Int, wanted: [any CodingKey]) {
    self.bytes = bytes
    index = start
    self.wanted = wanted
  }

  // MARK: - Asking

  /// The byte at which a value begins, or the last value on the way to it that is there.
  package static func offset(of path: [any CodingKey], in bytes: [UInt8], from start: Int) -> Int? {
    var walk = JSONPlaces(bytes, from: start, wanted: path)
    do { try walk.text() } catch { return walk.found }
    return walk.found
  }

  /// What is wrong with the text: no JSON, no UTF-8, or numbers of another kind.
  ///
  /// - Parameters:
  ///   - wholeNumbers: whether a number that is no whole one of 64 bits is wrong.
  ///   - wholeCharacters: whether an escape that is half of a character is wrong.
  package static func fault(
    in bytes: [UInt8], from start: Int = 0, wholeNumbers: Bool = false,
    wholeCharacters: Bool = false
  ) -> Fault? {
    var walk = JSONPlaces(bytes, from: start, wanted: [])
    do throws(Fault) { try walk.text() } catch { return error }
    if let offset = firstByteThatIsNotUTF8(bytes) {
      return Fault(offset: offset, what: "this is not UTF-8")
    }
    if wholeCharacters, let offset = walk.halfCharacter {
      return Fault(
        offset: offset, what: "this escape is half of a character; the other half is missing")
    }
    guard wholeNumbers else { return nil }
    return walk.otherNumbers.first.map {
      Fault(offset: $0, what: "this number cannot be read: it should be a whole one of 64 bits")
    }
  }

  /// The first member that is there twice in its object: decoders take one of the two without a word.
  /// Nil also behind the first fault of a text that is no JSON.
  package static func repeatedMember(in bytes: [UInt8], from start: Int = 0) -> Fault? {
    var walk = JSONPlaces(bytes, from: start, wanted: [])
    try? walk.text()
    return walk.repeated
  }

  /// What kind of value begins at this byte.
  package static func kind(at offset: Int, in bytes: [UInt8]) -> String {
    guard offset < bytes.count else { return "nothing" }
    switch bytes[offset] {
    case UInt8(ascii: "{"): return "an object"
    case UInt8(ascii: "["): return "an array"
    case UInt8(ascii: "\""): return "a string"
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return "a boolean"
    case UInt8(ascii: "n"): return "null"
    default: return "a number"
    }
  }

  private static func firstByteThatIsNotUTF8(_ bytes: [UInt8]) -> Int? {
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let scalar): offset += scalar.count
      case .error: return offset
      case .emptyInput: return nil
      }
    }
  }

  // MARK: - Walking

  private mutating func text() throws(Fault) {
    try value(onWay: 0)
    skipSpace()
    if index < bytes.count { throw fault("nothing is expected after the end") }
  }

  private func fault(_ what: String) -> Fault {
    index < bytes.count
      ? Fault(offset: index, what: what)
      : Fault(offset: bytes.count, what: "the text ends too early")
  }

  private mutating func skipSpace() {
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next == byte else { return false }
    index += 1
    return true
  }

  /// Takes a value.
  ///
  /// - Parameter way: how many keys of the wanted way lead to it; nil beside the way.
  private mutating func value(onWay way: Int?) throws(Fault) {
    skipSpace()
    if way != nil { found = index }
    switch next {
    case UInt8(ascii: "{"): try members(onWay: way)
    case UInt8(ascii: "["): try elements(onWay: way)
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte): try number()
    default: throw fault("a value is expected here")
    }
  }

  private mutating func goDown() throws(Fault) {
    depth += 1
    guard depth <= Self.depthLimit else { throw fault("it is more than 512 levels deep") }
    index += 1
  }

  private mutating func members(onWay way: Int?) throws(Fault) {
    try goDown()
    defer { depth -= 1 }
    if take(UInt8(ascii: "}")) { return }
    var names: Set<String> = []
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw fault("a name in quotation marks is expected") }
      let start = index
      let name = try string()
      note(name, at: start, &names)
      guard take(UInt8(ascii: ":")) else { throw fault("a colon is expected after the name") }
      let leads = way.map { $0 < wanted.count && wanted[$0].stringValue == name } ?? false
      try value(onWay: leads ? way.map { $0 + 1 } : nil)
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw fault("a comma or } is expected") }
  }

  /// Notes a name of an object. Names that a decoder takes for the same are the same here.
  private mutating func note(_ name: String, at start: Int, _ names: inout Set<String>) {
    let plain =
      name.contains("\\")
      ? try? JSONDecoder().decode(String.self, from: Data("\"\(name)\"".utf8)) : name
    guard let plain, !names.insert(plain).inserted, repeated == nil else { return }
    repeated = Fault(
      offset: start, what: "the member \"\(legible(plain, most: 60))\" is there twice")
  }

  private mutating func elements(onWay way: Int?) throws(Fault) {
    try goDown()
    defer { depth -= 1 }
    if take(UInt8(ascii: "]")) { return }
    var number = 0
    repeat {
      let leads = way.map { $0 < wanted.count && wanted[$0].intValue == number } ?? false
      try value(onWay: leads ? way.map { $0 + 1 } : nil)
      number += 1
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw fault("a comma or ] is expected") }
  }

  /// Takes a string. Escapes stay as they are: no name that is looked for has any.
  private mutating func string() throws(Fault) -> String {
    let start = index
    index += 1
    // Where the first half of a character stands, if the second has to follow now.
    var half: Int?
    defer { note(half: half) }
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw fault("a control character has to be written as an escape") }
      let first = half
      half = nil
      var isWhole = false
      defer { if !isWhole { note(half: first) } }
      index += 1
      guard byte == UInt8(ascii: "\\") else { continue }
      guard let escaped = next else { break }
      guard #""\/bfnrtu"#.utf8.contains(escaped) else { throw fault("there is no such escape") }
      index += 1
      guard escaped == UInt8(ascii: "u") else { continue }
      switch try hexadecimalUnit() {
      case 0xD800..<0xDC00: half = index - 6
      case 0xDC00..<0xE000 where first != nil: isWhole = true
      case 0xDC00..<0xE000: note(half: index - 6)
      default: break
      }
    }
    guard next != nil else { throw Fault(offset: start, what: "this string does not end") }
    index += 1
    return String(decoding: bytes[(start + 1)..<(index - 1)], as: UTF8.self)
  }

  private mutating func note(half offset: Int?) { halfCharacter = halfCharacter ?? offset }

  private mutating func hexadecimalUnit() throws(Fault) -> Int {
    var unit = 0
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw fault("four hexadecimal digits are expected after \\u")
      }
      unit = unit << 4 | digit
      index += 1
    }
    return unit
  }

  private mutating func word(_ word: String) throws(Fault) {
    guard bytes[index...].starts(with: word.utf8) else { throw fault("a value is expected here") }
    index += word.utf8.count
  }

  private mutating func number() throws(Fault) {
    let start = index
    if next == UInt8(ascii: "-") { index += 1 }
    let first = next
    try digits()
    if first == UInt8(ascii: "0"), index - start > (bytes[start] == UInt8(ascii: "-") ? 2 : 1) {
      index = start
      throw fault("a number does not begin with a zero")
    }
    if next == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    if Int(String(decoding: bytes[start..<index], as: UTF8.self)) == nil {
      otherNumbers.append(start)
    }
  }

  private mutating func digits() throws(Fault) {
    guard let digit = next, (0x30...0x39).contains(digit) else {
      throw fault("a digit is expected here")
    }
    while let digit = next, (0x30...0x39).contains(digit) { index += 1 }
  }
}
