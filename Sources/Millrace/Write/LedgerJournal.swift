// What a ledger has its journal keep and forget, and what it says when the journal cannot. Keeps R30: no
// phase is told before it is kept, and what cannot be kept now is kept later.

extension LedgerNode {
  /// Commits what the journal should hold of an item; nil for nothing.
  func commit(_ item: WriteItem, _ phase: WritePhase?, then: @escaping JournalQueue.Then) {
    let former = item.formerAccounts
    var changes = former.map { JournalChange.remove($0, item.write.intent) }
    if let phase {
      changes.append(.put(item.record(account, phase)))
    } else {
      changes.append(.remove(account, item.write.intent))
    }
    commit(changes) { error in
      // If more have come meanwhile, the next commit removes all of them.
      if error == nil, item.formerAccounts == former { item.formerAccounts = [] }
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
}
