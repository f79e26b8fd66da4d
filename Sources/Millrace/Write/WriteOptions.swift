// How a runtime handles writes: service, journal, limits and tries.

/// What a runtime needs to take writes.
public struct WriteOptions: Sendable {
  /// How an unknown write is cleared up.
  public enum Reconciliation: Sendable, Hashable {
    /// It is sent again with the same key.
    case resend
    /// The server is asked for the key first; it is sent again only if it was never seen.
    case ask
  }

  /// Checks, sends and asks.
  public var service: any WriteService
  /// Where writes are kept.
  public var journal: any WriteJournal
  /// How long one call of the service may take.
  public var callLimit: Duration
  /// How long one call of the journal may take until the ledger says that it does not answer. A commit
  /// is waited for all the same: whether it is made is not known before.
  public var journalLimit: Duration
  /// How often and when a write is tried again.
  public var retry: RetryPolicy
  /// When an accepted write is asked about until it is confirmed; nil to wait for reports only.
  public var confirmation: RetryPolicy?
  /// How an unknown write is cleared up.
  public var reconciliation: Reconciliation
  /// How many writes may be on their way at once; at least 1. They begin in the order of submission;
  /// only with 1, and as long as none has to be tried again, do they also arrive in it.
  public var concurrency: Int
  /// How long writes that are on their way may take after their session was closed.
  public var finishLimit: Duration
  /// How many writes that are over the ledger remembers, for each account.
  public var remembered: Int
  /// Where jitter begins: the same seed, the same delays.
  public var seed: UInt64

  /// Makes the options.
  public init(
    service: any WriteService, journal: any WriteJournal = MemoryWriteJournal(),
    callLimit: Duration = .seconds(30), journalLimit: Duration = .seconds(30),
    retry: RetryPolicy = RetryPolicy(),
    confirmation: RetryPolicy? = .patient, reconciliation: Reconciliation = .resend,
    concurrency: Int = 4, finishLimit: Duration = .seconds(10), remembered: Int = 256,
    seed: UInt64? = nil
  ) {
    self.service = service
    self.journal = journal
    self.callLimit = callLimit
    self.journalLimit = journalLimit
    self.retry = retry
    self.confirmation = confirmation
    self.reconciliation = reconciliation
    self.concurrency = concurrency
    self.finishLimit = finishLimit
    self.remembered = remembered
    self.seed = seed ?? UInt64.random(in: .min ... .max)
  }
}

/// When something is tried again: after a delay that grows up to a limit, less a random part of it.
public struct RetryPolicy: Sendable, Hashable {
  /// How many attempts of one write may fail in a row before it pauses; at least 1. A new session, a
  /// network that is back, or `retry` begins a new row.
  public var attempts: Int
  /// The delay after the first failure.
  public var first: Duration
  /// By how much the delay grows from one failure to the next; at least 1.
  public var factor: Double
  /// The longest delay.
  public var longest: Duration
  /// The share of a delay, 0 to 1, that is left to chance, so that clients do not come back in step.
  public var jitter: Double

  /// Makes a policy.
  public init(
    attempts: Int = 8, first: Duration = .seconds(1), factor: Double = 2,
    longest: Duration = .seconds(300), jitter: Double = 0.5
  ) {
    self.attempts = attempts
    self.first = first
    self.factor = factor
    self.longest = longest
    self.jitter = jitter
  }

  /// For what may take long: begins at 5 seconds, and does not give up.
  public static let patient = RetryPolicy(attempts: .max, first: .seconds(5))

  /// No delay is longer: a hundred years, which can be added to and divided without care.
  private static let forEver = Duration.seconds(100 * 366 * 86_400)

  /// The delay after this many failures in a row, the first being 0.
  func delay(after failures: Int, using generator: inout SplitMix64) -> Duration {
    let growth = factor.isFinite ? max(1, factor) : 1
    let limit = min(max(longest, .zero), Self.forEver)
    var delay = min(max(first, .zero), limit)
    // Fifty steps reach any limit that a growth of more than a third is for.
    for _ in 0..<min(max(failures, 0), 50) where delay < limit {
      // Compared before it is made: a product may be more than a duration can hold.
      delay = delay < limit / growth ? delay * growth : limit
    }
    let share = jitter.isFinite ? min(max(jitter, 0), 1) : 0
    return delay * (1 - share * Double.random(in: 0..<1, using: &generator))
  }
}

/// Whether there is a network. Offline is a state, not a failure: writes wait, and no attempt counts.
public enum Connectivity: String, Sendable, Hashable {
  /// Writes go out.
  case online
  /// Writes are checked and kept, and wait.
  case offline
}

/// What becomes of writes that were not sent when their session is closed. What was sent is finished
/// or cleared up later, whatever is said here. A journal that cannot be written keeps them, and nothing
/// of it is sent.
public enum UnsentWrites: String, Sendable, Hashable, CaseIterable {
  /// They wait until the same account signs in again.
  case keep
  /// They are withdrawn.
  case discard
}
