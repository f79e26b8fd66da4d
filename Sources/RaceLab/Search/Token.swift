// A token: one run of a scenario in a few letters. It holds the decisions that were not the plain
// ones, and a check sum of the run's course.

/// Names one run of a scenario, in this process or another.
///
/// Written, it looks like `rl1-BAAIAQcCBdq4…`: the version, and then in base 64 a hash of the
/// scenario's name, the number of decisions that deviated from the plain order, each with its
/// place, kind, number of ways, and the way taken, and last a hash of the steps.
public struct Token: Hashable, Sendable, CustomStringConvertible {
  /// Hash of the scenario's name, shortened to 16 bits.
  let scenario: UInt16
  private(set) var deviations: [Deviation]
  /// Hash of the course of the run, shortened.
  private(set) var hash: UInt32

  private static let prefix = "rl1-"
  /// More than this no run has; a longer list is damage, not a token.
  private static let limit = 100_000

  init(scenario: String, trace: Trace) {
    self.scenario = Token.hash(of: scenario)
    deviations = trace.deviations
    hash = UInt32(truncatingIfNeeded: trace.hash)
  }

  init(scenario: String, deviations: [Deviation], hash: UInt32) {
    self.scenario = Token.hash(of: scenario)
    self.deviations = deviations
    self.hash = hash
  }

  /// Number of decisions in it that deviate from the plain order.
  public var deviationCount: Int { deviations.count }

  /// The token without one of its decisions, and without the check of the course: for those who
  /// shrink a run that ends its process. `number` is from zero up to ``deviationCount``.
  public func dropping(_ number: Int) -> Token {
    var rest = self
    guard deviations.indices.contains(number) else { return rest }
    rest.deviations.remove(at: number)
    rest.hash = 0
    return rest
  }

  /// Whether it was made for the scenario of that name. Another name may match by chance, once in
  /// 65,536.
  public func fits(scenario name: String) -> Bool { Token.hash(of: name) == scenario }

  private static func hash(of name: String) -> UInt16 {
    var trace = Trace()
    for byte in name.utf8 { trace.mix(UInt64(byte)) }
    return UInt16(truncatingIfNeeded: trace.hash ^ (trace.hash >> 32))
  }

  /// The token as text: letters, digits, `-` and `_`.
  public var description: String {
    var bytes: [UInt8] = []
    func put(_ value: Int) {
      var rest = UInt64(value)
      while rest >= 0x80 {
        bytes.append(UInt8(rest & 0x7f) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
    for shift in [0, 8] { bytes.append(UInt8(truncatingIfNeeded: scenario >> shift)) }
    put(deviations.count)
    var last = 0
    for deviation in deviations {
      put((deviation.index - last) * 3 + Int(deviation.pick.kind.rawValue))
      put(Int(deviation.pick.count))
      put(Int(deviation.pick.value))
      last = deviation.index
    }
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: hash >> shift)) }
    return Token.prefix + Base64.encode(bytes)
  }

  /// Reads a token; spaces and line breaks around it do not matter.
  /// - Throws: ``TokenError``, which says what is wrong with it.
  public init(_ text: some StringProtocol) throws(TokenError) {
    let trimmed = text.drop { $0.isWhitespace }
    let word = trimmed.prefix { !$0.isWhitespace }
    guard trimmed.dropFirst(word.count).allSatisfy(\.isWhitespace) else {
      throw TokenError.damaged("it has a space in it")
    }
    guard word.hasPrefix(Token.prefix) else { throw TokenError.notAToken }
    guard let bytes = Base64.decode(word.dropFirst(Token.prefix.count).utf8) else {
      throw TokenError.damaged("it has a character that no token has")
    }
    guard bytes.count >= 2 else { throw TokenError.damaged("it is cut off") }
    scenario = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    var position = 2
    func take() throws(TokenError) -> Int {
      var value: UInt64 = 0
      for shift in stride(from: UInt64(0), to: 35, by: 7) {
        guard position < bytes.count else { throw TokenError.damaged("it is cut off") }
        let byte = bytes[position]
        position += 1
        value |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return Int(value) }
      }
      throw TokenError.damaged("a number in it is too large")
    }
    let count = try take()
    guard count <= Token.limit else { throw TokenError.damaged("a number in it is too large") }
    var deviations: [Deviation] = []
    var last = 0
    for number in 0..<count {
      let place = try take()
      let ways = try take()
      let value = try take()
      guard let kind = ChoiceKind(rawValue: UInt8(place % 3)), number == 0 || place >= 3,
        (2...Int(UInt16.max)).contains(ways), (1..<ways).contains(value)
      else { throw TokenError.damaged("a decision in it cannot be") }
      last += place / 3
      deviations.append(
        Deviation(
          index: last, pick: Pick(kind: kind, count: UInt16(ways), value: UInt16(value))))
    }
    guard bytes.count == position + 4 else {
      throw TokenError.damaged(bytes.count < position + 4 ? "it is cut off" : "it is too long")
    }
    self.deviations = deviations
    hash = [0, 8, 16, 24].reduce(0) { hash, shift in
      hash | UInt32(bytes[position + shift / 8]) << UInt32(shift)
    }
  }
}

/// Why a text is no token.
public enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It does not begin as tokens do.
  case notAToken
  /// It begins like one, and then something is wrong.
  case damaged(String)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .notAToken: "Not a token: tokens begin with rl1-. Copy the whole word from the report."
    case .damaged(let what): "Damaged token: \(what). Copy the whole word from the report."
    }
  }
}

/// Base 64 with letters that no shell and no URL minds, without padding.
enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [Int] = {
    var values = Array(repeating: -1, count: 256)
    for (value, letter) in letters.enumerated() { values[Int(letter)] = value }
    return values
  }()

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var bits = 0
    var count = 0
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xffff
      count += 8
      while count >= 6 {
        count -= 6
        text.append(letters[bits >> count & 63])
      }
    }
    if count > 0 { text.append(letters[bits << (6 - count) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for letter in text {
      let value = values[Int(letter)]
      guard value >= 0 else { return nil }
      bits = (bits << 6 | value) & 0xffff
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }
}
