// A clock on which every sleep is over at once: latency is added up, and nobody waits for it.

/// Time that passes only by being slept.
package final class InstantClock: Clock {
  /// A point of that time.
  package struct Instant: InstantProtocol {
    var elapsed: Duration

    package func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }
    package func duration(to other: Instant) -> Duration { other.elapsed - elapsed }
    package static func < (a: Instant, b: Instant) -> Bool { a.elapsed < b.elapsed }
  }

  private let time = Locked(Instant(elapsed: .zero))

  /// Makes a clock that stands at zero.
  package init() {}

  package var now: Instant { time.withLock(\.self) }
  package var minimumResolution: Duration { .zero }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline) }
  }
}
