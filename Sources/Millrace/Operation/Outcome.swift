// How an operation came out. Cancellation is an outcome of its own with a cause, never an error
// that is shown (R16).

/// How an operation came out.
public enum Outcome<Value: Sendable>: Sendable {
  /// It answered, and the answer was accepted.
  case succeeded(Value)
  /// It threw, or its time limit passed (`OperationTimedOut`).
  case failed(any Error)
  /// It was cancelled, or never began.
  case cancelled(CancellationCause)

  /// The value, or nil.
  public var value: Value? { if case .succeeded(let value) = self { value } else { nil } }

  /// The error of a failure, or nil.
  public var error: (any Error)? { if case .failed(let error) = self { error } else { nil } }

  /// The cause of a cancellation, or nil.
  public var cancellation: CancellationCause? {
    if case .cancelled(let cause) = self { cause } else { nil }
  }
}

/// Why an operation was cancelled.
public enum CancellationCause: String, Sendable, CaseIterable {
  /// A newer run under the same key took its place.
  case superseded
  /// `cancel()` was called, or the task that waited for it was cancelled.
  case requested
  /// Its flow ended.
  case flowEnded
  /// A flow above its flow ended.
  case ownerEnded
  /// Its session was closed.
  case sessionEnded
  /// Its flow was covered, and its lifetime is `.appearance`.
  case covered
  /// A run under the same key was there first (policy `.first`).
  case alreadyRunning
  /// The last one who waited for this joined run left.
  case noWaiter
  /// It was refused: the flow had ended before it was asked for.
  case refused
}

/// Thrown to a task that waits for an operation which was cancelled.
public struct OperationCancelled: Error, Sendable, Equatable, CustomStringConvertible {
  /// Why it was cancelled.
  public let cause: CancellationCause

  /// Makes the error. Apps need this in tests only.
  public init(_ cause: CancellationCause) { self.cause = cause }

  /// The cause in words.
  public var description: String { "the operation was cancelled: \(cause.rawValue)" }
}

/// The failure of an operation whose time limit passed. Its task was cancelled; if it does not
/// listen, it runs on unheard.
public struct OperationTimedOut: Error, Sendable, Equatable, CustomStringConvertible {
  /// The limit that passed.
  public let limit: Duration

  /// Makes the error. Apps need this in tests only.
  public init(limit: Duration) { self.limit = limit }

  /// The limit in words.
  public var description: String { "no answer within \(limit)" }
}
