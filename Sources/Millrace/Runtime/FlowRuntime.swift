// The handle on a runtime: what an app holds. There is no global state; a process may have many.

/// The root object of an app: clock, session, windows and trace.
///
/// Releasing the last reference, on any thread, ends all of its flows in a later main-actor job.
public final class FlowRuntime: Sendable {
  let core: RuntimeCore
  private let root: Owner

  /// Makes a runtime, and asks the store who is signed in. Until it has answered the state is
  /// `undetermined`; without a store it is `signedOut` from the beginning.
  ///
  /// - Parameters:
  ///   - clock: what all limits, timers and delays are measured by.
  ///   - store: where the sign-in is kept between launches; nil keeps it nowhere.
  ///   - options: limits and checks.
  ///   - sinks: where trace events go from the beginning.
  ///   - deliver: brings a handed-over record to where it belongs; nil refuses hand-overs.
  ///   - writes: service and journal for writes; nil refuses writes.
  @MainActor
  public init(
    clock: some Clock<Duration> = ContinuousClock(),
    store: (any SessionStore)? = nil, options: RuntimeOptions = RuntimeOptions(),
    sinks: [any TraceSink] = [],
    deliver: (@concurrent @Sendable (Handover, Session) async throws -> Void)? = nil,
    writes: WriteOptions? = nil
  ) {
    core = RuntimeCore(
      clock: clock, options: options, sessions: SessionKeeper(store: store, deliver: deliver),
      writes: writes)
    for sink in sinks { core.addSink(sink) }
    root = core.makeRoot()
    core.restoreSession()
  }

  deinit { core.ingress.post(.runtimeReleased(root), to: core) }

  // MARK: - Session

  /// What is known of the session. Observable.
  @MainActor public var sessionState: SessionState { core.observed.sessionState }

  /// The open session, or nil.
  @MainActor public var session: Session? { sessionState.session }

  /// Why the latest session was closed, or nil if none was since the runtime was made.
  @MainActor public var lastSignOut: SignOutReason? { core.sessions.lastSignOut }

  /// Opens a session for this account, after closing the one that is open; `unsent` says what becomes
  /// of its unsent writes. Nil once closed.
  @MainActor @discardableResult
  public func signIn(
    _ account: Account, credential: [UInt8] = [], unsent: UnsentWrites = .keep
  ) -> Session? {
    core.signIn(
      StoredSession(account: account, credential: credential), handovers: .keep,
      writes: UnsentFate(unsent))
  }

  /// Closes the session. When this returns the epoch is closed and every flow of it has ended; the
  /// store and the server are told afterwards, and hold nothing up.
  ///
  /// - Parameters:
  ///   - reason: why, for the trace.
  ///   - handovers: what becomes of records that were handed over and not yet delivered.
  ///   - unsent: what becomes of writes that were not sent. What was sent is finished within
  ///     `WriteOptions.finishLimit`. Before the store has answered it is said for the account that the
  ///     store names then.
  ///   - revoke: tells the server; a best effort within `RuntimeOptions.revocationLimit`.
  /// - Returns: refused if no session is open.
  @MainActor @discardableResult
  public func signOut(
    _ reason: SignOutReason = .requested, handovers: HandoverPolicy = .keep,
    unsent: UnsentWrites = .keep,
    revoke: (@concurrent @Sendable () async throws -> Void)? = nil
  ) -> Acceptance {
    core.signOut(reason, handovers: handovers, writes: UnsentFate(unsent), revoke: revoke)
  }

  // MARK: - Windows

  /// Opens a window. Its root follows the session: it is made now, and again after each change.
  ///
  /// - Parameters:
  ///   - host: the adapter to the user interface; held weakly.
  ///   - root: the root flow for a state. Kept until the window is closed.
  @MainActor
  public func openWindow(
    host: (any Host)? = nil, root: @escaping @MainActor (SessionState) -> Root
  ) -> FlowWindow {
    core.openWindow(host: host, root: .followsSession(root))
  }

  /// Opens a window whose root stays, whatever becomes of the session, and belongs to none. Its
  /// children can be put into a session: `FlowScope.start(in:)`.
  @MainActor
  public func openWindow(host: (any Host)? = nil, fixedRoot root: Root) -> FlowWindow {
    core.openWindow(host: host, root: .fixed(root))
  }

  // MARK: - Looking inside

  /// The runtime's clock, for sinks that note when something happened.
  @MainActor public var clock: RuntimeClock { RuntimeClock(now: core.timers.clockNow) }

  /// The operations whose tasks have not finished, oldest owners first: what `drained` would wait
  /// for.
  @MainActor public var unfinished: [NotDrained.Leftover] { root.leftovers() }

  /// Adds a sink for trace events. Without sinks no event is built.
  @MainActor public func addSink(_ sink: any TraceSink) { core.addSink(sink) }

  /// Removes a sink.
  @MainActor public func removeSink(_ sink: any TraceSink) {
    core.removeSink(sink)
  }

  /// How often each kind of call was refused. Kinds that never were are absent.
  @MainActor public var refusals: [RefusalKind: Int] {
    var counts: [RefusalKind: Int] = [:]
    for kind in RefusalKind.allCases where core.refusals(kind) > 0 {
      counts[kind] = core.refusals(kind)
    }
    return counts
  }

  /// How many flows are alive, how many tasks have not finished, and what became of outputs.
  @MainActor public var counts: RuntimeCounts {
    RuntimeCounts(
      flows: core.liveFlows, operations: core.unfinishedOperations,
      outputsDelivered: core.outputsDelivered, outputsDropped: core.outputsDropped)
  }

  /// The live tree, a node a line.
  @MainActor public var tree: String { core.treeText() }

  /// The flows that have ended and are still in memory, and what holds them as far as the runtime
  /// knows. Needs `RuntimeOptions.checksLeaks`.
  @MainActor public func leaks() -> [Leak] { core.findLeaks() }

  /// Waits until every task of the runtime has really finished.
  ///
  /// - Throws: `NotDrained` with the list of what is left at the limit.
  @MainActor
  public func drained(limit: Duration) async throws { try await root.drained(limit: limit) }

  /// The same for the tasks of one session, open or closed.
  @MainActor
  public func drained(_ session: Session, limit: Duration) async throws {
    try await root.drained(limit: limit, in: session)
  }

}

/// The clock of a runtime, as a trace sink reads it: virtual where the runtime's clock is.
public struct RuntimeClock: Sendable {
  private let read: @Sendable () -> Duration

  init(now: @escaping @Sendable () -> Duration) { read = now }

  /// The time since the runtime was made.
  public var now: Duration { read() }
}

/// Counts of a runtime.
public struct RuntimeCounts: Sendable, Equatable {
  /// Flows that have not ended.
  public var flows: Int
  /// Operations whose tasks have not finished, ended or not.
  public var operations: Int
  /// Outputs that owners have heard.
  public var outputsDelivered: Int
  /// Outputs that were dropped at an end before the owner read them.
  public var outputsDropped: Int
}
