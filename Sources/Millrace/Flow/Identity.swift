// Identities. Each is a number that a runtime gives out once and never again (R1): nothing in
// Millrace is compared by index, by type, by equal value or by account.

/// Names one flow instance of a runtime. A flow that is started again gets a new one.
public struct FlowID: Hashable, Sendable, CustomStringConvertible {
  /// The number itself, unique in its runtime.
  public let rawValue: UInt64

  /// Makes an identity from a number, for example one that a host read back from a report.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The number, as `#7`.
  public var description: String { "#\(rawValue)" }
}

/// Names one run of an operation. A run that is superseded or started again gets a new one.
public struct OperationID: Hashable, Sendable, CustomStringConvertible {
  /// The number itself, unique in its runtime.
  public let rawValue: UInt64

  /// Makes an identity from a number, for example one that was read back from a trace.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The number, as `@7`.
  public var description: String { "@\(rawValue)" }
}

/// Names one sign-in. Signing in again, also with the same account, makes a new epoch (R18).
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
  /// The number itself, unique in its runtime.
  public let rawValue: UInt64

  init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The number, as `epoch 7`.
  public var description: String { "epoch \(rawValue)" }
}

/// Whether two texts are the same byte for byte: `==` also takes those for the same that only look so.
func isSameText(_ a: String, _ b: String) -> Bool { a == b && a.utf8.elementsEqual(b.utf8) }
