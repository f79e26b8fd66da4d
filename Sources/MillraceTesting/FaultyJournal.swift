// A journal in memory that can be slow and can fail, and remembers what it was told.

import Millrace
import RaceLab

/// A journal whose commits can be held at a gate or made to fail.
public actor FaultyJournal: WriteJournal {
  /// Every change that was made durable, in order.
  public private(set) var changes: [JournalChange] = []
  /// How many commits were asked for, made or not.
  public private(set) var attempts = 0
  private let base: MemoryWriteJournal
  private var commitError: JournalError?
  private var loadError: JournalError?
  private var loadProblem: JournalError?
  private var loadGate: Gate<Void>?
  private var gate: Gate<Void>?
  /// How many commits are made before the gate holds.
  private var free = 0

  /// Makes a journal that holds these records.
  public init(_ records: [WriteRecord] = []) { base = MemoryWriteJournal(records) }

  /// From now on commits fail with this; nil lets them be. A full journal can still forget, as a full
  /// disk can.
  public func failCommits(with error: JournalError?) { commitError = error }

  /// From now on loading fails with this; nil lets it be.
  public func failLoads(with error: JournalError?) { loadError = error }

  /// From now on loading waits at this gate first; nil lets it go.
  public func holdLoads(at gate: Gate<Void>?) { loadGate = gate }

  /// From now on loading gives this as what is wrong.
  public func tell(_ problem: JournalError?) { loadProblem = problem }

  /// From now on each commit after `commits` more waits at this gate before it is made; nil lets them go.
  public func hold(at gate: Gate<Void>?, after commits: Int = 0) {
    self.gate = gate
    free = commits
  }

  /// What a process that starts now would find for this account.
  public func durable(_ account: Account) async -> [WriteRecord] {
    await base.load(account).records
  }

  /// The phases that were kept for an intent, in order.
  public func phases(of intent: Intent) -> [WritePhase] {
    changes.compactMap {
      if case .put(let record) = $0, record.write.intent == intent { record.phase } else { nil }
    }
  }

  /// What is kept now for this account, by intent.
  public func phases(of account: Account) async -> [Intent: WritePhase] {
    let records = await base.load(account).records
    return Dictionary(uniqueKeysWithValues: records.map { ($0.write.intent, $0.phase) })
  }

  /// What is kept for this account.
  public func load(_ account: Account) async throws -> JournalContents {
    if let loadGate { try await loadGate.wait() }
    if let loadError { throw loadError }
    var contents = await base.load(account)
    contents.problem = loadProblem
    return contents
  }

  /// Makes the changes, when the gate lets it, unless it is to fail.
  public func commit(_ changes: [JournalChange]) async throws {
    attempts += 1
    if free > 0 { free -= 1 } else if let gate { try await gate.wait() }
    if let commitError, commitError.kind != .full || changes.contains(where: \.keeps) {
      throw commitError
    }
    await base.commit(changes)
    self.changes += changes
  }
}
