// The writes of a runtime: one ledger for each account that has something going, and the one queue to
// the journal. The session tells it when an epoch begins and when it is closed.

@MainActor
final class WriteKeeper {
  let options: WriteOptions
  let queue: JournalQueue
  /// Key: the account. Value: its ledger, while its session is open or it has something to finish.
  private var ledgers: [Account: LedgerNode] = [:]
  /// Key: an account whose session was closed before its journal was read. Value: what becomes of the unsent
  /// writes that are found in it.
  var unread: [Account: UnsentFate] = [:]
  private(set) var connectivity = Connectivity.online
  private var generator: SplitMix64

  init(_ options: WriteOptions, core: RuntimeCore) {
    self.options = options
    queue = JournalQueue(options.journal, limit: options.journalLimit, core: core)
    generator = SplitMix64(seed: options.seed)
    queue.onSilence = { [weak self] in self?.showSilence() }
  }

  func delay(_ policy: RetryPolicy, after failures: Int) -> Duration {
    policy.delay(after: failures, using: &generator)
  }

  /// The ledger of this account, made if there is none; nil once the runtime is closed.
  func ledger(of account: Account, _ core: RuntimeCore) -> LedgerNode? {
    if let ledger = ledgers[account] { return ledger }
    guard let root = core.root else { return nil }
    let ledger = LedgerNode(account: account, keeper: self, core: core, parent: root)
    ledgers[account] = ledger
    return ledger
  }

  /// The ledger of this account, if it is in memory.
  func existing(_ account: Account) -> LedgerNode? { ledgers[account] }

  /// The intents of this account's writes that become those of another, until the journal says so.
  func movingAway(from account: Account) -> Set<Intent> {
    let items = ledgers.values.flatMap(\.items.values)
    return Set(items.filter { $0.formerAccounts.contains(account) }.map(\.write.intent))
  }

  func release(_ ledger: LedgerNode) {
    guard ledgers[ledger.account] === ledger else { return }
    ledgers[ledger.account] = nil
    ledger.core.end(ledger, .sessionEnded)
  }

  private func showSilence() {
    for ledger in ledgers.values.sorted(by: { $0.number < $1.number }) { ledger.showProblem() }
  }

  /// Says what becomes of the unsent writes of the account that the session store has named after
  /// somebody had signed out or in.
  func closeUnread(_ account: Account, _ fate: UnsentFate, _ core: RuntimeCore) {
    guard let ledger = ledger(of: account, core) else { return }
    if ledger.isOpen { ledger.closeUnread(fate) } else { ledger.close(fate) }
  }

  func setConnectivity(_ new: Connectivity) {
    guard new != connectivity else { return }
    connectivity = new
    guard new == .online else { return }
    for ledger in ledgers.values.sorted(by: { $0.number < $1.number }) { ledger.resume() }
  }

  func close() { ledgers = [:] }
}

extension RuntimeCore {
  /// Takes a write from a flow of this session, also while its end is told (R7).
  func submit(_ write: Write, from owner: Owner) -> Acceptance {
    guard let writes else { return refuse(.noService, owner) }
    guard owner.phase != .told, let session = owner.session else {
      return refuse(.noSession, owner)
    }
    var account = session.value.account
    if !session.isOpen {
      switch sessions.closed[session.value.epoch]?.writes {
      case .keep: break
      case .takeAlong(let other): account = other
      case .discard, nil: return refuse(.noSession, owner)
      }
    }
    guard let ledger = writes.ledger(of: account, self) else {
      return refuse(.closed, owner)
    }
    return ledger.submit(write, from: owner)
  }

  /// The ledger that a flow may see: that of its session, while it is the open one.
  func ledger(for owner: Owner) -> LedgerNode? {
    guard let session = owner.session, session.isOpen else { return nil }
    return writes?.existing(session.value.account)
  }

  func report(_ intent: Intent, of account: Account, _ answer: WriteAnswer) {
    guard let ledger = writes?.ledger(of: account, self) else {
      refuse(.noService, root)
      return
    }
    ledger.report(intent, answer)
    drain()
  }
}
