// Typed values in links.

/// A value that can stand in a link: whole numbers, texts, Booleans, and enumerations of strings.
///
/// ```swift
/// enum Format: String, LinkValue { case paper, audio }
/// ```
public protocol LinkValue: Sendable {
  /// What it is, for a message, such as "a whole number".
  static var linkDescription: String { get }
  /// Reads the value; nil if the text is none. The text has no percent codes any more.
  init?(linkText: String)
  /// The text that `init(linkText:)` reads as this value.
  var linkText: String { get }
}

extension Int: LinkValue {
  /// "a whole number that fits in 64 bits".
  public static var linkDescription: String { "a whole number that fits in \(Int.bitWidth) bits" }
  /// Reads digits, with a minus sign in front or none.
  public init?(linkText: String) {
    guard linkText.utf8.first != UInt8(ascii: "+") else { return nil }
    self.init(linkText)
  }
  /// The digits.
  public var linkText: String { "\(self)" }
}

extension String: LinkValue {
  /// "a text".
  public static var linkDescription: String { "a text" }
  /// Takes any text.
  public init?(linkText: String) { self = linkText }
  /// The text.
  public var linkText: String { self }
}

extension Bool: LinkValue {
  /// "true or false".
  public static var linkDescription: String { "true or false" }
  /// Reads the two words.
  public init?(linkText: String) { self.init(linkText) }
  /// The word.
  public var linkText: String { self ? "true" : "false" }
}

extension LinkValue where Self: RawRepresentable, RawValue == String {
  /// Names the type.
  public static var linkDescription: String { "a value of \(Self.self)" }
  /// Reads a raw value.
  public init?(linkText: String) { self.init(rawValue: linkText) }
  /// The raw value.
  public var linkText: String { rawValue }
}

extension LinkValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  /// The raw values.
  public static var linkDescription: String {
    "one of " + allCases.map(\.rawValue).joined(separator: ", ")
  }
}

/// A parameter of a pattern: its name, and the type of its value.
public struct LinkParameter<Value: Sendable>: Sendable {
  let name: String
  let expected: String
  let isOptional: Bool
  /// Nil is an item that is not there.
  let read: @Sendable (String?) -> Value?
  /// Nil leaves the item out.
  let write: @Sendable (Value) -> String?
}

extension LinkParameter where Value: LinkValue {
  /// A value that has to be there.
  public static func value(_ name: String, as type: Value.Type = Value.self) -> Self {
    LinkParameter(
      name: name, expected: Value.linkDescription, isOptional: false,
      read: { $0.flatMap(Value.init(linkText:)) }, write: \.linkText)
  }
}

extension LinkParameter {
  /// The value of a query item that may be left out.
  public static func optional<Wrapped: LinkValue>(
    _ name: String, as type: Wrapped.Type = Wrapped.self
  ) -> Self where Value == Wrapped? {
    LinkParameter(
      name: name, expected: Wrapped.linkDescription, isOptional: true,
      read: { text in
        guard let text else { return .some(nil) }
        return Wrapped(linkText: text).map { .some($0) }
      }, write: { $0?.linkText })
  }
}
