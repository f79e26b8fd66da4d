// The timer primitive: it ends itself with its owner, and no body runs after that.

extension RuntimeCore {
  func every(
    _ interval: Duration, _ name: String, owner: Owner, heldBy held: Provisional?,
    onError: (@MainActor (any Error) -> Void)?, _ body: @escaping @MainActor () async throws -> Void
  ) -> TaskOperation {
    let interval = max(interval, .nanoseconds(1))
    let timer = Ticker(timers: timers, interval: interval)
    let run = TaskOperation(name: name, owner: owner, onError: onError) {
      while await timer.tick() { try await body() }
    }
    run.onCancelled = { timer.stop() }
    if let held { held.hold(run) { run.launch() } } else { run.launch() }
    return run
  }
}

/// The ticks of one `every`.
@MainActor
private final class Ticker {
  private let timers: TimerQueue
  private let interval: Duration
  private var last: Duration
  private var timer: RuntimeTimer?
  private var waiter: CheckedContinuation<Void, Never>?
  private var isStopped = false

  init(timers: TimerQueue, interval: Duration) {
    self.timers = timers
    self.interval = interval
    last = timers.now
  }

  /// Waits for the next tick. False when the run has been cancelled.
  func tick() async -> Bool {
    guard !isStopped else { return false }
    let now = timers.now
    let missed = now > last ? Int((now - last) / interval) : 0
    last += interval * (missed + 1)
    await withCheckedContinuation { continuation in
      waiter = continuation
      timer = timers.at(last) { self.wake() }
    }
    return !isStopped
  }

  /// The run was cancelled.
  func stop() {
    isStopped = true
    timer?.cancel()
    wake()
  }

  private func wake() {
    timer = nil
    waiter?.resume()
    waiter = nil
  }
}
