// A count with one waiter: how both sides of a case wait, at the same small cost.

@MainActor
final class Latch {
  private var left = 0
  private var waiter: CheckedContinuation<Void, Never>?

  /// Waits until `count` more have arrived.
  func wait(for count: Int) async {
    left += count
    if left > 0 { await withCheckedContinuation { waiter = $0 } }
  }

  func arrive() {
    left -= 1
    if left == 0 {
      waiter?.resume()
      waiter = nil
    }
  }
}

/// A clock on which no time passes, so that no timer of the platform takes part.
struct StillClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }
  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    await waitForCancellation()
    throw CancellationError()
  }
}
