// The flow behind a router: it has one link at a time, and decides about it anew whenever what it
// waits for may have changed. Keeps R33: what is checked and what is committed belong to one turn,
// so nothing can come between.

import Millrace
import Observation

@MainActor
final class LinkDesk<R: Route>: Flow {
  /// What the desk tells itself: outside a turn it is heard at once, inside one after it.
  enum Signal: Sendable {
    /// Something has happened that may concern a link; what is due already comes first.
    case happened
    /// Decide.
    case look
  }
  typealias Output = Signal

  let scope: FlowScope<Signal>
  private(set) weak var runtime: FlowRuntime?
  /// Where the router finds this flow.
  weak var holder: DeskHolder<R>?
  let links: LinkTable<R>
  let options: LinkOptions
  let accounts: (any AccountDirectory)?
  let lock: (any Lock)?
  let check: @concurrent @Sendable (R, Session?) async throws -> RouteAnswer
  var windows = RoutedWindows()
  var newWindow: (@MainActor () -> FlowWindow?)?
  var onVerdict: (@MainActor (LinkDelivery) -> Void)?
  /// The link that is parked or being decided: the newest that was not refused.
  private(set) var current: Item?
  /// One that had waited before it came, and goes on if it is refused. Nil once `current` was parked.
  private(set) var former: Item?
  /// What the user is asked.
  var question: Question?
  var isUnlocking = false
  /// Whether the lock has changed since the user was asked to open it.
  var hasLockChanged = false
  /// While a link is committed: what was delivered meanwhile.
  var isCommitting = false
  private var putOff: [@MainActor () -> Void] = []
  /// The places that are kept, see PlaceKeeper.swift.
  var keepers: [PlaceKeeper<R>] = []
  var keepersMade = 0
  /// The ids of deliveries, as bytes: two texts that only look the same are not.
  private var seen: Set<[UInt8]> = []
  private var seenInOrder: [[UInt8]] = []
  private var ear: Ear?
  private var isLookQueued = false

  init(
    _ scope: FlowScope<Signal>, runtime: FlowRuntime?, links: LinkTable<R>, options: LinkOptions,
    accounts: (any AccountDirectory)?, lock: (any Lock)?,
    check: @escaping @concurrent @Sendable (R, Session?) async throws -> RouteAnswer
  ) {
    self.scope = scope
    self.runtime = runtime
    self.links = links
    self.options = options
    self.accounts = accounts
    self.lock = lock
    self.check = check
  }

  func start() { followLock() }

  func willEnd(_ ending: Ending<Signal>) {
    if let ear { runtime?.removeSink(ear) }
    while let current { settle(current, .rejected(.closed)) }
    holder?.desk = nil
  }

  var now: Duration { runtime?.clock.now ?? .zero }

  // MARK: - Taking

  /// Takes a link that was delivered.
  func take(
    _ link: Result<Link<R>, LinkError>, _ delivery: LinkDelivery, _ choice: WindowChoice
  ) {
    if isCommitting { return putOff.append { [self] in take(link, delivery, choice) } }
    if let id = delivery.id, !remember(id) { return tell(delivery, .rejected(.deliveredBefore)) }
    switch link {
    case .failure(let error): tell(delivery, .rejected(.unreadable(error)))
    case .success(let link):
      let older = current
      // Before anything is told: whoever hears it may deliver another link, which is newer.
      current = Item(link, delivery, choice, deadline: now + options.expiry)
      if let older {
        stopChecks(of: older)
        if older.hasWaited { former = older } else { supersede(older) }
      }
      look()
    }
  }

  func endCommit() {
    isCommitting = false
    let late = putOff
    putOff = []
    for take in late { take() }
  }

  private func remember(_ id: String) -> Bool {
    let id = Array(id.utf8)
    guard seen.insert(id).inserted else { return false }
    seenInOrder.append(id)
    if seenInOrder.count >= 2 * options.remembered {
      for old in seenInOrder.prefix(options.remembered) { seen.remove(old) }
      seenInOrder.removeFirst(options.remembered)
    }
    return true
  }

  // MARK: - Telling

  /// The last word about a link that is on its way. The one before it goes on, unless this one was
  /// routed.
  func settle(_ item: Item, _ verdict: LinkVerdict) {
    let older = former
    if current === item {
      current = verdict == .routed ? nil : older
    } else if older !== item {
      return
    }
    former = nil
    item.expiry?.cancel()
    stopChecks(of: item)
    tell(item.delivery, verdict)
    if verdict == .routed, let older { supersede(older) }
    if scope.isCurrent { look() }
  }

  /// The current link waits: the one before it has lost.
  func tellParked(_ item: Item, _ reason: ParkReason) {
    let older = former
    former = nil
    tell(item.delivery, .parked(reason))
    if let older { supersede(older) }
  }

  private func supersede(_ item: Item) {
    item.expiry?.cancel()
    tell(item.delivery, .superseded)
  }

  private func stopChecks(of item: Item) {
    guard item.checking != nil else { return }
    item.checking = nil
    if scope.isCurrent { scope.cancel("check link") }
  }

  func tell(_ delivery: LinkDelivery, _ verdict: LinkVerdict) {
    guard delivery.verdict != verdict else { return }
    delivery.set(verdict)
    onVerdict?(delivery)
  }

  // MARK: - Looking

  func hear(_ signal: Signal) {
    switch signal {
    case .happened: scope.emit(.look)
    case .look:
      isLookQueued = false
      if let current { decide(current) }
      for keeper in keepers where keeper.isWaiting { decide(keeper) }
      listen()
    }
  }

  /// Decides after what is going on now.
  func look() {
    guard !isLookQueued else { return }
    isLookQueued = true
    scope.emit(.look)
  }

  /// Something has happened in the runtime, and what follows from it is due before the decision.
  fileprivate func somethingHappened() {
    guard !isLookQueued, scope.isCurrent else { return }
    isLookQueued = true
    scope.emit(.happened)
  }

  /// Hears of each change of the lock, which may come without one of the tree.
  private func followLock() {
    guard let lock else { return }
    withObservationTracking {
      _ = lock.isLocked
    } onChange: { [weak self] in
      // The change is about to be made: it is looked at in the next job.
      Task { @MainActor in
        guard let self, self.scope.isCurrent else { return }
        self.followLock()
        self.hasLockChanged = true
        self.lockChanged()
        self.look()
      }
    }
  }

  /// Hears of what happens while something waits, and not otherwise: without sinks a runtime builds
  /// no events.
  private func listen() {
    let waits = current != nil || keepers.contains { $0.isWaiting && $0.window != nil }
    if waits, ear == nil {
      let ear = Ear { [weak self] in self?.somethingHappened() }
      self.ear = ear
      runtime?.addSink(ear)
    } else if !waits, let ear {
      self.ear = nil
      runtime?.removeSink(ear)
    }
  }

  private final class Ear: TraceSink {
    private let hear: @MainActor () -> Void
    init(_ hear: @escaping @MainActor () -> Void) { self.hear = hear }

    func record(_ event: TraceEvent) {
      switch event {
      case .session, .flowStarted, .flowEnded, .report, .hostTimeout, .gestureTimeout: hear()
      default: break
      }
    }
  }
}
