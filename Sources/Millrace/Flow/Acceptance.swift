// What becomes of a call that would act: it acts, or it is refused, counted and traced.
// A refusal never traps and never acts (design, section 1).

/// The answer to a call that would act.
public enum Acceptance: Sendable, Equatable {
  /// It took effect.
  case accepted
  /// It changed nothing.
  case refused(RefusalKind)

  /// True if it took effect.
  public var isAccepted: Bool { self == .accepted }
}

/// Why a call changed nothing. Each kind has a counter in `FlowRuntime.refusals`.
public enum RefusalKind: Int, Sendable, CaseIterable {
  /// `emit` on a scope whose flow has ended.
  case emitAfterEnd
  /// `finish`, `dismiss`, `cancel`, a report or an error that came after the flow had ended.
  case endAfterEnd
  /// A child that was to start under a flow that has ended.
  case startAfterEnd
  /// An operation, task or timer that was to start under a flow that has ended.
  case workAfterEnd
  /// A value or error of a run that is no longer the current one.
  case staleResult
  /// An output for a full buffer, or after the buffer had overflowed.
  case overflow
  /// A second reader for an output stream.
  case alreadyAttached
  /// An operation that was to start with policy `.first` while one runs under the same key, or a write
  /// whose intent runs, to be submitted or set going once more.
  case alreadyRunning
  /// A second answer to a `Reply`.
  case secondAnswer
  /// A host's report about a flow that is not on display, or never was.
  case unknownFlow
  /// Something that needs an open session, after its epoch was closed or without one.
  case noSession
  /// A window or runtime that is closed.
  case closed
  /// A flow that was built with a scope which is not its own.
  case foreignScope
  /// A `Slot` that already belongs to another flow.
  case foreignSlot
  /// A navigation command that changed nothing, see `CommandRefusal`.
  case commandRefused
  /// A request or command that was dropped because the flow that asked for it has ended.
  case requestDropped
  /// A button that an alert does not have.
  case unknownButton
  /// A write for a runtime that was made without `WriteOptions`.
  case noService
  /// A write whose intent stands for another name or body.
  case intentInUse
  /// A write whose intent has come to its end: to be submitted, withdrawn or tried again.
  case alreadySettled
  /// A write that was to be withdrawn after it was sent.
  case alreadySent
  /// An intent of which the session has no write.
  case unknownWrite
  /// A write that was to be withdrawn while its journal cannot be written: it would come back.
  case journalReadOnly
}

extension RefusalKind: CustomStringConvertible {
  /// The name of the case.
  public var description: String {
    switch self {
    case .emitAfterEnd: "emitAfterEnd"
    case .endAfterEnd: "endAfterEnd"
    case .startAfterEnd: "startAfterEnd"
    case .workAfterEnd: "workAfterEnd"
    case .staleResult: "staleResult"
    case .overflow: "overflow"
    case .alreadyAttached: "alreadyAttached"
    case .alreadyRunning: "alreadyRunning"
    case .secondAnswer: "secondAnswer"
    case .unknownFlow: "unknownFlow"
    case .noSession: "noSession"
    case .closed: "closed"
    case .foreignScope: "foreignScope"
    case .foreignSlot: "foreignSlot"
    case .commandRefused: "commandRefused"
    case .requestDropped: "requestDropped"
    case .unknownButton: "unknownButton"
    case .noService: "noService"
    case .intentInUse: "intentInUse"
    case .alreadySettled: "alreadySettled"
    case .alreadySent: "alreadySent"
    case .unknownWrite: "unknownWrite"
    case .journalReadOnly: "journalReadOnly"
    }
  }
}

/// Thrown to a task that asks a dead scope for something.
public struct Refused: Error, Sendable, Equatable, CustomStringConvertible {
  /// Why.
  public let kind: RefusalKind

  init(_ kind: RefusalKind) { self.kind = kind }

  /// What happened and what to do.
  public var description: String {
    "refused (\(kind)): the flow that this scope belongs to has ended; "
      + "return from the task, or check `scope.isCurrent` first"
  }
}
