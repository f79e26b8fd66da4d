// What the scenarios of writes play on: a server whose faults are choices of the search, and a runtime
// of one account after the other.

import Millrace
import MillraceTesting
import RaceLab

/// A server whose faults are choices of the search.
actor FaultyServer: WriteService {
  private let lab: Lab
  private var faults: Int
  private(set) var sends: [(key: String, session: Session)] = []
  private(set) var records: [Intent: Int] = [:]

  private let journal: NotingJournal?

  /// With a journal, that must say `sent` of whatever comes in.
  init(_ lab: Lab, faults: Int, journal: NotingJournal? = nil) {
    self.lab = lab
    self.faults = faults
    self.journal = journal
  }

  struct Lost: Error {}

  func validate(_ write: Write, for account: Account) async throws {}

  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer {
    sends.append((write.intent.key, session))
    if let journal {
      lab.check(journal.kept(write.intent).contains(.sent), "it leaves before it is kept as sent")
    }
    let fault = faults > 0 ? lab.choose(4) : 0
    if fault > 0 { faults -= 1 }
    if fault == 1 { throw Lost() }
    if fault == 2 { throw WriteFailure.notDelivered }
    await Task.yield()
    records[write.intent, default: 0] = 1
    if fault == 3 { throw Lost() }
    await Task.yield()
    return .accepted()
  }

  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus {
    records[write.intent] == nil ? .unseen : .seen(.accepted())
  }
}

/// A flow that leaves a write behind when it ends.
@MainActor
final class Parting: Flow {
  let scope: FlowScope<Never>
  private let write: Write
  private(set) var answer: Acceptance?

  init(_ scope: FlowScope<Never>, _ write: Write) {
    self.scope = scope
    self.write = write
  }

  func willEnd(_ ending: Ending<Never>) { answer = scope.submit(write) }
}

@MainActor
final class Blank: Flow {
  let scope: FlowScope<Never>
  init(_ scope: FlowScope<Never>) { self.scope = scope }
}

/// A runtime of one account after the other, and what it has told.
@MainActor
final class Bench {
  let runtime: FlowRuntime
  let window: FlowWindow
  let log = TraceLog()

  init(
    _ lab: Lab, _ server: some WriteService, _ journal: some WriteJournal, attempts: Int = 50,
    concurrency: Int = 4, account: String = "A"
  ) {
    runtime = FlowRuntime(
      clock: lab.clock,
      writes: WriteOptions(
        service: server, journal: journal, retry: RetryPolicy(attempts: attempts, jitter: 0),
        confirmation: nil, concurrency: concurrency, seed: 1))
    runtime.addSink(log)
    runtime.signIn(Account(account))
    window = runtime.openWindow { _ in Root { Blank($0) } }
  }

  var form: Blank? { window.rootFlow as? Blank }

  func told(_ write: Write) -> [WritePhase] {
    log.events.compactMap {
      if case .write(write.intent, _, let phase) = $0 { phase } else { nil }
    }
  }

  /// No phase twice, none after the last, none backwards. A write that is read again after its ledger
  /// was away is told anew from where it is.
  func isOrderly(_ write: Write) -> Bool {
    let told = told(write)
    let ranks = told.map { WritePhase.allCases.firstIndex(of: $0) ?? 0 }
    return zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 }
  }
}

func makeWrite(_ number: UInt8) -> Write {
  Write("loan", intent: Intent(key: "key \(number)"), body: [number])
}

/// A journal that notes what it has made durable, for those who cannot wait.
struct NotingJournal: WriteJournal {
  let base = FaultyJournal()
  private let noted = Guarded<[Intent: [WritePhase]]>([:])
  private let held = Guarded<Set<Intent>>([])
  private let commits = Guarded((now: 0, most: 0))

  /// How many commits it was asked for at once, at most.
  var mostCommits: Int { commits.withLock { $0.most } }

  /// Whether it has anything of this write now.
  func holds(_ intent: Intent) -> Bool { held.withLock { $0.contains(intent) } }

  /// The phases that were kept of this write, oldest first.
  func kept(_ intent: Intent) -> [WritePhase] { noted.withLock { $0[intent] ?? [] } }

  @concurrent func load(_ account: Account) async throws -> JournalContents {
    try await base.load(account)
  }

  @concurrent func commit(_ changes: [JournalChange]) async throws {
    commits.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
    defer { commits.withLock { $0.now -= 1 } }
    try await base.commit(changes)
    held.withLock { held in
      for change in changes {
        switch change {
        case .put(let record): held.insert(record.write.intent)
        case .remove(_, let intent): held.remove(intent)
        }
      }
    }
    noted.withLock { noted in
      for case .put(let record) in changes {
        noted[record.write.intent, default: []].append(record.phase)
      }
    }
  }
}

/// Hears each phase as it is told.
@MainActor
final class PhaseSink: TraceSink {
  private let hear: (Intent, WritePhase) -> Void
  init(_ hear: @escaping (Intent, WritePhase) -> Void) { self.hear = hear }

  func record(_ event: TraceEvent) {
    if case .write(let intent, _, let phase) = event { hear(intent, phase) }
  }
}
