// One write in a ledger: what was decided about it, what was told of it, and what it is doing.
//
// `decided` runs ahead of `told` while the journal writes. Stages, and who takes an item out of each:
//
//   checking    being checked, then written to the journal for the first time
//   moving      goes from a guest's ledger to this one, as soon as the journal says so
//   ready       in the ledger's line, until there is a place
//   committing  the journal writes `sent`; nothing has left yet
//   calling     the service sends it or asks about it
//   waiting     for a timer
//   resting     accepted, until a report comes
//   paused      until somebody does something about it
//   parked      the session is closed
//   over        its last phase is decided

@MainActor
final class WriteItem {
  enum Stage: Equatable {
    case checking, moving, ready, committing, calling, waiting, resting, parked, over
    case paused(WritePause)

    /// Whether it counts against the ledger's concurrency.
    var takesPlace: Bool { self == .committing || self == .calling }
  }

  let write: Write
  /// Its place in the ledger, once it has one.
  var sequence: UInt64 = 0
  weak var ledger: LedgerNode?
  /// The newest phase that is certain; nil before the journal has the write.
  var decided: WritePhase?
  /// What was told, in order, each once.
  private(set) var told: [WritePhase] = []
  var receipt: [UInt8] = []
  var reason = ""
  private(set) var stage = Stage.checking
  /// Counts stages: what was begun in one stage checks it before it acts in the next.
  private(set) var turn: UInt64 = 0
  /// Failures in a row; for an accepted write, how often it was asked about.
  var failures = 0
  /// Attempts in a row that do not count as such, since nothing can have arrived: only the waits grow.
  var misses = 0
  /// Whether the server has said how long to wait.
  var isHeldOff = false
  /// What the last call failed with, in words; empty after an answer.
  var lastFailure = ""
  var timer: RuntimeTimer?
  var saveTimer: RuntimeTimer?
  var call: AnyOperation?
  /// True from when the first commit was asked for: there may be something to remove.
  var mayBeInJournal = false
  /// Whose it was, until the journal has forgotten that.
  var formerAccounts: [Account] = []
  private var watchers: [Watcher] = []

  private struct Watcher {
    let run: Operation<Void>
    /// What it waits for; nil for any phase.
    let milestone: WriteMilestone?
  }

  init(_ write: Write, ledger: LedgerNode) {
    self.write = write
    self.ledger = ledger
  }

  var isOver: Bool { stage == .over }
  /// True until the first byte may have left.
  var isUnsent: Bool { decided == nil || decided == .validated }

  func enter(_ stage: Stage) {
    turn += 1
    timer?.cancel()
    timer = nil
    call = nil
    isHeldOff = false
    let change = (stage.takesPlace ? 1 : 0) - (self.stage.takesPlace ? 1 : 0)
    self.stage = stage
    ledger?.running += change
  }

  /// Tells a phase, and before it those that are true with it.
  func tell(_ phase: WritePhase) -> [WritePhase] {
    let new = (phase.implied + [phase]).filter { !told.contains($0) }
    told += new
    return new
  }

  /// Wakes those who wait for a phase, once it has come to what they wait for or cannot come there.
  func wakeWatchers() {
    let isOver = told.last?.isFinal ?? false
    let here = watchers
    watchers = []
    for watcher in here where !watcher.run.isSettled {
      if isOver || watcher.milestone.map(hasReached) ?? true {
        watcher.run.accept(())
      } else {
        watchers.append(watcher)
      }
    }
  }

  func hasReached(_ milestone: WriteMilestone) -> Bool {
    told.contains { $0.reaches(milestone) }
  }

  func add(_ run: Operation<Void>, until milestone: WriteMilestone?) {
    watchers.removeAll { $0.run.isSettled }
    watchers.append(Watcher(run: run, milestone: milestone))
  }

  /// What the journal should hold; `unknown` is `sent` to it.
  func record(_ account: Account, _ phase: WritePhase) -> WriteRecord {
    WriteRecord(
      account: account, write: write, phase: phase == .unknown ? .sent : phase, sequence: sequence,
      receipt: receipt, reason: reason)
  }

  /// Takes over what a journal holds of this write.
  func restore(_ record: WriteRecord) {
    sequence = record.sequence
    receipt = record.receipt
    reason = record.reason
    mayBeInJournal = true
    decided = record.phase == .sent ? .unknown : record.phase
    if let decided {
      // What went before `rejected` is not known any more, and is not told.
      if decided == .unknown { _ = tell(.sent) }
      _ = tell(decided)
    }
  }
}

/// Why a write waits for somebody.
public enum WritePause: String, Sendable, Hashable {
  /// It failed as often in a row as its policy allows: a new session, a network that is back, or
  /// `retry` sets it going again.
  case attempts
  /// The server does not accept the credential: a new one, or a new session, sets it going again.
  case signedOut
}

/// A write as its ledger shows it: a value of the moment.
public struct WriteEntry: Sendable, Hashable {
  /// The write.
  public let write: Write
  /// The newest phase that was told, or nil before the first.
  public let phase: WritePhase?
  /// All phases that were told, in order.
  public let phases: [WritePhase]
  /// What the server gave for it; empty if nothing.
  public let receipt: [UInt8]
  /// Why it was rejected or refused; empty otherwise.
  public let reason: String
  /// Why it waits for somebody, or nil if it does not.
  public let pause: WritePause?
  /// How many attempts have failed in a row.
  public let failures: Int
  /// What the last call of the service failed with, in its own words, cut after 400 characters; empty if
  /// none has failed, and after an answer. Of this process: the journal does not keep it.
  public let lastFailure: String

  @MainActor
  init(_ item: WriteItem) {
    write = item.write
    phase = item.told.last
    phases = item.told
    receipt = item.receipt
    reason = item.reason
    if case .paused(let pause) = item.stage { self.pause = pause } else { pause = nil }
    failures = item.failures
    lastFailure = item.lastFailure
  }
}

/// What a foreign error says of itself, short enough to be kept and shown.
func words(of error: any Error) -> String {
  let text = "\(error)".unicodeScalars
  let longest = 400
  let start = text.prefix(longest)
  return start.endIndex == text.endIndex ? String(start) : String(start) + "…"
}
