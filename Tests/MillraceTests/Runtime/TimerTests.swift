import Millrace
import RaceLab
import Testing

/// The runtime's timers, through what uses them: many at once, cancelled in odd orders.
@Suite struct TimerTests {
  // Deadline first, then age: the order in which they were asked for is no order.
  @Test func manySleeps_endInTheOrderOfTheirDeadlines() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let scope = stage.scope
      let delays = (0..<200).map { ($0 * 73) % 97 + 1 }
      for (number, delay) in delays.enumerated() {
        scope.task {
          try await scope.sleep(for: .seconds(delay))
          log("\(delay) \(number)")
        }
      }
      await lab.advance(by: .seconds(200))
      let expected = delays.enumerated()
        .sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
        .map { "\($0.element) \($0.offset)" }
      #expect(log.lines == expected)
    }
  }

  // However many timers there are, the clock is asked to wake one task.
  @Test func manyTimers_sleepOnce() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      for second in (1...100).reversed() {
        stage.scope.perform("key \(second)", .debounce(.seconds(second))) {}
      }
      await lab.settle()
      #expect(lab.clock.sleeperCount == 1)
      #expect(lab.clock.nextDeadline?.elapsed == .seconds(1))
    }
  }

  // Cancelled from the front, the back and the middle: those that are left come, in order.
  @Test func cancelledInOddOrders_theOthersCome() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let runs = (1...100).map { second in
        stage.scope.perform("key \(second)", .debounce(.seconds(second))) { log(second) }
      }
      for index in [0, 99, 50, 1, 98, 49] + Array(stride(from: 2, to: 97, by: 3)) {
        runs[index].cancel()
      }
      let left = runs.indices.filter { runs[$0].isCurrent }.map { "\($0 + 1)" }
      await lab.advance(by: .seconds(200))
      #expect(log.lines == left)
      #expect(lab.clock.sleeperCount == 0)
    }
  }

  // A timer that is cancelled must not keep the clock waiting for it.
  @Test func cancelledFirstTimer_wakesAtTheNext() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let first = stage.scope.perform("first", limit: .seconds(1)) {
        try await lab.gate("never").wait()
      }
      stage.scope.perform("second", limit: .seconds(7)) { try await lab.gate("never").wait() }
      await lab.settle()
      first.cancel()
      await lab.settle()
      #expect(lab.clock.nextDeadline?.elapsed == .seconds(7))
    }
  }

  // Asked for and answered a thousand times: nothing of it stays on the clock.
  @Test func limitsOfAnsweredRuns_leaveNoSleeper() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      for number in 0..<1_000 {
        stage.scope.perform("key", limit: .seconds(number + 1)) {}
        if number.isMultiple(of: 10) { await lab.settle() }
      }
      await lab.settle()
      #expect(lab.clock.sleeperCount == 0)
      #expect(lab.clock.nextDeadline == nil)
    }
  }

  // A timer's handler that asks for another one, and one that ends what is due with it.
  @Test func timersThatChangeTimers_stayInOrder() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let scope = stage.scope
      let held = Held<Operation<Void>?>(nil)
      let never = lab.gate("never")
      scope.perform("a", limit: .seconds(1)) {
        try await never.wait()
      } then: { _ in
        log("a")
        held.value?.cancel()
        scope.perform("c", limit: .zero) {
          try await never.wait()
        } then: { _ in
          log("c")
        }
        scope.perform("d", limit: .seconds(1)) {
          try await never.wait()
        } then: { _ in
          log("d")
        }
      }
      held.value = scope.perform("b", limit: .seconds(1)) {
        try await never.wait()
      } then: { _ in
        log("b")
      }
      await lab.advance(by: .seconds(1))
      #expect(log.lines == ["a", "c"])
      await lab.advance(by: .seconds(1))
      #expect(log.lines == ["a", "c", "d"])
    }
  }

  // A clock that wakes too early, as the platform's does for the longest sleeps, must not make
  // "for ever" pass at once.
  @Test func clockThatWakesEarly_isNotBelieved() async throws {
    try await Lab.run(stepLimit: 10_000) { lab in
      let clock = EarlyClock(inner: lab.clock)
      let stage = try Stage(clock: clock)
      let run = stage.scope.perform("ever", limit: .seconds(Int64.max)) {
        try await lab.gate("never").wait()
      }
      await lab.settle()
      #expect(run.isCurrent)
    }
  }
}

/// A clock whose first long sleep returns at once, as that of the platform does for the largest
/// durations.
private struct EarlyClock: Clock {
  let inner: ManualClock
  let early = Tally()
  var now: ManualClock.Instant { inner.now }
  var minimumResolution: Duration { inner.minimumResolution }
  func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
    if early.value == 0 {
      early.add()
      return
    }
    try await inner.sleep(until: deadline, tolerance: tolerance)
  }
}
