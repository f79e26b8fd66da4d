// The state of a runtime, all of it on the main actor: the root of the tree, numbers, counters,
// the turn queue, timers and the session. `FlowRuntime` is the handle to it that people hold.

import Observation

/// What a runtime can be told when it is made.
public struct RuntimeOptions: Sendable {
  /// Whether ended flows that stay in memory are reported. On in debug builds.
  public var checksLeaks: Bool
  /// How long a host may take to acknowledge a dismissal.
  public var hostLimit: Duration
  /// How long a revocation may take after a sign-out.
  public var revocationLimit: Duration

  /// Makes the options.
  public init(
    checksLeaks: Bool? = nil, hostLimit: Duration = .seconds(5),
    revocationLimit: Duration = .seconds(10)
  ) {
    #if DEBUG
      self.checksLeaks = checksLeaks ?? true
    #else
      self.checksLeaks = checksLeaks ?? false
    #endif
    self.hostLimit = hostLimit
    self.revocationLimit = revocationLimit
  }
}

/// What views may observe.
@MainActor @Observable
final class ObservedState {
  var sessionState = SessionState.undetermined
}

@MainActor
private final class RefusalCount {
  var count = 0
}

@MainActor
final class RuntimeCore {
  let options: RuntimeOptions
  let ingress = Ingress()
  /// What was taken from the ingress queue and is not applied yet.
  var incoming = Fifo<IngressEvent>()
  let timers: TimerQueue
  let sessions: SessionKeeper
  /// The writes, if the runtime takes any.
  private(set) var writes: WriteKeeper?
  let observed = ObservedState()
  /// How many turns are on the stack.
  var turnDepth = 0
  let due = DeliveryQueue()
  /// What children sent before `start` had handed their `Child` back.
  let nextJob = DeliveryQueue()
  private var lastNumber: UInt64 = 0
  /// The runtime's node, while it has not ended. Held by the handle and by what is below it.
  private weak var node: Owner?
  private var sinks: [any TraceSink] = []
  /// The one sink, if there is one and no other.
  private var onlySink: (any TraceSink)?
  /// Whether there are sinks: a plain flag, so that asking costs next to nothing.
  private(set) var isTraced = false
  var windows: [UInt64: WindowState] = [:]
  /// The window that says its last words to a host.
  var parting: UInt64?
  /// How many replacements a gesture has still to decide about.
  var provisionals = 0
  /// The screens that the latest end has taken away, the first of each group.
  var lastLeft: [Screen] = []
  var watches: [LeakWatch] = []
  /// Key: a run that has not finished. Value: the calls of `drained` that wait for it.
  var drains: [OperationID: [DrainWait]] = [:]
  /// Joined work that is asked for outside a session.
  let joins = JoinTable()

  // Counters, kept whether or not there is a sink.
  var liveFlows = 0
  var unfinishedOperations = 0
  var outputsDelivered = 0
  var outputsDropped = 0
  /// Index: the kind. In objects, so that counting is no access to the array: that would be checked.
  private let refusalCounts = RefusalKind.allCases.map { _ in RefusalCount() }

  init(
    clock: some Clock<Duration>, options: RuntimeOptions, sessions: SessionKeeper,
    writes: WriteOptions?
  ) {
    self.options = options
    self.sessions = sessions
    timers = TimerQueue(clock)
    self.writes = writes.map { WriteKeeper($0, core: self) }
  }

  /// Makes the runtime's node. Called once, by the handle.
  func makeRoot() -> Owner {
    let root = Owner(core: self, parent: nil)
    node = root
    return root
  }

  /// The runtime's node, or nil once it is closed.
  var root: Owner? { node.flatMap { $0.isRunning ? $0 : nil } }

  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Counts a refusal, tells the trace, and is the answer to the call.
  @discardableResult
  func refuse(_ kind: RefusalKind, _ owner: Owner?, operation: AnyOperation? = nil) -> Acceptance {
    refusalCounts[kind.rawValue].count += 1
    if isTraced { traceRefusal(kind, owner, operation) }
    return .refused(kind)
  }

  /// How often calls of this kind were refused.
  func refusals(_ kind: RefusalKind) -> Int { refusalCounts[kind.rawValue].count }

  @inline(never)
  private func traceRefusal(_ kind: RefusalKind, _ owner: Owner?, _ operation: AnyOperation?) {
    let name = operation?.name ?? owner?.name ?? ""
    record(.refused(kind, name: name, flow: owner?.flowID, operation: operation?.id))
  }

  /// Tells the sinks, if there are any; the event is only built then.
  @inline(__always)
  func trace(_ event: () -> TraceEvent) {
    if isTraced { record(event()) }
  }

  func addSink(_ sink: any TraceSink) {
    sinks.append(sink)
    sinksChanged()
  }

  func removeSink(_ sink: any TraceSink) {
    sinks.removeAll { $0 === sink }
    sinksChanged()
  }

  private func sinksChanged() {
    isTraced = !sinks.isEmpty
    onlySink = sinks.count == 1 ? sinks.first : nil
  }

  private func record(_ event: TraceEvent) {
    // Not `turn`: this may be the middle of a state step, and what a sink asks for comes later.
    turnDepth += 1
    if let onlySink {
      onlySink.record(event)
    } else {
      for sink in sinks { sink.record(event) }
    }
    turnDepth -= 1
  }

  /// Ends everything. What is asked of the runtime afterwards is refused.
  func close() {
    guard let root else { return }
    let displays = windows.values.compactMap(\.owner.display).sorted { $0.window < $1.window }
    for display in displays { display.close() }
    end(root, .ownerEnded)
    drain()
    windows = [:]
    watches = []
    sessions.close()
    writes?.close()
    joins.removeAll()
    for display in displays { display.finishClosing() }
    // It knows the runtime by its display, and no other end comes after this one.
    lastLeft = []
  }
}
