// The node of a flow, as far as it does not depend on types. Keeps R4: the order of the telling.

@MainActor @usableFromInline
class AnyFlowNode: Owner {
  final let presentation: Presentation
  final let window: WindowOwner?
  final let sessionOwner: SessionOwner?
  final var isStarting = true
  /// How many of its outputs wait for the next main-actor job.
  final var deferredCount = 0
  final var lastEndingWaiter: EndingWaiter?
  final var belongings: Belongings?
  /// The slot that it is in.
  final var holder: (any NodeHolder)?

  /// What few flows have.
  final class Belongings {
    /// The view that was made for this flow (R28), or what a preview has to keep.
    var view: AnyObject?
    /// Appearance-lifetime operations that were cancelled when the flow was covered.
    var restarts: [Restart] = []
    /// Key: a place that is loaded into. Value: the load that has it now.
    var loads: [LoadPlace: LoadMark] = [:]
    /// Key: number of an operation owned elsewhere that holds closures of this flow. Value: it.
    var loans: [UInt64: AnyOperation] = [:]
    /// The screen whose being covered concerns work of this flow.
    var appearsOn: Screen?
    var dismissalGuard: DismissalGuard?
    /// What holds this flow's work until the user's gesture has decided.
    var provisional: Provisional?
  }

  /// An operation that begins again when its flow is shown again.
  struct Restart {
    let key: String
    let begin: @MainActor () -> Void
  }

  /// Where a flow is put.
  struct Place {
    var presentation = Presentation.inline
    var window: WindowOwner?
    var session: SessionOwner?
    /// What the flow replaces at once.
    var vacancy: Vacancy?
    /// What the flow replaces if the user's gesture is completed.
    var challenge: Provisional?
  }

  init(
    core: RuntimeCore, parent: Owner?, presentation: Presentation, window: WindowOwner?,
    session: SessionOwner?
  ) {
    self.presentation = presentation
    self.window = window
    self.sessionOwner = session
    super.init(core: core, parent: parent)
    core.liveFlows += 1
    if let session, parent?.session !== session { session.roots[number] = self }
  }

  override final var flowID: FlowID? { FlowID(rawValue: number) }
  override final var session: SessionOwner? { sessionOwner }
  override final var tellsInNextJob: Bool {
    cause?.keepsUnreadOutputs ?? false && (isStarting || deferredCount > 0)
  }

  /// The flow, until its end has been told.
  var anyFlow: (any Flow)? { nil }
  /// Gives the oldest undelivered output to the owner's closure.
  func deliverOutput() {}
  /// Calls `willEnd`.
  func tellFlow() {}
  /// Finishes the stream.
  func wakeReader() {}
  /// Calls `onEnding`.
  func tellOwner() {}
  func releaseFlow() {}
  var hasReader: Bool { false }

  /// Keeps an operation for when the flow is shown again.
  final func keep(_ restart: Restart) { own().restarts.append(restart) }

  /// Forgets what waits under this key for the flow to be shown again.
  final func dropRestarts(_ key: String) {
    belongings?.restarts.removeAll { $0.key == key }
  }

  /// Begins again what waited for the flow to be shown, in order.
  final func beginAgain() {
    let restarts = belongings?.restarts ?? []
    belongings?.restarts = []
    for restart in restarts { restart.begin() }
  }

  final func own() -> Belongings {
    if let belongings { return belongings }
    let made = Belongings()
    belongings = made
    return made
  }

  /// Tells the sinks, if there are any.
  @inline(__always)
  final func trace(_ event: (FlowID, String) -> TraceEvent) {
    core.trace { event(FlowID(rawValue: number), name) }
  }

  /// What holds the work of this flow, or has held it.
  final var provisional: Provisional? { belongings?.provisional }

  /// What holds the work of this flow until the user's gesture has decided about it.
  final var heldBy: Provisional? {
    guard core.provisionals > 0, let provisional, provisional.isHeld else { return nil }
    return provisional
  }

  override final func fixEnding(_ cause: EndCause) {
    core.liveFlows -= 1
    if let holder {
      self.holder = nil
      holder.forget(self)
    }
    trace { .flowEnded($0, name: $1, cause.kind) }
    if let sessionOwner { sessionOwner.roots[number] = nil }
  }

  override final func releaseLoans() {
    guard let belongings else { return }
    belongings.restarts = []
    belongings.appearsOn?.appearing[number] = nil
    belongings.appearsOn = nil
    belongings.dismissalGuard = nil
    belongings.loads = [:]
    let lent = belongings.loans
    belongings.loans = [:]
    for operation in lent.values { operation.dropListener() }
  }

  /// True if no value will come any more. The stream finishes when the end is told (R4); for a
  /// reader whose own flow has ended, at once (R15).
  final func isFinished(for owner: Owner) -> Bool { phase == .told || !owner.isRunning }

  /// Wakes those who wait for the ending, in the order in which they came.
  private final func wakeEndingWaiters() {
    var next: EndingWaiter?
    while let waiter = lastEndingWaiter {
      lastEndingWaiter = waiter.before
      waiter.before = next
      next = waiter
    }
    while let waiter = next {
      next = waiter.before
      waiter.before = nil
      waiter.parked = nil
    }
  }

  override final func tell() {
    tellFlow()
    phase = .told
    wakeReader()
    tellOwner()
    if lastEndingWaiter != nil { wakeEndingWaiters() }
    trace { .flowTold($0, name: $1) }
    if core.options.checksLeaks, let anyFlow { core.watch(anyFlow, of: self) }
    releaseFlow()
    belongings = nil
    leaveIfQuiet()
  }
}

/// One who waits for an ending: a list, since an array of them would be a checked access at each end.
@MainActor
final class EndingWaiter {
  var parked: Parked?
  var before: EndingWaiter?

  init(_ parked: consuming Parked, after before: EndingWaiter?) {
    self.parked = consume parked
    self.before = before
  }
}
