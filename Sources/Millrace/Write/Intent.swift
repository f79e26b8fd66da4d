// The key of a write. Keeps R31: it follows the intent of the user, not the tap and not the body.

/// What the user means to do once.
///
/// Make one when the form opens, keep it in the form's state and in what is restored, and submit the
/// write with it however often the button is tapped: it is done once. What the user means to do again,
/// even the very same thing, needs a new one. Two are the same if their keys are so byte for byte, as for
/// a server.
public struct Intent: Hashable, Codable, Sendable, CustomStringConvertible {
  /// What the server tells writes apart by.
  public let key: String

  /// A new intent, with a random key of 128 bits.
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// A new intent with a key from this generator: for tests that are repeated exactly.
  public init(using generator: inout some RandomNumberGenerator) {
    let bits: [UInt64] = [generator.next(), generator.next()]
    key = bits.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The intent that goes by this key, for example one that a server names in a report.
  public init(key: String) { self.key = key }

  /// The key.
  public var description: String { key }

  /// Whether the keys are the same, byte for byte.
  public static func == (a: Intent, b: Intent) -> Bool { isSameText(a.key, b.key) }

  /// Feeds in the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// A remote write: an intent, and the body that was frozen for it.
public struct Write: Hashable, Codable, Sendable {
  /// Holds the key.
  public let intent: Intent
  /// What kind of write it is: the service goes by it, and traces show it.
  public let name: String
  /// The content, as it is sent, every time.
  public let body: [UInt8]

  /// Makes a write.
  public init(_ name: String, intent: Intent, body: [UInt8] = []) {
    self.name = name
    self.intent = intent
    self.body = body
  }
}
