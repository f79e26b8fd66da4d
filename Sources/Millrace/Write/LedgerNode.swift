// The ledger of an account: takes writes, has them checked and kept, tells phases. Keeps R30, R31.
//
// In the tree it is below the runtime, not the session: what was sent is finished after the session
// is closed. It is there while a session of its account is open or it has something to finish.

final class LedgerNode: Owner {
  let account: Account
  let keeper: WriteKeeper
  let view: WriteLedger
  /// Key: the intent. Value: its write, until it is over and forgotten.
  var items: [Intent: WriteItem] = [:]
  /// The open session, or the last one that was.
  var sessionOwner: SessionOwner?
  var ready = Fifo<WriteItem>()
  /// How many items take a place; see `WriteItem.Stage.takesPlace`.
  var running = 0
  /// How many commits were asked for and not answered.
  var commits = 0
  /// How many checks run here, also of items that have moved on.
  private var checks = 0
  var loading = LedgerLoading()
  var lastSequence: UInt64 = 0
  /// Those that are over, the one that is forgotten next first.
  var over = Fifo<WriteItem>()
  /// What was last found wrong by reading and writing.
  var trouble: JournalError?
  /// True if the journal holds what cannot be read: then nothing is written to it.
  var isReadOnly = false

  init(account: Account, keeper: WriteKeeper, core: RuntimeCore, parent: Owner) {
    self.account = account
    self.keeper = keeper
    view = WriteLedger(account: account)
    super.init(core: core, parent: parent)
    view.node = self
  }

  override var name: String { "writes of \(account)" }
  override var session: SessionOwner? { sessionOwner }

  var options: WriteOptions { keeper.options }
  var isOpen: Bool { isRunning && sessionOwner?.isOpen ?? false }
  var isLoaded: Bool { loading.state == .done }
  var canWrite: Bool { isLoaded && !isReadOnly }
  /// What is wrong with the journal, or nil.
  var problem: JournalError? { keeper.queue.silence ?? trouble }
  /// Whether a new write can be kept. One behind a commit that does not return would only wait.
  private var canKeep: Bool { canWrite && keeper.queue.silence == nil }
  var ordered: [WriteItem] { items.values.sorted { $0.sequence < $1.sequence } }

  // MARK: - Submitting

  func submit(_ write: Write, from owner: Owner) -> Acceptance {
    if let item = items[write.intent] {
      guard item.write == write else { return core.refuse(.intentInUse, owner) }
      let isSettled = item.decided?.isFinal ?? false
      return core.refuse(isSettled ? .alreadySettled : .alreadyRunning, owner)
    }
    let item = WriteItem(write, ledger: self)
    items[write.intent] = item
    view.changed()
    check(item)
    return .accepted
  }

  /// Has the app check an item, once the journal was read.
  func check(_ item: WriteItem) {
    load { [weak item] in
      guard let item, item.ledger === self, item.stage == .checking, item.turn == 0 else { return }
      self.lineUp(item)
      self.validate(item)
    }
  }

  /// Gives an item its place in the order of submission.
  func lineUp(_ item: WriteItem) {
    lastSequence += 1
    item.sequence = lastSequence
  }

  private func validate(_ item: WriteItem) {
    item.enter(.checking)
    let turn = item.turn
    // Refused in a job of its own, as any other: who has just submitted it looks for it first.
    let mayBeKept = canKeep
    let (service, write, account) = (options.service, item.write, account)
    checks += 1
    Operation<Void>(
      name: "validate \(write.name)", owner: self, limit: options.callLimit,
      body: { if mayBeKept { try await service.validate(write, for: account) } },
      then: { [self] result in
        checks -= 1
        if item.turn == turn { item.ledger?.checked(item, result) }
        leaveIfIdle()
      }
    ).launch()
  }

  private func checked(_ item: WriteItem, _ result: Result<Void, any Error>) {
    switch result {
    case .success:
      // It was asked for this item already; a journal that does not answer would be waited for twice.
      guard loading.state != .failed else { return refuse(item, whyNot) }
      let turn = item.turn
      // A guest's item may have come to a ledger that was not read yet.
      load { [self] in
        guard item.turn == turn else { return }
        // It may have gone on to a third account meanwhile.
        if let ledger = item.ledger, ledger !== self { return ledger.checked(item, result) }
        if canKeep { keep(item) } else { refuse(item, whyNot) }
      }
    case .failure(WriteFailure.rejected(let reason)):
      item.reason = reason
      item.decided = .rejected
      item.enter(.over)
      tell(item, .rejected)
    case .failure(let error): refuse(item, error)
    }
  }

  /// Writes an item to the journal for the first time, or for the first time under this account.
  func keep(_ item: WriteItem) {
    let turn = item.turn
    item.mayBeInJournal = true
    commit(item, .validated) { error in
      guard item.turn == turn, let ledger = item.ledger else { return }
      if let error, item.stage == .moving {
        ledger.noticed(error)
        ledger.wait(item) { $0.keep(item) }
      } else if let error {
        // Should it be there all the same, it must not go out after the submit was refused.
        ledger.commit(item, nil) { _ in }
        ledger.refuse(item, error)
      } else {
        item.decided = .validated
        ledger.tell(item, .validated)
        ledger.enqueue(item)
      }
    }
  }

  /// Writes a guest's item to the journal as one of this account, as soon as that can be.
  func keepMoved(_ item: WriteItem) {
    let turn = item.turn
    load { [self] in
      guard item.turn == turn, item.ledger === self else { return }
      lineUp(item)
      if canWrite { keep(item) } else { wait(item) { $0.keepMoved(item) } }
    }
  }

  var whyNot: JournalError { problem ?? JournalError(.unavailable, "it was not read") }

  func refuse(_ item: WriteItem, _ error: any Error) {
    if items[item.write.intent] === item { items[item.write.intent] = nil }
    item.reason = words(of: error)
    item.decided = .refused
    item.enter(.over)
    tell(item, .refused)
  }

  // MARK: - Telling

  func tell(_ item: WriteItem, _ phase: WritePhase) {
    let new = item.tell(phase)
    guard !new.isEmpty else { return }
    for phase in new { core.trace { .write(item.write.intent, name: item.write.name, phase) } }
    if phase.isFinal, phase != .refused { remember(item) }
    view.changed()
    item.wakeWatchers()
  }

  /// Keeps the newest of those that are over, so that their intents are known when they come back.
  private func remember(_ item: WriteItem) {
    over.append(item)
    while over.count > max(0, options.remembered), let oldest = over.popFirst() {
      oldest.saveTimer?.cancel()
      if items[oldest.write.intent] === oldest { items[oldest.write.intent] = nil }
      if oldest.decided != .withdrawn { commit(oldest, nil) { _ in } }
    }
  }

  // MARK: - Leaving

  /// The ledger goes when its session is closed and nothing is left to finish.
  func leaveIfIdle() {
    guard isRunning, !isOpen, loading.state != .running, commits + checks + running == 0,
      loading.reports.isEmpty, keeper.unread[account] == nil
    else { return }
    let isIdle = items.values.allSatisfy {
      $0.saveTimer == nil && ($0.stage == .parked || $0.stage == .over)
    }
    if isIdle { keeper.release(self) }
  }

  override func releaseLoans() {
    loading.timer?.cancel()
    for item in items.values {
      item.timer?.cancel()
      item.saveTimer?.cancel()
      item.wakeWatchers()
    }
    items = [:]
    ready = Fifo()
    over = Fifo()
    loading = LedgerLoading()
  }
}
