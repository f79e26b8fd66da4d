// How a flow ended. Total: there is no other way, and each flow ends once (R2).

/// How a flow ended.
///
/// The first cause that is applied wins; later ones are refused.
public enum Ending<Output: Sendable>: Sendable {
  /// The flow called `finish` with this value. It is also the last element of its outputs.
  case finished(Output)
  /// The user, or the owner through `dismiss()`, took it away.
  case dismissed
  /// Another flow took its place: in a `Slot`, or as a window's root.
  case replaced
  /// Its session was closed. Every flow of the closed epoch ends this way.
  case sessionEnded
  /// A flow above it ended, in any way.
  case ownerEnded
  /// The owner called `cancel()`.
  case cancelled
  /// An error left one of its task bodies, and nothing took it.
  case failed(any Error)

  /// The value of `finished`, or nil.
  public var output: Output? {
    if case .finished(let value) = self { value } else { nil }
  }

  /// The ending without its payload: comparable, printable, and the same for all flows.
  public var kind: EndingKind {
    switch self {
    case .finished: .finished
    case .dismissed: .dismissed
    case .replaced: .replaced
    case .sessionEnded: .sessionEnded
    case .ownerEnded: .ownerEnded
    case .cancelled: .cancelled
    case .failed: .failed
    }
  }
}

/// An `Ending` without its payload.
public enum EndingKind: String, Sendable, CaseIterable {
  /// The flow finished with a value.
  case finished
  /// It was dismissed, by the user or in code.
  case dismissed
  /// Another flow has taken its place.
  case replaced
  /// Its session was closed.
  case sessionEnded
  /// A flow above it ended, in any way.
  case ownerEnded
  /// The owner called `cancel()`.
  case cancelled
  /// An error left one of its task bodies, and nothing took it.
  case failed
}

/// The cause of an end as the tree knows it; `FlowNode` makes the typed `Ending` of it.
@usableFromInline
enum EndCause {
  case finished, dismissed, replaced, sessionEnded, ownerEnded, cancelled
  case failed(any Error)

  var kind: EndingKind {
    switch self {
    case .finished: .finished
    case .dismissed: .dismissed
    case .replaced: .replaced
    case .sessionEnded: .sessionEnded
    case .ownerEnded: .ownerEnded
    case .cancelled: .cancelled
    case .failed: .failed
    }
  }

  /// R11: what the owner has not read yet is dropped, unless the child itself came to its end.
  var keepsUnreadOutputs: Bool {
    switch self {
    case .finished, .failed: true
    case .dismissed, .replaced, .sessionEnded, .ownerEnded, .cancelled: false
    }
  }

  /// What the operations of a flow that ends this way are told.
  var operationCause: CancellationCause {
    switch self {
    case .sessionEnded: .sessionEnded
    case .ownerEnded: .ownerEnded
    case .finished, .dismissed, .replaced, .cancelled, .failed: .flowEnded
    }
  }
}
