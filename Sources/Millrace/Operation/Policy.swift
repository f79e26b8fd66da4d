// What happens when an operation is asked for while one runs under the same key.

/// What to do when an operation is asked for under a key that is in use.
///
/// Keys live inside one flow instance: two flows of one type never disturb each other. A run
/// counts as in use until it has an outcome; deaf work that runs on after that holds nothing up.
public enum OperationPolicy: Sendable, Equatable {
  /// The newest wins: what runs or waits is cancelled as superseded.
  case latest
  /// The oldest wins: while one runs, the new one is refused and never begins.
  case first
  /// One after the other, in the order in which they were asked for.
  case queue
  /// At most this many at once, the rest in order. Values below 1 count as 1.
  case concurrent(Int)
  /// Begins when nothing was asked for during this time; then the newest wins.
  case debounce(Duration)
  /// Begins at once, then at most once in this time; of what was asked for meanwhile, the newest
  /// begins when the time is over.
  case throttle(Duration)
}

/// How long an operation may live.
public enum OperationLifetime: Sendable, Equatable {
  /// Until its flow ends.
  case flow
  /// While its flow is on display: cancelled when covered and, if it had no outcome then, started
  /// again when shown.
  case appearance
  /// Until its session is closed, whatever becomes of the flow; with no session, until the
  /// runtime is. What the flow gave to hear the answer is dropped when the flow ends.
  case session
}

/// Whether a joined answer is kept.
public struct JoinPolicy: Sendable, Equatable {
  let keepsSuccess: Bool

  /// The slot is free again as soon as the run has its outcome.
  public static let join = JoinPolicy(keepsSuccess: false)

  /// What to keep, see `join(keep:)`.
  public enum Keep: Sendable {
    /// The value of a run that succeeded. What failed or was cancelled is run again by the next caller.
    case success
  }

  /// A success answers later callers too, until the epoch ends or `FlowScope.invalidate`.
  public static func join(keep: Keep) -> JoinPolicy { JoinPolicy(keepsSuccess: true) }
}

/// A key for work that is shared by all who ask for it: one run per key and epoch (R17).
///
/// The value's type is part of the key.
public struct JoinKey<Value: Sendable>: Hashable, Sendable {
  /// The name of the work, for example `"refresh"`.
  public let name: String

  /// Makes a key.
  public init(_ name: String) { self.name = name }
}
