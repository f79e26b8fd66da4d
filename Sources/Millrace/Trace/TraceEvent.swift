// What happened, as values with ids and names only: no payloads, so a trace can be kept and shown.

/// One thing that happened in a runtime.
public enum TraceEvent: Sendable, Equatable {
  /// A flow is in the tree.
  case flowStarted(FlowID, name: String, owner: FlowID?, presentation: Presentation)
  /// A flow has ended: the state step is done (R3).
  case flowEnded(FlowID, name: String, EndingKind)
  /// `willEnd`, stream end and `onEnding` of a flow have been told (R4).
  case flowTold(FlowID, name: String)
  /// An end begins: what is told until its `endApplied` belongs to it. Ends may nest. The flow is nil
  /// for the end of a session, a window or the runtime.
  case endBegan(FlowID?, name: String, EndingKind)
  /// The state step of the end that began last is done: all below has ended and is cancelled (R3).
  case endApplied(FlowID?, name: String)
  /// An output was accepted.
  case output(FlowID, name: String)
  /// Outputs that the owner had not read were dropped at the end of the flow (R11).
  case outputsDropped(FlowID, name: String, count: Int)
  /// A buffer was full; later outputs of this flow are refused.
  case overflow(FlowID, name: String, limit: Int)
  /// An operation was asked for.
  case operationStarted(OperationID, name: String, owner: FlowID?)
  /// An operation has its outcome.
  case operationEnded(OperationID, name: String, OutcomeKind)
  /// The task of an operation has really finished.
  case operationQuiet(OperationID, name: String)
  /// Something was refused. The name is that of the flow or operation.
  case refused(RefusalKind, name: String, flow: FlowID?, operation: OperationID?)
  /// The session state changed.
  case session(SessionState)
  /// An epoch was closed.
  case sessionClosed(Epoch, SignOutReason)
  /// A phase of a write was told.
  case write(Intent, name: String, WritePhase)
  /// The session store, the write journal, a revocation or a hand-over failed; nothing else follows from it.
  case problem(String)
  /// A command was given to a host.
  case command(HostCommand)
  /// A host's report was taken from the ingress queue.
  case report(HostReport)
  /// A flow ended before the host was asked to show it.
  case requestDropped(FlowID, EndingKind)
  /// The host has not answered this command within its limit.
  case hostTimeout(HostCommand)
  /// A gesture held up other requests for longer than the host limit, and counts as over.
  case gestureTimeout(FlowID)
  /// A navigation command was answered; one that was held is answered again when its turn comes.
  case navigated(NavigationCommand, CommandOrigin, CommandAnswer)
  /// A flow that ended is still in memory.
  case leak(FlowID, name: String, heldBy: [String])
}

/// How an operation came out, without its value.
public enum OutcomeKind: Sendable, Equatable {
  /// It answered.
  case succeeded
  /// It failed.
  case failed
  /// It was cancelled.
  case cancelled(CancellationCause)
}

/// Where trace events go.
///
/// A sink is called on the main actor, in the middle of the runtime's work: it takes the value
/// and returns. What it asks of the runtime meanwhile is done after that work.
@MainActor
public protocol TraceSink: AnyObject {
  /// Takes one event.
  func record(_ event: TraceEvent)
}

/// A sink that keeps the newest events in memory.
@MainActor
public final class TraceLog: TraceSink {
  /// The events kept, oldest first.
  public private(set) var events: [TraceEvent] = []
  /// How many events were dropped to stay within the limit.
  public private(set) var dropped = 0
  private let limit: Int

  /// Makes a log that keeps the newest `limit` events; at least one.
  public init(limit: Int = 10_000) { self.limit = max(1, limit) }

  /// Keeps the event; beyond twice the limit the oldest half goes.
  public func record(_ event: TraceEvent) {
    events.append(event)
    guard events.count >= 2 * limit else { return }
    dropped += events.count - limit
    events.removeFirst(events.count - limit)
  }

  /// The refusals among the events, oldest first.
  public var refusals: [TraceEvent] {
    events.filter { if case .refused = $0 { true } else { false } }
  }

  /// Forgets all events.
  public func clear() {
    events.removeAll()
    dropped = 0
  }
}
