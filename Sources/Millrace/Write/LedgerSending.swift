// How writes go out and are asked about. Keeps R32: the journal has `sent` before the first byte, and
// what is unknown goes out again with the same key, in a session of its own account only.

extension LedgerNode {
  // MARK: - In line

  /// Puts an item into the line.
  func enqueue(_ item: WriteItem) {
    guard isOpen else {
      item.enter(.parked)
      return leaveIfIdle()
    }
    item.enter(.ready)
    ready.append(item)
    pump()
  }

  /// Begins with what is next, as far as there is place.
  func pump() {
    guard let session = sessionOwner, isOpen, canWrite, keeper.connectivity == .online else {
      return
    }
    while running < max(1, options.concurrency), let item = ready.popFirst() {
      // One that has left the line meanwhile is still in the queue.
      guard item.stage == .ready, item.ledger === self else { continue }
      begin(item, session)
    }
  }

  private func begin(_ item: WriteItem, _ session: SessionOwner) {
    switch item.decided {
    case .validated: commitAndSend(item, session)
    case .accepted: ask(item, session)
    case .unknown where options.reconciliation == .ask: ask(item, session)
    case .sent, .unknown: send(item, session)
    case .confirmed, .rejected, .withdrawn, .refused, nil: break
    }
  }

  private func commitAndSend(_ item: WriteItem, _ session: SessionOwner) {
    item.enter(.committing)
    let turn = item.turn
    commit(item, .sent) { error in
      guard item.turn == turn, let ledger = item.ledger else { return }
      if error != nil {
        ledger.wait(item) { $0.enqueue(item) }
        item.misses += 1
      } else if ledger.keeper.connectivity == .offline {
        ledger.unsend(item)
        ledger.enqueue(item)
      } else {
        item.decided = .sent
        ledger.tell(item, .sent)
        ledger.send(item, session)
      }
      ledger.pump()
    }
  }

  /// The journal says `sent`, and nothing has left: it is made to say `validated` again.
  func unsend(_ item: WriteItem) { save(item) }

  // MARK: - Calling

  private func send(_ item: WriteItem, _ session: SessionOwner) {
    let (service, write, value) = (options.service, item.write, session.value)
    let credential = session.credential
    call(item, "send", { try await service.send(write, in: value, with: credential) }) {
      ledger, result in
      switch result {
      case .success(let answer):
        ledger.advance(item, answer)
        ledger.goOn(item)
      case .failure(let error): ledger.failed(item, error, in: session, with: credential)
      }
    }
  }

  private func ask(_ item: WriteItem, _ session: SessionOwner) {
    let (service, write, value) = (options.service, item.write, session.value)
    let credential = session.credential
    call(item, "ask about", { try await service.status(of: write, in: value, with: credential) }) {
      ledger, result in
      switch result {
      case .success(.seen(let answer)):
        ledger.advance(item, answer)
        ledger.goOn(item)
      case .success(.unseen):
        if item.decided == .accepted {
          ledger.core.trace {
            .problem(
              "the server has lost the write \(write.name) \(write.intent); it is sent again")
          }
        }
        if let session = ledger.sessionOwner, session.isOpen {
          ledger.send(item, session)
        } else {
          ledger.goOn(item)
        }
      case .failure(let error): ledger.failed(item, error, in: session, with: credential)
      }
    }
  }

  private func call<Answer: Sendable>(
    _ item: WriteItem, _ verb: String,
    _ body: @escaping @concurrent @Sendable () async throws -> Answer,
    then: @escaping @MainActor (LedgerNode, Result<Answer, any Error>) -> Void
  ) {
    item.enter(.calling)
    let turn = item.turn
    let run = Operation(
      name: "\(verb) \(item.write.name)", owner: self, limit: options.callLimit, body: body,
      then: { result in
        // A report may have said it all before the answer came.
        guard item.turn == turn, let ledger = item.ledger else { return }
        then(ledger, result)
        ledger.pump()
        ledger.leaveIfIdle()
      })
    item.call = run
    run.launch()
  }

  // MARK: - What comes of it

  /// Takes what the server says, in an answer or a report.
  func advance(_ item: WriteItem, _ answer: WriteAnswer) {
    switch answer {
    case .accepted(let receipt): advance(item, .accepted, receipt: receipt)
    case .confirmed(let receipt): advance(item, .confirmed, receipt: receipt)
    case .rejected(let reason): advance(item, .rejected, reason: reason)
    }
  }

  private func advance(
    _ item: WriteItem, _ phase: WritePhase, receipt: [UInt8] = [], reason: String = ""
  ) {
    guard let decided = item.decided, decided.precedes(phase) else { return }
    item.decided = phase
    item.failures = 0
    item.misses = 0
    item.lastFailure = ""
    if !receipt.isEmpty { item.receipt = receipt }
    item.reason = reason
    if phase.isFinal { item.enter(.over) }
    save(item) { item.ledger?.tell(item, phase) }
  }

  /// After an answer: what is next for an item that is not over.
  private func goOn(_ item: WriteItem) {
    guard !item.isOver else { return }
    guard isOpen else { return item.enter(.parked) }
    guard item.decided == .accepted else { return wait(item) { $0.enqueue(item) } }
    guard let policy = options.confirmation, item.failures < policy.attempts else {
      return item.enter(.resting)
    }
    wait(item, policy) { $0.enqueue(item) }
    item.failures += 1
  }

  private func failed(
    _ item: WriteItem, _ error: any Error, in session: SessionOwner, with credential: [UInt8]
  ) {
    item.lastFailure = words(of: error)
    view.changed()
    switch error {
    case WriteFailure.rejected(let reason): advance(item, .rejected, reason: reason)
    case WriteFailure.notDelivered: again(item, counts: false)
    case WriteFailure.busy(let time): again(item, counts: true, after: time)
    case WriteFailure.signedOut:
      if let now = sessionOwner, now.isOpen, now !== session || now.credential != credential {
        // It was the credential of before that was not accepted.
        enqueue(item)
      } else if isOpen {
        item.enter(.paused(.signedOut))
      } else {
        goOn(item)
      }
    default:
      becomeUnknown(item)
      again(item, counts: true)
    }
  }

  /// It may have been done, and nobody says so.
  func becomeUnknown(_ item: WriteItem) {
    guard item.decided == .sent else { return }
    item.decided = .unknown
    tell(item, .unknown)
  }

  private func again(_ item: WriteItem, counts: Bool, after time: Duration? = nil) {
    guard item.decided != .accepted, isOpen else { return goOn(item) }
    let before = item.failures + item.misses
    if counts { item.failures += 1 } else { item.misses += 1 }
    guard item.failures < max(1, options.retry.attempts) else {
      return item.enter(.paused(.attempts))
    }
    let delay = keeper.delay(options.retry, after: before)
    wait(item, for: max(delay, time ?? .zero)) { $0.enqueue(item) }
    item.isHeldOff = time != nil
  }

  /// Waits as long as the policy says after so many failures.
  func wait(
    _ item: WriteItem, _ policy: RetryPolicy? = nil,
    then: @escaping @MainActor (LedgerNode) -> Void
  ) {
    let policy = policy ?? options.retry
    wait(item, for: keeper.delay(policy, after: item.failures + item.misses), then: then)
  }

  private func wait(
    _ item: WriteItem, for time: Duration, then: @escaping @MainActor (LedgerNode) -> Void
  ) {
    // A move to another ledger goes on waiting as such.
    if item.stage == .moving { item.enter(.moving) } else { item.enter(.waiting) }
    item.timer = core.timers.after(time) { [weak item] in
      item?.timer = nil
      if let ledger = item?.ledger { then(ledger) }
    }
  }

  // MARK: - From outside

  /// Takes what a push channel has told, once the journal was read.
  func take(_ answer: WriteAnswer, for intent: Intent) {
    if let item = items[intent], !item.isUnsent {
      advance(item, answer)
      if case .paused = item.stage { goOn(item) }
      pump()
    } else {
      core.trace {
        .problem("a report about the write \(intent), which was never sent from here")
      }
    }
  }

  /// Takes a write back that was not sent.
  func withdraw(_ intent: Intent, from owner: Owner) -> Acceptance {
    guard let item = items[intent] else { return core.refuse(.unknownWrite, owner) }
    guard item.isUnsent else {
      let neverLeft = item.isOver && !item.told.contains(.sent)
      return core.refuse(neverLeft ? .alreadySettled : .alreadySent, owner)
    }
    guard !isReadOnly else { return core.refuse(.journalReadOnly, owner) }
    withdraw(item)
    pump()
    return .accepted
  }

  func withdraw(_ item: WriteItem) {
    item.enter(.over)
    item.decided = .withdrawn
    view.changed()
    forget(item)
  }

  /// Sets a paused or waiting write going again.
  func retry(_ intent: Intent, from owner: Owner) -> Acceptance {
    guard let item = items[intent] else { return core.refuse(.unknownWrite, owner) }
    if item.isOver { return core.refuse(.alreadySettled, owner) }
    return goAgain(item) ? .accepted : core.refuse(.alreadyRunning, owner)
  }

  /// False if it goes already, or can go no more.
  @discardableResult
  private func goAgain(_ item: WriteItem) -> Bool {
    switch item.stage {
    case .paused, .waiting, .parked, .resting:
      if item.decided != .accepted { item.failures = 0 }
      item.misses = 0
      enqueue(item)
      return true
    case .checking, .moving, .ready, .committing, .calling, .over: return false
    }
  }

  /// There is a new credential.
  func resumeSignedOut() {
    guard isOpen else { return }
    for item in ordered where item.stage == .paused(.signedOut) { goAgain(item) }
  }

  /// Sets all going that can go: a session has begun, there is a network, or a new credential.
  func resume() {
    guard isOpen else { return }
    if loading.state == .failed { return load() }
    for item in ordered where !item.isHeldOff {
      if item.decided == .accepted, options.confirmation == nil {
        if item.stage == .parked { item.enter(.resting) }
      } else {
        goAgain(item)
      }
    }
    pump()
  }
}
