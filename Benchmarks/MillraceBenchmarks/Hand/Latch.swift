// A count with one waiter: how both sides of a case wait, at the same small cost.

import Synchronization

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

/// The same for arrivals from any thread.
final class SharedLatch: Sendable {
  private struct State {
    var left = 0
    var waiter: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        state.left += count
        if state.left > 0 { state.waiter = continuation }
        return state.left <= 0
      }
      if isDone { continuation.resume() }
    }
  }

  func arrive() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.left -= 1
      guard state.left == 0 else { return nil }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
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
