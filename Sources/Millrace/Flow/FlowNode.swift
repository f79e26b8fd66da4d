// The typed part of a flow's node: who listens, and the flow itself. Keeps R9 to R11.
//
// Only what every flow needs stands here, and nothing whose size depends on the output type: each
// such type that code outside a specialization touches is looked up at run time. What waits to be
// heard is in a `Mailbox`, made when the first value has to wait, and kept.

/// What a scope holds: a node that takes outputs.
@MainActor @usableFromInline
class OutputNode<Output: Sendable>: AnyFlowNode {
  // What the owner listens with. All of it was given by the owner.
  private final var onOutput: (@MainActor (Output) -> Void)?
  private final var onOverflow: (@MainActor () -> Void)?
  private final var onEnding: (@MainActor (Ending<Output>) -> Void)?
  private final let limit: Int
  private final var mailbox: Mailbox<Output>?

  /// Required, so that the type can be handed in by who knows it.
  required init(
    core: RuntimeCore, parent: Owner?, presentation: Presentation = .inline,
    window: WindowOwner? = nil, session: SessionOwner? = nil, limit: Int,
    onOutput: (@MainActor (Output) -> Void)?, onOverflow: (@MainActor () -> Void)?,
    onEnding: (@MainActor (Ending<Output>) -> Void)?
  ) {
    self.onOutput = onOutput
    self.onOverflow = onOverflow
    self.onEnding = onEnding
    self.limit = max(1, limit)
    super.init(
      core: core, parent: parent, presentation: presentation, window: window, session: session)
  }

  final var hasListener: Bool { onOutput != nil }
  final override var hasReader: Bool { mailbox?.attachment != nil }

  /// Where values wait; made on first use.
  final func openMailbox() -> Mailbox<Output> {
    if let mailbox { return mailbox }
    let made = Mailbox<Output>()
    mailbox = made
    return made
  }

  // MARK: - Sending

  final func emit(_ value: Output) -> Acceptance {
    guard isRunning else { return core.refuse(.emitAfterEnd, self) }
    if let onOutput, core.turnDepth == 0, mailbox?.isIdle ?? true, !isStarting {
      trace { .output($0, name: $1) }
      core.outputsDelivered += 1
      core.turnDepth = 1
      onOutput(value)
      core.turnDepth = 0
      if !core.due.isEmpty { core.drain() }
      return .accepted
    }
    return emitThroughMailbox(value)
  }

  private final func emitThroughMailbox(_ value: Output) -> Acceptance {
    let mailbox = openMailbox()
    guard !mailbox.hasOverflowed else { return core.refuse(.overflow, self) }
    guard mailbox.count < limit else { return overflow(mailbox) }
    trace { .output($0, name: $1) }
    mailbox.append(value)
    announce(mailbox)
    return .accepted
  }

  final func finish(_ value: Output) -> Acceptance {
    guard isRunning else { return core.refuse(.endAfterEnd, self) }
    trace { .output($0, name: $1) }
    let mailbox = openMailbox()
    mailbox.finish(value)
    if hasListener { queueOutput() }
    core.end(self, .finished)
    core.drain()
    return .accepted
  }

  private final func overflow(_ mailbox: Mailbox<Output>) -> Acceptance {
    mailbox.overflow()
    trace { .overflow($0, name: $1, limit: limit) }
    announce(mailbox)
    return core.refuse(.overflow, self)
  }

  /// Something waits in the mailbox: the closure gets it in a delivery, the reader in its own step.
  private final func announce(_ mailbox: Mailbox<Output>) {
    guard hasListener else { return mailbox.wakeReader() }
    queueOutput()
    core.drain()
  }

  private final func queueOutput() {
    if isStarting || deferredCount > 0 {
      deferredCount += 1
      core.deliverInNextJob(.output(self))
    } else {
      core.due.append(.output(self))
    }
  }

  // MARK: - Hearing

  override final func deliverOutput() {
    guard let mailbox else { return }
    guard let parent, parent.isRunning, let onOutput else { return dropUnread(.ownerEnded) }
    if mailbox.takeOverflow() {
      onOverflow?()
    } else if let letter = mailbox.take() {
      core.outputsDelivered += 1
      onOutput(letter.value)
    }
  }

  /// The ending, as the owner sees it once `isFinished`.
  @inlinable
  final func ending(for owner: Owner) -> Ending<Output> {
    if owner.isRunning { return ending }
    if case .sessionEnded = owner.causeOfEnd { return .sessionEnded }
    return .ownerEnded
  }

  /// The ending, once the state step is done. Compiled into who knows its type, where it can be.
  @inlinable
  final var ending: Ending<Output> {
    switch causeOfEnd {
    case .finished: finalLetter.map { .finished($0.value) } ?? .cancelled
    case .dismissed: .dismissed
    case .replaced: .replaced
    case .sessionEnded: .sessionEnded
    case .ownerEnded: .ownerEnded
    case .failed(let error): .failed(error)
    case .cancelled, nil: .cancelled
    }
  }

  /// The value of `finish`.
  @usableFromInline final var finalLetter: Letter<Output>? { mailbox?.final }

  // MARK: - Ending

  override final func dropUnread(_ cause: EndCause) {
    guard let mailbox, !cause.keepsUnreadOutputs else { return }
    let count = mailbox.drop()
    guard count > 0 else { return }
    core.outputsDropped += count
    trace { .outputsDropped($0, name: $1, count: count) }
  }

  override final func releaseHandlers() {
    onOutput = nil
    onOverflow = nil
    onEnding = nil
  }

  override final func wakeReader() { mailbox?.wakeReader() }

  override final func tellOwner() {
    let onEnding = onEnding
    releaseHandlers()
    if let onEnding, let parent, parent.isRunning { tellEnding(onEnding) }
  }

  /// Kept apart: it needs the type of the ending.
  @inline(never)
  private final func tellEnding(_ onEnding: (Ending<Output>) -> Void) { onEnding(ending) }
}

/// The node of a flow of this type.
@MainActor @usableFromInline
final class FlowNode<F: Flow>: OutputNode<F.Output> {
  @usableFromInline typealias EndTeller = @MainActor (F, OutputNode<F.Output>) -> Void

  var flow: F?
  /// How the flow is told its end, from where the type of that is known; nil where it is not.
  var endTeller: EndTeller?

  override var name: String { String(describing: F.self) }
  override var anyFlow: (any Flow)? { flow }
  override func tellFlow() {
    guard let flow else { return }
    if let endTeller { endTeller(flow, self) } else { tellUnknown(flow) }
  }

  /// Kept apart: it looks up the type of the ending.
  @inline(never)
  private func tellUnknown(_ flow: F) { flow.willEnd(ending) }

  override func releaseFlow() { flow = nil }
}
