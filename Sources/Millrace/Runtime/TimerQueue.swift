// The runtime's own timers on the injected clock: a heap of deadlines and one sleeping task, so
// that a cancelled timer costs nothing until its deadline. Order: deadline, then age.

/// One timer. Cancelling releases its closure at once.
@MainActor
final class RuntimeTimer {
  fileprivate let deadline: Duration
  fileprivate let order: UInt64
  fileprivate var fire: (@MainActor () -> Void)?
  fileprivate let queue: TimerQueue

  fileprivate init(
    deadline: Duration, order: UInt64, queue: TimerQueue, fire: @escaping @MainActor () -> Void
  ) {
    self.deadline = deadline
    self.order = order
    self.queue = queue
    self.fire = fire
  }

  func cancel() {
    guard fire != nil else { return }
    fire = nil
    queue.timerCancelled()
  }
}

@MainActor
final class TimerQueue {
  /// The time since the runtime was made.
  let clockNow: @Sendable () -> Duration
  private let clockSleep: @Sendable (Duration) async throws -> Void
  private var heap: [RuntimeTimer] = []
  private var dead = 0
  private var lastOrder: UInt64 = 0
  private var sleeper: Task<Void, Never>?
  private var sleepsFor: Duration?
  /// The latest time that a sleep has reached, also on a clock whose `now` is behind its sleeps.
  private var reached = Duration.zero
  /// No sleep is longer: that of the platform returns at once for the largest durations.
  private static let longestSleep = Duration.seconds(86_400)
  /// A delay of thousands of years is as good as a longer one, and can be added to any time.
  private static let farAway = Duration.seconds(1 << 40)

  init(_ clock: some Clock<Duration>) {
    // The clock that apps have, with its type known: reading one of any type looks up types.
    if let clock = clock as? ContinuousClock {
      let origin = clock.now
      clockNow = { origin.duration(to: clock.now) }
      clockSleep = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
      return
    }
    let origin = clock.now
    clockNow = { origin.duration(to: clock.now) }
    clockSleep = { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
  }

  /// The time since the runtime was made.
  var now: Duration { clockNow() }

  /// Calls the closure on the main actor when this time has passed, in a job of its own.
  func after(_ delay: Duration, _ fire: @escaping @MainActor () -> Void) -> RuntimeTimer {
    at(now + min(max(.zero, delay), Self.farAway), fire)
  }

  /// The same, for a time since the runtime was made.
  func at(_ deadline: Duration, _ fire: @escaping @MainActor () -> Void) -> RuntimeTimer {
    lastOrder += 1
    let timer = RuntimeTimer(deadline: deadline, order: lastOrder, queue: self, fire: fire)
    push(timer)
    resleep()
    return timer
  }

  fileprivate func timerCancelled() {
    dead += 1
    if dead * 2 > heap.count {
      let alive = heap.filter { $0.fire != nil }
      heap = []
      dead = 0
      for timer in alive { push(timer) }
    }
    dropDeadHead()
    resleep()
  }

  /// Sleeps until the first deadline, with one task.
  private func resleep() {
    let first = heap.first?.deadline
    guard first != sleepsFor else { return }
    sleeper?.cancel()
    sleeper = nil
    sleepsFor = first
    guard let first else { return }
    let sleep = clockSleep
    let until = min(first, max(now, reached) + Self.longestSleep)
    sleeper = Task { @MainActor in
      try? await sleep(until)
      if !Task.isCancelled { self.wake(first, until) }
    }
  }

  private func wake(_ deadline: Duration, _ until: Duration) {
    guard sleepsFor == deadline else { return }
    sleeper = nil
    sleepsFor = nil
    // The clock may have woken us early; it has at least reached what we asked for.
    reached = until
    let time = max(now, until)
    while let first = heap.first, first.deadline <= time {
      pop()
      guard let fire = first.fire else {
        dead -= 1
        continue
      }
      first.fire = nil
      fire()
    }
    resleep()
  }

  private func dropDeadHead() {
    while let first = heap.first, first.fire == nil {
      pop()
      dead -= 1
    }
  }

  // MARK: - Heap

  private func precedes(_ a: RuntimeTimer, _ b: RuntimeTimer) -> Bool {
    a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order
  }

  private func push(_ timer: RuntimeTimer) {
    heap.append(timer)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(heap[child], heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private func pop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && precedes(heap[child], heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
