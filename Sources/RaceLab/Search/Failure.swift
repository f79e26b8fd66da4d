// What went wrong in a run, in a form that can be compared between runs.

/// A fault that a run showed.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of fault it is.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// The scenario threw an error.
    case thrown
    /// A condition of ``Lab/require(_:_:file:line:)`` was false.
    case requirement
    /// A condition of ``Lab/always(_:_:)`` was false after a step.
    case invariant
    /// Nothing was left to run, and the scenario had not ended.
    case deadlock
    /// The run did not end.
    case endless
    /// Work outside the lab did not come back, or a call came from outside it.
    case outside
    /// An object lived longer than it should.
    case notFreed
    /// A value was accepted that was not the current one; see
    /// ``Lab/neverStale(_:accepted:current:)``.
    case stale
    /// A value was sent to a stream that had been finished.
    case emitAfterFinish
    /// A stream was finished twice.
    case doubleFinish
    /// A task outlived its owner.
    case notEnded
    /// Tasks were still suspended at the end.
    case leftovers
    /// A test library recorded an issue.
    case issue
    /// The process ended.
    case crash
  }

  /// What kind of fault it is.
  public let kind: Kind
  /// What happened, for a person.
  public let message: String

  /// A fault of that kind.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  init(thrown error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as LabError: self.init(error)
    default: self.init(.thrown, "\(type(of: error)): \(error)")
    }
  }

  init(_ error: LabError) {
    let kind: Kind =
      switch error {
      case .deadlock: .deadlock
      case .stepLimit: .endless
      case .invariant: .invariant
      case .notFreed: .notFreed
      case .leftovers: .leftovers
      case .stale: .stale
      case .notEnded: .notEnded
      case .outside, .notInLab, .noThread, .uncontrolled, .ended: .outside
      }
    self.init(kind, error.description)
  }

  /// The kind and the message.
  public var description: String { "\(kind.rawValue): \(message)" }

  /// Whether two runs show the same fault: numbers in the message may differ.
  func isSame(as other: Failure) -> Bool {
    kind == other.kind
      && message.filter { !$0.isNumber } == other.message.filter { !$0.isNumber }
  }
}
