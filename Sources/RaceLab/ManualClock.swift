// A clock that moves only when the test says so.

/// A clock whose time stands still until ``Lab/advance(by:isolation:)`` moves it.
///
/// Sleepers register themselves, so a test sees how many there are before it moves time. May be
/// used from any isolation and any thread. When its lab's run is over, sleepers get
/// ``LabError/ended``.
public final class ManualClock: Clock, Sendable {
  /// A moment: the time since the run began.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// Time since the run began.
    public let elapsed: Duration

    /// The moment at which `elapsed` has passed since the run began.
    public init(elapsed: Duration) { self.elapsed = elapsed }

    /// The moment `duration` later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(elapsed: elapsed + duration)
    }

    /// The time from this moment to `other`; negative if that is earlier.
    public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }

    /// Whether `a` is earlier than `b`.
    public static func < (a: Instant, b: Instant) -> Bool { a.elapsed < b.elapsed }

    /// The time since the run began, as text.
    public var description: String { "\(elapsed)" }
  }

  private struct Sleeper {
    let number: Int
    let deadline: Instant
    let resumption: Resumption<Void>
  }

  private struct State {
    var now = Instant(elapsed: .zero)
    /// In order of deadline, then of arrival.
    var sleepers: [Sleeper] = []
    /// Numbers of sleeps that were cancelled before their continuation was there.
    var cancelledEarly: Set<Int> = []
    var arrivals = 0
    var ended = false
  }

  private let state = Guarded(State())

  init() {}

  /// The clock's present, as last moved to.
  public var now: Instant { state.withLock { $0.now } }

  /// Zero: the clock stands at every moment exactly.
  public var minimumResolution: Duration { .zero }

  /// Number of tasks asleep.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// The earliest moment at which a sleeper is due, or nil if none sleeps.
  public var nextDeadline: Instant? { state.withLock { $0.sleepers.first?.deadline } }

  /// Sleeps until the clock has been moved to `deadline`; returns at once if it is there already.
  /// Throws `CancellationError` as soon as the task is cancelled, also if it was before the call.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let number = state.withLock { state in
      state.arrivals += 1
      return state.arrivals
    }
    try await withTaskCancellationHandler {
      try await suspend(number, until: deadline)
    } onCancel: {
      cancel(number)
    }
  }

  private func suspend(
    _ number: Int, until deadline: Instant
  ) async throws {
    try await Resumption<Void>.suspend { resumption in
      CurrentRun.value?.touch(self)
      return state.withLock { state in
        if state.ended { return .failure(LabError.ended) }
        if state.cancelledEarly.remove(number) != nil { return .failure(CancellationError()) }
        if deadline <= state.now { return .success(()) }
        var index = state.sleepers.endIndex
        while index > 0, state.sleepers[index - 1].deadline > deadline { index -= 1 }
        state.sleepers.insert(
          Sleeper(number: number, deadline: deadline, resumption: resumption), at: index)
        return nil
      }
    }
  }

  private func cancel(_ number: Int) {
    CurrentRun.value?.touch(self)
    let sleeper: Sleeper? = state.withLock { state in
      guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
        state.cancelledEarly.insert(number)
        return nil
      }
      return state.sleepers.remove(at: index)
    }
    sleeper?.resumption(.failure(CancellationError()))
  }

  /// Moves to `instant`, or to the earliest deadline if that comes first, and wakes those who are
  /// due. Never moves back. Returns whether `instant` is reached.
  func move(towards instant: Instant) -> Bool {
    CurrentRun.value?.touch(self)
    let (due, reached): ([Sleeper], Bool) = state.withLock { state in
      let stop = min(state.sleepers.first?.deadline ?? instant, instant)
      state.now = max(state.now, stop)
      let due = state.sleepers.prefix { $0.deadline <= state.now }
      state.sleepers.removeFirst(due.count)
      return (Array(due), due.isEmpty && state.now >= instant)
    }
    for sleeper in due { sleeper.resumption(.success(())) }
    return reached
  }
}

extension ManualClock: Parking {
  var waiting: [String] {
    let deadlines = state.withLock { $0.sleepers.map(\.deadline) }
    return deadlines.map { "manual clock, until \($0)" }
  }

  func end() {
    let sleepers = state.withLock { state in
      state.ended = true
      defer { state.sleepers = [] }
      return state.sleepers
    }
    for sleeper in sleepers { sleeper.resumption(.failure(LabError.ended)) }
  }
}
