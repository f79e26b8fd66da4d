// What the beginning and the end of a session do to a ledger. Keeps R32: what was not sent is kept,
// discarded or taken along, what was sent is finished within a limit, and nothing goes out under
// another account.

/// What becomes of unsent writes when a session is closed.
enum UnsentFate: Equatable {
  case keep, discard
  /// A guest signs in: they become writes of this account.
  case takeAlong(Account)

  init(_ unsent: UnsentWrites) {
    switch unsent {
    case .keep: self = .keep
    case .discard: self = .discard
    }
  }
}

extension LedgerNode {
  /// A session of this account has begun.
  func open(_ session: SessionOwner) {
    sessionOwner = session
    // What the last session had on its way goes on, and has no limit any more.
    for item in items.values where item.stage == .calling {
      item.timer?.cancel()
      item.timer = nil
    }
    if isLoaded { resume() } else { load() }
  }

  /// The session was closed. Nothing begins to go out after this.
  func close(_ fate: UnsentFate) {
    ready = Fifo()
    closeUnread(fate)
    for item in ordered where !item.isOver {
      if item.isUnsent {
        closeUnsent(item, fate)
      } else if item.stage == .calling {
        finish(item)
      } else {
        item.enter(.parked)
      }
    }
    // An observer may have signed in again meanwhile.
    if isOpen { resume() } else { leaveIfIdle() }
  }

  /// What the journal has is not known yet: it comes to it when it is read.
  func closeUnread(_ fate: UnsentFate) {
    guard !isLoaded, fate != .keep else { return }
    keeper.unread[account] = fate
    load()
  }

  func closeUnsent(_ items: [WriteItem], _ fate: UnsentFate) {
    for item in items where !item.isOver && item.isUnsent { closeUnsent(item, fate) }
  }

  private func closeUnsent(_ item: WriteItem, _ fate: UnsentFate) {
    // What a journal cannot forget stays in it, and is not sent.
    switch isReadOnly ? .keep : fate {
    case .discard: withdraw(item)
    case .takeAlong(let account) where account != self.account: move(item, to: account)
    case .keep, .takeAlong:
      switch item.stage {
      case .checking, .moving: break
      case .committing:
        item.enter(.parked)
        unsend(item)
      default: item.enter(.parked)
      }
    }
  }

  /// Lets a call go on for a while. What has no answer by then is unknown.
  private func finish(_ item: WriteItem) {
    let turn = item.turn
    item.timer = core.timers.after(options.finishLimit) {
      guard item.turn == turn, let ledger = item.ledger else { return }
      let call = item.call
      item.enter(.parked)
      ledger.becomeUnknown(item)
      call?.cancel(.sessionEnded)
      ledger.leaveIfIdle()
      ledger.core.drain()
    }
  }

  private func move(_ item: WriteItem, to account: Account) {
    guard let target = keeper.ledger(of: account, core) else { return item.enter(.parked) }
    // The account has this intent already: that write stands, and the guest's is not sent.
    guard target.items[item.write.intent] == nil else { return withdraw(item) }
    if item.mayBeInJournal {
      item.enter(.moving)
      item.formerAccounts.append(self.account)
    }
    items[item.write.intent] = nil
    view.changed()
    item.ledger = target
    target.receive(item)
  }

  private func receive(_ item: WriteItem) {
    items[item.write.intent] = item
    view.changed()
    if item.stage == .moving {
      keepMoved(item)
    } else if item.turn == 0 {
      check(item)
    } else {
      // It is being checked: before its first commit there is nothing to move but itself.
      load { [self] in lineUp(item) }
    }
  }
}
