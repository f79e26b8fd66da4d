// The session of a runtime: which epoch is open, and the store behind it. Keeps R18 to R20.
//
//   undetermined ── store answers ──▶ signedOut ◀──▶ signedIn(epoch n)
//
// Closing is synchronous and local first. The store is written after it, one request at a time
// and only the newest: it never holds a sign-in or a sign-out up. What could not be written is tried
// again, or the next launch would sign in who has signed out.

@MainActor
final class SessionKeeper {
  private let store: (any SessionStore)?
  let deliver: HandoverDelivery?
  fileprivate(set) var state = SessionState.undetermined
  fileprivate(set) var open: SessionOwner?
  /// Why the latest session was closed.
  fileprivate(set) var lastSignOut: SignOutReason?
  /// Key: account. Value: records kept at its sign-out, to be delivered when it is back.
  var ledger: [Account: [Handover]] = [:]
  /// Key: epoch. Value: what becomes of records and writes that its flows still hand over.
  fileprivate(set) var closed: [Epoch: (handovers: HandoverPolicy, writes: UnsentFate)] = [:]
  /// The newest write that the store has not been asked for yet.
  private var wanted: StoreWrite?
  private var isWriting = false
  /// How often the newest write has failed, and when it is tried again.
  private var failures = 0
  private var retrying: RuntimeTimer?
  /// The reading at launch: writes come after it.
  private var reading: Task<Void, Never>?
  /// What becomes of the unsent writes of the account that the store has not named yet.
  private var unnamed = UnsentFate.keep

  /// The store's answer, as long as it has to say whose writes a sign-out before it was for.
  var answerToCome: Task<Void, Never>? { unnamed == .keep ? nil : reading }

  typealias HandoverDelivery = @concurrent @Sendable (Handover, Session) async throws -> Void
  private enum StoreWrite { case save(StoredSession), clear }

  init(store: (any SessionStore)?, deliver: HandoverDelivery?) {
    self.store = store
    self.deliver = deliver
  }

  /// Asks the store who is signed in; without one nobody is. An answer that comes after a sign-in or out is stale.
  fileprivate func restore(_ core: RuntimeCore) {
    guard let root = core.root else { return }
    guard let store else { return core.enter(.signedOut) }
    let run = Operation(
      name: "restore session", owner: root, body: { try await store.load() },
      then: { [weak self, weak core] result in
        guard let self, let core else { return }
        guard self.state == .undetermined else { return self.named(result, core) }
        switch result {
        case .success(let stored?): core.openSession(stored)
        case .success(nil): core.enter(.signedOut)
        case .failure(let error):
          core.trace { .problem("the session store cannot be read: \(error)") }
          core.enter(.signedOut)
        }
      })
    run.launch()
    reading = run.task
  }

  /// Whoever the store names was signed out, or followed by another, before it did.
  private func named(_ result: Result<StoredSession?, any Error>, _ core: RuntimeCore) {
    let fate = unnamed
    unnamed = .keep
    guard fate != .keep else { return }
    switch result {
    case .success(let stored):
      if let stored { core.writes?.closeUnread(stored.account, fate, core) }
    case .failure(let error):
      core.trace {
        .problem(
          "the session store cannot be read: \(error); the unsent writes of whom it would have "
            + "named are kept")
      }
    }
  }

  /// Nobody waits any more for who the store names.
  fileprivate func leaveUndetermined(_ fate: UnsentFate) {
    if state == .undetermined { unnamed = fate }
  }

  fileprivate func save(_ session: StoredSession, _ core: RuntimeCore) {
    write(.save(session), core)
  }
  fileprivate func clear(_ core: RuntimeCore) { write(.clear, core) }

  private func write(_ write: StoreWrite, _ core: RuntimeCore) {
    retrying?.cancel()
    retrying = nil
    failures = 0
    wanted = write
    carryOut(core)
  }

  private func carryOut(_ core: RuntimeCore) {
    guard let store, !isWriting else { return }
    isWriting = true
    core.ownWork("session store") {
      await self.reading?.value
      self.reading = nil
      while let next = self.takeWanted() {
        do {
          switch next {
          case .save(let session): try await store.save(session)
          case .clear: try await store.clear()
          }
        } catch {
          core.trace { .problem("the session store cannot be written: \(error)") }
          self.retry(next, core)
        }
      }
    }
  }

  /// Asks for it once more later, unless something newer is wanted by now.
  private func retry(_ write: StoreWrite, _ core: RuntimeCore) {
    guard wanted == nil, core.root != nil, failures < 10 else { return }
    let delay = Duration.seconds(1 << failures)
    failures += 1
    retrying = core.timers.after(delay) { [weak self, weak core] in
      guard let self, let core else { return }
      self.wanted = write
      self.carryOut(core)
    }
  }

  /// The runtime is closed.
  func close() {
    open = nil
    retrying?.cancel()
  }

  private func takeWanted() -> StoreWrite? {
    defer { wanted = nil }
    if wanted == nil { isWriting = false }
    return wanted
  }
}

extension RuntimeCore {
  func restoreSession() { sessions.restore(self) }

  /// Opens a new epoch; one that is open is closed first.
  @discardableResult
  func signIn(
    _ stored: StoredSession, reason: SignOutReason = .switchedAccount, handovers: HandoverPolicy,
    writes: UnsentFate
  ) -> Session? {
    guard root != nil else {
      refuse(.closed, nil)
      return nil
    }
    // Closing runs foreign code, which may open another: its writes are no guest's.
    var fate = writes
    sessions.leaveUndetermined(fate)
    while sessions.open != nil {
      closeSession(reason: reason, handovers: handovers, writes: fate)
      fate = .keep
    }
    sessions.save(stored, self)
    let session = openSession(stored)
    drain()
    return session
  }

  /// Closes the open epoch. When this returns every flow of it has ended.
  func signOut(
    _ reason: SignOutReason, handovers: HandoverPolicy, writes: UnsentFate,
    revoke: (@concurrent @Sendable () async throws -> Void)?
  ) -> Acceptance {
    if sessions.state == .undetermined {
      // Whoever the store names is not signed in any more.
      sessions.leaveUndetermined(writes)
      sessions.lastSignOut = reason
      sessions.clear(self)
      enter(.signedOut)
      drain()
      return .accepted
    }
    guard sessions.open != nil else { return refuse(.noSession, root) }
    closeSession(reason: reason, handovers: handovers, writes: writes)
    // Closing runs foreign code: a sign-in in it came later, and stays.
    if sessions.open == nil {
      sessions.clear(self)
      enter(.signedOut)
    }
    if let revoke, let root {
      Operation(
        name: "revoke", owner: root, limit: options.revocationLimit, body: revoke,
        then: { [weak self] result in
          if case .failure(let error) = result {
            self?.trace { .problem("the server was not told of the sign-out: \(error)") }
          }
        }
      ).launch()
    }
    drain()
    return .accepted
  }

  private func closeSession(
    reason: SignOutReason, handovers policy: HandoverPolicy, writes fate: UnsentFate
  ) {
    guard let session = sessions.open else { return }
    session.isOpen = false
    sessions.open = nil
    sessions.lastSignOut = reason
    sessions.closed[session.value.epoch] = (policy, fate)
    if policy == .keep, !session.undelivered.isEmpty {
      let kept = session.undelivered.sorted { $0.key < $1.key }.map(\.value)
      sessions.ledger[session.value.account, default: []] += kept
    }
    session.undelivered = [:]
    // Before anything foreign runs: that may open the next session of this account.
    writes?.existing(session.value.account)?.close(fate)
    trace { .sessionClosed(session.value.epoch, reason) }
    for window in windows.values { window.expectRoot() }
    let flows = session.roots.values.sorted { $0.number > $1.number }
    end(flows + [session], .sessionEnded)
  }

  @discardableResult
  fileprivate func openSession(_ stored: StoredSession) -> Session? {
    guard let root else { return nil }
    let session = SessionOwner(core: self, parent: root, stored: stored)
    sessions.open = session
    writes?.ledger(of: stored.account, self)?.open(session)
    enter(.signedIn(session.value))
    for record in sessions.ledger.removeValue(forKey: stored.account) ?? [] {
      deliver(record, in: session)
    }
    return session.value
  }

  /// Changes the state; the windows' roots follow it, after what is due now.
  fileprivate func enter(_ state: SessionState) {
    sessions.state = state
    observed.sessionState = state
    trace { .session(state) }
    for window in windows.values.sorted(by: { $0.owner.number < $1.owner.number }) {
      deliver { [weak window] in window?.followSession() }
    }
  }

  /// Replaces the credential of a session that is still open.
  func update(_ credential: [UInt8], of session: Session) -> Acceptance {
    guard let open = sessions.open, open.value == session else { return refuse(.noSession, root) }
    open.credential = credential
    sessions.save(StoredSession(account: session.account, credential: credential), self)
    writes?.existing(session.account)?.resumeSignedOut()
    return .accepted
  }

  /// Work of the runtime itself. It is listed like any other, and nothing cancels it.
  fileprivate func ownWork(_ name: String, _ body: @escaping @MainActor () async -> Void) {
    guard let root else { return }
    let run = TaskOperation(name: name, owner: root, body: body)
    run.survivesEnd = true
    run.launch()
  }
}
