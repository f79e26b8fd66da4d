// The node of a flow: its object, its mailbox and those who listen. Keeps R4 and R9 to R12.
//
// Outputs go to the owner's closure, or wait in the mailbox for the one reader. Both take from
// the same bounded buffer, so there is one order and one meaning of overflow. A reader that is
// resumed carries no value: it takes one after it has checked (R15).

/// What does not depend on the output type.
@MainActor
class AnyFlowNode: Owner {
  final let type: Any.Type
  final let presentation: Presentation
  final let window: WindowOwner?
  final let sessionOwner: SessionOwner?
  final var flow: (any Flow)?
  final var isStarting = true
  final var isOnDisplay = false
  final var isCovered = false
  /// How many of its outputs wait for the next main-actor job.
  final var deferredCount = 0
  final var reader: CheckedContinuation<Void, Never>?
  final var endingWaiters: [CheckedContinuation<Void, Never>] = []
  /// The one reader, if there is one. Weak: a reader that is gone makes room for the next.
  final weak var attachment: Attachment?
  /// The view that was made for this flow (R28).
  final var view: AnyObject?
  /// Appearance-lifetime operations that were cancelled when the flow was covered.
  final var restarts: [@MainActor () -> Void] = []
  /// Operations owned elsewhere that hold closures of this flow.
  final var loans: [AnyOperation] = []

  /// Where a flow is put.
  struct Place {
    var presentation = Presentation.inline
    var window: WindowOwner?
    var session: SessionOwner?
  }

  init(core: RuntimeCore, parent: Owner?, type: Any.Type, place: Place) {
    self.type = type
    self.presentation = place.presentation
    self.window = place.window
    self.sessionOwner = place.session
    super.init(core: core, parent: parent)
    core.liveFlows += 1
    if let session = place.session, parent?.session !== session { session.roots[number] = self }
  }

  override var flowID: FlowID? { FlowID(rawValue: number) }
  override var name: String { String(describing: type) }
  override var session: SessionOwner? { sessionOwner }
  override var tellsInNextJob: Bool {
    cause?.keepsUnreadOutputs ?? false && (isStarting || deferredCount > 0)
  }

  /// Gives the oldest undelivered output to the owner's closure.
  func deliverOutput() {}
  /// Calls `willEnd`, then `onEnding`; what is between them does not depend on the type.
  func tellFlow() {}
  func tellOwner() {}

  /// Tells the sinks, if there are any.
  @inline(__always)
  final func trace(_ event: (FlowID, String) -> TraceEvent) {
    core.trace { event(FlowID(rawValue: number), name) }
  }

  override func fixEnding(_ cause: EndCause) {
    core.liveFlows -= 1
    trace { .flowEnded($0, name: $1, cause.kind) }
    sessionOwner?.roots[number] = nil
    if presentation != .inline { core.displayed[number] = nil }
  }

  override func releaseLoans() {
    restarts = []
    let lent = loans
    loans = []
    for operation in lent { operation.dropListener() }
  }

  override func tell() {
    tellFlow()
    phase = .told
    wakeReader()
    tellOwner()
    let waiters = endingWaiters
    endingWaiters = []
    for waiter in waiters { waiter.resume() }
    trace { .flowTold($0, name: $1) }
    if let flow, core.options.checksLeaks { core.watch(flow, of: self) }
    flow = nil
    view = nil
    leaveIfQuiet()
  }

  final func wakeReader() {
    guard let reader else { return }
    self.reader = nil
    reader.resume()
  }
}

/// The node of a flow with this output.
@MainActor
final class FlowNode<Output: Sendable>: AnyFlowNode {
  /// What the owner listens with. All of it was given by the owner.
  struct Listener {
    var onOutput: (@MainActor (Output) -> Void)?
    var onOverflow: (@MainActor () -> Void)?
    var onEnding: (@MainActor (Ending<Output>) -> Void)?
  }

  private var listener: Listener
  private let limit: Int
  private var unread = Fifo<Output>()
  /// After how many unread values the overflow comes; nil when there is none to tell.
  private var overflowAfter: Int?
  private var hasOverflowed = false
  private var ending: Ending<Output>?
  private var finalOutput: Output?
  /// The last error that a reader met.
  var failure: OutputError?

  init(
    core: RuntimeCore, parent: Owner?, type: Any.Type, place: Place, limit: Int, listener: Listener
  ) {
    self.listener = listener
    self.limit = max(1, limit)
    super.init(core: core, parent: parent, type: type, place: place)
  }

  var hasListener: Bool { listener.onOutput != nil }

  // MARK: - Sending

  func emit(_ value: Output) -> Acceptance {
    guard isRunning else { return core.refuse(.emitAfterEnd, self) }
    guard !hasOverflowed else { return core.refuse(.overflow, self) }
    guard unread.count < limit else { return overflow() }
    trace { .output($0, name: $1) }
    if let onOutput = listener.onOutput {
      if core.turns.depth == 0, unread.isEmpty, !isStarting {
        core.outputsDelivered += 1
        core.turn { onOutput(value) }
        return .accepted
      }
      unread.append(value)
      queueOutput()
      core.drain()
      return .accepted
    }
    unread.append(value)
    wakeReader()
    return .accepted
  }

  func finish(_ value: Output) -> Acceptance {
    guard isRunning else { return core.refuse(.endAfterEnd, self) }
    trace { .output($0, name: $1) }
    finalOutput = value
    unread.append(value)
    if hasListener { queueOutput() }
    core.end(self, .finished)
    core.drain()
    return .accepted
  }

  private func overflow() -> Acceptance {
    hasOverflowed = true
    overflowAfter = unread.count
    trace { .overflow($0, name: $1, limit: limit) }
    if hasListener { queueOutput() } else { wakeReader() }
    core.drain()
    return core.refuse(.overflow, self)
  }

  private func queueOutput() {
    if isStarting || deferredCount > 0 {
      deferredCount += 1
      core.deliverInNextJob(.output(self))
    } else {
      core.turns.due.append(.output(self))
    }
  }

  // MARK: - Hearing

  override func deliverOutput() {
    guard let parent, parent.isRunning, let onOutput = listener.onOutput else {
      dropUnread(.ownerEnded)
      return
    }
    switch take() {
    case .value(let value): onOutput(value)
    case .overflow: listener.onOverflow?()
    case .nothing: break
    }
  }

  /// What a reader finds.
  enum Taken { case value(Output), overflow, nothing }

  /// Takes the oldest unread output, or the overflow if it is its turn.
  func take() -> Taken {
    if let left = overflowAfter {
      if left == 0 {
        overflowAfter = nil
        return .overflow
      }
      overflowAfter = left - 1
    }
    guard let value = unread.popFirst() else { return .nothing }
    core.outputsDelivered += 1
    return .value(value)
  }

  /// True if no value will come any more. The stream finishes when the end is told (R4); for a
  /// reader whose own flow has ended, at once (R15).
  func isFinished(for owner: Owner) -> Bool { phase == .told || !owner.isRunning }

  /// The ending, as the owner sees it once it is told.
  func ending(for owner: Owner) -> Ending<Output>? {
    if !owner.isRunning {
      if case .sessionEnded = owner.cause { return .sessionEnded }
      return .ownerEnded
    }
    return phase == .told ? ending : nil
  }

  // MARK: - Ending

  override func dropUnread(_ cause: EndCause) {
    guard !cause.keepsUnreadOutputs else { return }
    overflowAfter = nil
    let count = unread.removeAll()
    guard count > 0 else { return }
    core.outputsDropped += count
    trace { .outputsDropped($0, name: $1, count: count) }
  }

  override func fixEnding(_ cause: EndCause) {
    super.fixEnding(cause)
    ending =
      switch cause {
      case .finished: finalOutput.map { .finished($0) } ?? .cancelled
      case .dismissed: .dismissed
      case .replaced: .replaced
      case .sessionEnded: .sessionEnded
      case .ownerEnded: .ownerEnded
      case .cancelled: .cancelled
      case .failed(let error): .failed(error)
      }
    finalOutput = nil
  }

  override func releaseHandlers() { listener = Listener() }

  override func tellFlow() {
    guard let ending, let flow else { return }
    func tell<F: Flow>(_ flow: F) {
      if let ending = ending as? Ending<F.Output> { flow.willEnd(ending) }
    }
    tell(flow)
  }

  override func tellOwner() {
    let onEnding = listener.onEnding
    listener = Listener()
    guard let onEnding, let ending, let parent, parent.isRunning else { return }
    onEnding(ending)
  }
}
