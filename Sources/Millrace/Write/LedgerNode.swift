// The ledger of an account: takes writes, loads what the journal has, tells phases. Keeps R30, R31.
//
// In the tree it is below the runtime, not the session: what was sent is finished after the session
// is closed. It is there while a session of its account is open or it has something to finish.

final class LedgerNode: Owner {
  enum Loading { case not, running, done, failed }

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
  private var commits = 0
  /// How many checks run here, also of items that have moved on.
  private var checks = 0
  private(set) var loading = Loading.not
  private var unloaded: [@MainActor () -> Void] = []
  private var lastSequence: UInt64 = 0
  private var over = Fifo<WriteItem>()
  private var loadTimer: RuntimeTimer?
  private var loadFailures = 0
  /// What was last found wrong by reading and writing.
  private var trouble: JournalError?
  /// True if the journal holds what cannot be read: then nothing is written to it.
  private(set) var isReadOnly = false
  /// What a push channel has told before the journal was read, in order.
  private var reports: [(intent: Intent, answer: WriteAnswer)] = []

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
  var isLoaded: Bool { loading == .done }
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
      guard loading != .failed else { return refuse(item, whyNot) }
      let turn = item.turn
      // A guest's item may have come to a ledger that was not read yet.
      load { [self] in
        guard item.turn == turn else { return }
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

  private var whyNot: JournalError { problem ?? JournalError(.unavailable, "it was not read") }

  private func refuse(_ item: WriteItem, _ error: any Error) {
    if items[item.write.intent] === item { items[item.write.intent] = nil }
    item.reason = words(of: error)
    item.decided = .refused
    item.enter(.over)
    tell(item, .refused)
  }

  // MARK: - Journal

  /// Commits what the journal should hold of an item; nil for nothing.
  func commit(_ item: WriteItem, _ phase: WritePhase?, then: @escaping JournalQueue.Then) {
    var changes: [JournalChange] = []
    let former = item.formerAccount
    if let former { changes.append(.remove(former, item.write.intent)) }
    if let phase {
      changes.append(.put(item.record(account, phase)))
    } else {
      changes.append(.remove(account, item.write.intent))
    }
    commit(changes) { error in
      if error == nil, item.formerAccount == former { item.formerAccount = nil }
      then(error)
    }
  }

  func commit(_ changes: [JournalChange], then: @escaping JournalQueue.Then) {
    // Damaged, it is evidence: it is left as it is, whatever kind of journal it is.
    guard !isReadOnly else { return then(whyNot) }
    commits += 1
    // A journal that forgets may still have no room to keep anything.
    let keeps = changes.contains(where: \.keeps)
    keeper.queue.commit(changes) { error in
      self.commits -= 1
      if let error {
        self.noticed(error)
      } else if keeps {
        self.noticed(nil)
      }
      then(error)
      self.leaveIfIdle()
    }
  }

  /// Writes the newest state of an item, and goes on trying while the journal fails.
  func save(_ item: WriteItem, then: @escaping @MainActor () -> Void = {}) {
    let phase = item.decided == .withdrawn ? nil : item.decided
    commit(item, phase) { error in
      if error != nil { item.ledger?.saveLater(item) }
      then()
    }
  }

  private func saveLater(_ item: WriteItem) {
    guard item.saveTimer == nil, isRunning, !isReadOnly else { return }
    item.saveTimer = core.timers.after(keeper.delay(options.retry, after: 3)) {
      item.saveTimer = nil
      if item.decided == .withdrawn { item.ledger?.forget(item) } else { item.ledger?.save(item) }
    }
  }

  /// Has the journal forget a withdrawn item, and then tells it. Before the journal was read nobody knows
  /// whether an earlier process has kept it, or sent it.
  func forget(_ item: WriteItem) {
    guard isLoaded else { return load() }
    guard item.mayBeInJournal else { return tell(item, .withdrawn) }
    commit(item, nil) { error in
      guard let ledger = item.ledger else { return }
      if error == nil { ledger.tell(item, .withdrawn) } else { ledger.saveLater(item) }
    }
  }

  func noticed(_ error: JournalError?) {
    guard trouble != error else { return }
    trouble = error
    showProblem()
  }

  func showProblem() {
    view.changed()
    if let problem { core.trace { .problem("\(account): \(problem)") } }
  }

  // MARK: - Loading

  /// Calls the closure when the journal was read, or could not be.
  func load(then: (@MainActor () -> Void)? = nil) {
    guard loading != .done else {
      then?()
      return
    }
    if let then { unloaded.append(then) }
    guard loading != .running else { return }
    loading = .running
    loadTimer?.cancel()
    loadTimer = nil
    let (journal, account) = (options.journal, account)
    // What is on its way to another account may be read here once more: it is not ours.
    let gone = keeper.movingAway(from: account)
    // Then only does it say whether its unsent writes are to be discarded.
    let store = core.sessions.answerToCome
    // A reading changes nothing: one without an answer is given up, and another begun later.
    Operation<JournalContents>(
      name: "read write journal", owner: self, limit: options.journalLimit,
      body: {
        await store?.value
        return try await journal.load(account)
      },
      then: { [weak self] result in
        self?.loaded(
          result.map { contents in
            var ours = contents
            ours.records.removeAll { gone.contains($0.write.intent) }
            return ours
          })
      }
    ).launch()
  }

  private func loaded(_ result: Result<JournalContents, any Error>) {
    switch result {
    case .success(let contents):
      loading = .done
      isReadOnly = contents.problem != nil
      noticed(contents.problem)
      let withdrawn = items.values.filter { $0.decided == .withdrawn }
      let records = contents.records.sorted { $0.sequence < $1.sequence }
      for record in records { take(record) }
      for item in withdrawn where item.decided == .withdrawn { forget(item) }
      if let fate = keeper.unread.removeValue(forKey: account) {
        closeUnsent(records.compactMap { items[$0.write.intent] }, fate)
      }
      let told = reports
      reports = []
      for report in told { take(report.answer, for: report.intent) }
    case .failure(let error):
      loading = .failed
      noticed(JournalError(error))
      if isOpen || !reports.isEmpty || keeper.unread[account] != nil {
        loadTimer = core.timers.after(keeper.delay(options.retry, after: loadFailures)) {
          [weak self] in
          self?.load()
        }
        loadFailures += 1
      }
    }
    view.changed()
    let calls = unloaded
    unloaded = []
    for call in calls { call() }
    if isLoaded, isOpen { resume() }
    leaveIfIdle()
  }

  /// A report from a push channel. It counts as an answer, whenever it comes; nobody tells it a second
  /// time, so it waits for a journal that cannot be read yet.
  func report(_ intent: Intent, _ answer: WriteAnswer) {
    if isLoaded { return take(answer, for: intent) }
    reports.append((intent, answer))
    load()
  }

  private func take(_ record: WriteRecord) {
    lastSequence = max(lastSequence, record.sequence)
    let intent = record.write.intent
    var item = items[intent]
    if let early = item, early.write != record.write {
      // The intent stood for something else before: that stays, the new one is turned away.
      items[intent] = nil
      refuse(early, Refused(.intentInUse))
      item = nil
    }
    // What cannot be forgotten is not withdrawn.
    if let item, item.decided == .withdrawn, record.phase == .validated, !isReadOnly {
      item.mayBeInJournal = true
      return
    }
    let restored = item ?? WriteItem(record.write, ledger: self)
    items[intent] = restored
    restored.restore(record)
    restored.enter(.parked)
    if record.phase.isFinal {
      restored.enter(.over)
      over.append(restored)
    }
    restored.wakeWatchers()
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
    guard isRunning, !isOpen, loading != .running, commits + checks + running == 0,
      reports.isEmpty, keeper.unread[account] == nil
    else { return }
    let isIdle = items.values.allSatisfy {
      $0.saveTimer == nil && ($0.stage == .parked || $0.stage == .over)
    }
    if isIdle { keeper.release(self) }
  }

  override func releaseLoans() {
    loadTimer?.cancel()
    for item in items.values {
      item.timer?.cancel()
      item.saveTimer?.cancel()
      item.wakeWatchers()
    }
    items = [:]
    ready = Fifo()
    over = Fifo()
    unloaded = []
    reports = []
  }
}
