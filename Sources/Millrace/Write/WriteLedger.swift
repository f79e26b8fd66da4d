// What an app sees of the writes of an account. Observable; it decides nothing.

import Observation

/// The writes of one account: what is pending, unknown and done.
///
/// A flow gets that of its session from `FlowScope.writes`, and never that of another account.
/// All members are read on the main actor. When the session is closed and what was on its way is
/// over, a ledger is empty: the writes are in the journal.
@MainActor @Observable
public final class WriteLedger {
  /// Whose writes these are.
  public let account: Account
  /// Counts changes, so that observers hear of what lies outside.
  private var version: UInt64 = 0
  @ObservationIgnored weak var node: LedgerNode?

  init(account: Account) { self.account = account }

  /// Every write that is remembered, in order of submission.
  public var entries: [WriteEntry] { read { $0.ordered.map(WriteEntry.init) } ?? [] }

  /// Those that will go on by themselves: validated, sent or accepted.
  public var pending: [WriteEntry] {
    entries.filter { entry in
      switch entry.phase {
      case nil, .validated, .sent, .accepted: true
      case .unknown, .confirmed, .rejected, .withdrawn, .refused: false
      }
    }
  }

  /// Those that were sent and of which nobody knows what became.
  public var unknown: [WriteEntry] { entries.filter { $0.phase == .unknown } }

  /// Those whose last phase was told; the newest ones, see `WriteOptions.remembered`.
  public var done: [WriteEntry] { entries.filter { $0.phase?.isFinal ?? false } }

  /// The write of this intent, or nil if none is remembered.
  public func entry(for intent: Intent) -> WriteEntry? {
    read { $0.items[intent].map(WriteEntry.init) } ?? nil
  }

  /// How many writes are remembered.
  public var count: Int { read { $0.items.count } ?? 0 }

  /// True once the journal was read: before that, what an earlier process left is missing here.
  public var isLoaded: Bool { read(\.isLoaded) ?? false }

  /// What is wrong with the journal, or nil. While it cannot be written, writes are refused.
  public var problem: JournalError? { read(\.problem) ?? nil }

  func changed() { version &+= 1 }

  private func read<Value>(_ value: (LedgerNode) -> Value) -> Value? {
    _ = version
    return node.map(value)
  }
}
