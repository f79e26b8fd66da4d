// What a flow can do about writes: submit, wait, watch, withdraw. Keeps R29: the write belongs to the
// session, the watching to the flow.

/// Thrown to one who waits for a write that does not come to the milestone.
public enum WriteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The submit was refused: nothing was begun.
  case refused(RefusalKind)
  /// There is no write of this intent in the session.
  case unknownIntent
  /// The write came to this end, for this reason.
  case ended(WritePhase, reason: String)

  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .refused(.alreadyRunning): "this intent runs already; wait for it with `phase(of:until:)`"
    case .refused(.alreadySettled):
      "this intent came to its end before; to do it again, make a new one"
    case .refused(.intentInUse): "this intent stands for another body; make a new one"
    case .refused(.noService):
      "the runtime was made without a service for writes; give it `WriteOptions`"
    case .refused(.noSession): "a write needs a session, and that of this flow is not open"
    case .refused(let kind): "the write was refused (\(kind))"
    case .unknownIntent: "this session has no write of this intent; submit it first"
    case .ended(let phase, ""): "the write was \(phase.rawValue)"
    case .ended(let phase, let reason): "the write was \(phase.rawValue): \(reason)"
    }
  }
}

extension FlowScope {
  /// Hands a write to the session: from now on it goes its way, whatever becomes of this flow. Also
  /// in `willEnd`.
  ///
  /// - Returns: at once, whether it was taken on; the phases tell what became of it. A second submit
  ///   of an intent begins nothing and is refused: as `alreadyRunning`, `alreadySettled`, or for another
  ///   body `intentInUse`. After the flow's end has been told, and without a session, it is refused too.
  @discardableResult
  public func submit(_ write: Write) -> Acceptance {
    if let held = heldBy, node.isRunning {
      let (core, node) = (core, node)
      held.hold(nil) { _ = core.submit(write, from: node) }
      return .accepted
    }
    let answer = core.submit(write, from: node)
    core.drain()
    return answer
  }

  /// Submits a write and waits until it has come to a milestone, inside a task of this flow.
  ///
  /// ```swift
  /// let entry = try await scope.write(loan, until: .accepted)
  /// ```
  ///
  /// - Returns: the write as it is then.
  /// - Throws: `WriteError.refused` before any suspension, if the submit was; `WriteError.ended` if
  ///   the write ends otherwise; `OperationCancelled` when the flow ends or the task is cancelled: that
  ///   ends the waiting only. `Refused` to a flow that has ended.
  public func write(_ write: Write, until milestone: WriteMilestone) async throws -> WriteEntry {
    guard node.isRunning else {
      core.refuse(.workAfterEnd, node)
      throw Refused(.workAfterEnd)
    }
    if case .refused(let kind) = submit(write) { throw WriteError.refused(kind) }
    return try await phase(of: write.intent, until: milestone)
  }

  /// Waits until a write that was submitted before has come to a milestone.
  ///
  /// - Returns: the write as it is then; at once if it has come so far.
  /// - Throws: as `write(_:until:)`; `WriteError.unknownIntent` if the session has no such write.
  public func phase(of intent: Intent, until milestone: WriteMilestone) async throws -> WriteEntry {
    guard node.isRunning else {
      core.refuse(.workAfterEnd, node)
      throw Refused(.workAfterEnd)
    }
    let watch = WriteWatch(intent, node)
    while true {
      guard let item = try await watch.item() else { throw WriteError.unknownIntent }
      if item.hasReached(milestone) { return WriteEntry(item) }
      if let last = item.told.last, last.isFinal {
        throw WriteError.ended(last, reason: item.reason)
      }
      try await watch.change(until: milestone)
    }
  }

  /// The phases of a write that was submitted before, those that were told already first.
  ///
  /// The stream ends after the last phase, with the flow, and at once if the session has no such write.
  /// As with `OutputStream.asyncStream`, a phase handed to it counts as read.
  public func watch(_ intent: Intent) -> AsyncStream<WritePhase> {
    let watch = WriteWatch(intent, node)
    return AsyncStream { await watch.next() }
  }

  /// Takes a write back that was not sent. It is told as `withdrawn` when the journal has forgotten it.
  ///
  /// - Returns: accepted if it will not go out; refused once it may have (`alreadySent`), when it came to
  ///   its end before that (`alreadySettled`), while the journal cannot forget it (`journalReadOnly`), and
  ///   after the flow's end. Before the journal was read it is accepted too: if an earlier process has
  ///   sent the write, its phases go on, without `withdrawn`.
  @discardableResult
  public func withdraw(_ intent: Intent) -> Acceptance {
    actOnLedger { $0.withdraw(intent, from: node) }
  }

  /// Sets a write going that is paused or waits for its next try.
  ///
  /// - Returns: accepted if this set it going; refused as `alreadyRunning` while it goes by itself, as
  ///   `alreadySettled` after its last phase, and after the flow's end.
  @discardableResult
  public func retry(_ intent: Intent) -> Acceptance {
    actOnLedger { $0.retry(intent, from: node) }
  }

  /// The writes of this flow's session, or nil when it is not the open one.
  public var writes: WriteLedger? { core.ledger(for: node)?.view }

  private func actOnLedger(_ act: (LedgerNode) -> Acceptance) -> Acceptance {
    guard node.isRunning else { return core.refuse(.workAfterEnd, node) }
    guard let ledger = core.ledger(for: node) else { return core.refuse(.noSession, node) }
    let answer = act(ledger)
    core.drain()
    return answer
  }
}

/// One watch of a write by a flow: how far it has read.
@MainActor
private final class WriteWatch {
  private let intent: Intent
  private let node: AnyFlowNode
  private var found: WriteItem?
  private var position = 0

  init(_ intent: Intent, _ node: AnyFlowNode) {
    self.intent = intent
    self.node = node
    found = node.core.ledger(for: node)?.items[intent]
  }

  /// The write, once the ledger was read; nil if there is none.
  func item() async throws -> WriteItem? {
    if let found { return found }
    if let held = node.heldBy {
      // So is what it submitted.
      let run = wait()
      held.hold(run) { run.accept(()) }
      try await run.take()
      found = node.core.ledger(for: node)?.items[intent]
      if let found { return found }
    }
    guard let ledger = node.core.ledger(for: node) else { return nil }
    found = ledger.items[intent]
    if found == nil, !ledger.isLoaded {
      let run = wait()
      ledger.load { if !run.isSettled { run.accept(()) } }
      try await run.take()
      found = node.core.ledger(for: node)?.items[intent]
    }
    return found
  }

  /// Waits until the write has come to the milestone, or is over; without one for the next phase.
  func change(until milestone: WriteMilestone? = nil) async throws {
    let run = wait()
    found?.add(run, until: milestone)
    try await run.take()
  }

  /// The next phase; nil after the last one, and when the flow has ended.
  func next() async -> WritePhase? {
    while node.isRunning, !Task.isCancelled {
      guard let item = try? await item(), node.isRunning else { return nil }
      if position < item.told.count {
        position += 1
        return item.told[position - 1]
      }
      if item.told.last?.isFinal ?? false { return nil }
      guard (try? await change()) != nil else { return nil }
    }
    return nil
  }

  private func wait() -> Operation<Void> {
    Operation(name: "watch \(intent)", owner: node, isForReader: true)
  }
}
