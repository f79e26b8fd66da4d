// How a ledger reads its journal, and what waits for that: submits, and reports of a push channel. Keeps
// R32: what an earlier process had sent is unknown, and is told as such.

/// How far a ledger has come with reading.
struct LedgerLoading {
  enum State { case not, running, done, failed }

  var state = State.not
  /// Who waits for the end of the reading that runs, whatever it is.
  var waiting: [@MainActor () -> Void] = []
  /// What a push channel has told before the journal was read, in order.
  var reports: [(intent: Intent, answer: WriteAnswer)] = []
  /// How often it has failed, and when it is tried again.
  var failures = 0
  var timer: RuntimeTimer?
}

extension LedgerNode {
  /// Calls the closure when the journal was read, or could not be.
  func load(then: (@MainActor () -> Void)? = nil) {
    guard !isLoaded else {
      then?()
      return
    }
    if let then { loading.waiting.append(then) }
    guard loading.state != .running else { return }
    loading.state = .running
    loading.timer?.cancel()
    loading.timer = nil
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
            var ours = contents.checked(for: account)
            ours.records.removeAll { gone.contains($0.write.intent) }
            return ours
          })
      }
    ).launch()
  }

  private func loaded(_ result: Result<JournalContents, any Error>) {
    switch result {
    case .success(let contents):
      loading.state = .done
      isReadOnly = contents.problem != nil
      noticed(contents.problem)
      let withdrawn = items.values.filter { $0.decided == .withdrawn }
      let records = contents.records.sorted { $0.sequence < $1.sequence }
      for record in records { take(record) }
      for item in withdrawn where item.decided == .withdrawn { forget(item) }
      if let fate = keeper.unread.removeValue(forKey: account) {
        closeUnsent(records.compactMap { items[$0.write.intent] }, fate)
      }
      let told = loading.reports
      loading.reports = []
      for report in told { take(report.answer, for: report.intent) }
    case .failure(let error):
      loading.state = .failed
      noticed(JournalError(error))
      if isOpen || !loading.reports.isEmpty || keeper.unread[account] != nil {
        let delay = keeper.delay(options.retry, after: loading.failures)
        loading.timer = core.timers.after(delay) { [weak self] in self?.load() }
        loading.failures += 1
      }
    }
    view.changed()
    let calls = loading.waiting
    loading.waiting = []
    for call in calls { call() }
    if isLoaded, isOpen { resume() }
    leaveIfIdle()
  }

  /// A report from a push channel. It counts as an answer, whenever it comes; nobody tells it a second
  /// time, so it waits for a journal that cannot be read yet.
  func report(_ intent: Intent, _ answer: WriteAnswer) {
    if isLoaded { return take(answer, for: intent) }
    loading.reports.append((intent, answer))
    load()
  }

  private func take(_ record: WriteRecord) {
    // After the last of all numbers there is none.
    lastSequence = max(lastSequence, min(record.sequence, .max / 2))
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
    // The account had this intent before a guest brought it along: the guest's is not kept, or sent.
    if !restored.formerAccounts.isEmpty { save(restored) }
    if record.phase.isFinal {
      restored.enter(.over)
      over.append(restored)
    }
    restored.wakeWatchers()
  }
}

extension JournalContents {
  /// Without records that no ledger of this account has given to a journal: another account's would go out
  /// as this one's.
  fileprivate func checked(for account: Account) -> JournalContents {
    var seen: Set<Intent> = []
    var sound = self
    sound.records = records.filter { record in
      record.account == account && record.phase.isKept
        && seen.insert(record.write.intent).inserted
    }
    let wrong = records.count - sound.records.count
    if wrong > 0, problem == nil {
      sound.problem = JournalError(
        .damaged, "of what it gave, \(wrong) was never written for \(account)")
    }
    return sound
  }
}

extension WritePhase {
  /// Whether a journal is ever given a record in this phase.
  fileprivate var isKept: Bool {
    switch self {
    case .validated, .sent, .accepted, .confirmed, .rejected: true
    case .unknown, .withdrawn, .refused: false
    }
  }
}
