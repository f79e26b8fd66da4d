import RaceLab
import Testing

@Suite struct ManualClockTests {
  // Nobody but the test may move this clock.
  @Test(.enabled(if: !Lab.uncontrolled.contains("sleep")))
  func clock_standsStillBySettlingAndSleeping() async throws {
    try await Lab.run { lab in
      let clock = lab.clock
      var woke = false
      Task {
        try await clock.sleep(for: .seconds(1))
        woke = true
      }
      try await Task.sleep(for: .seconds(3600))
      await lab.settle()
      #expect(!woke)
      #expect(clock.sleeperCount == 1)
      #expect(clock.nextDeadline == .init(elapsed: .seconds(1)))
    }
  }

  // Jumping to the end at once would wake sleepers in the wrong order, and lose repeated ones.
  @Test func advance_goesFromDeadlineToDeadline() async throws {
    try await Lab.run { lab in
      let clock = lab.clock
      var order: [String] = []
      Task {
        for tick in 1...3 {
          try await clock.sleep(for: .seconds(2))
          order.append("tick \(tick) at \(clock.now)")
        }
      }
      Task {
        try await clock.sleep(for: .seconds(3))
        order.append("once at \(clock.now)")
      }
      await lab.advance(by: .seconds(5))
      #expect(
        order == ["tick 1 at 2.0 seconds", "once at 3.0 seconds", "tick 2 at 4.0 seconds"])
      #expect(clock.now == .init(elapsed: .seconds(5)))
      await lab.advance(by: .seconds(1))
      #expect(order.last == "tick 3 at 6.0 seconds")
    }
  }

  // A deadline that is reached exactly is reached.
  @Test func advanceToTheVeryDeadline_wakesTheSleeper() async throws {
    try await Lab.run { lab in
      let clock = lab.clock
      let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
      await lab.advance(by: .seconds(5))
      #expect(clock.sleeperCount == 0)
      try await sleeper.value
    }
  }

  // A cancelled time limit that slept on would hold its operation.
  @Test func cancelledSleeper_throwsAtOnce() async throws {
    try await Lab.run { lab in
      let clock = lab.clock
      let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
      await lab.settle()
      sleeper.cancel()
      await #expect(throws: CancellationError.self) { try await sleeper.value }
      #expect(clock.sleeperCount == 0)
      #expect(clock.now == .init(elapsed: .zero))
    }
  }

  // Cancelled before its first line, a task must not register a sleep that nobody can end.
  @Test func cancelledBeforeTheSleep_neverSleeps() async throws {
    try await Lab.run { lab in
      let clock = lab.clock
      let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
      sleeper.cancel()
      await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
  }

  // A deadline in the past is no reason to wait for the next advance.
  @Test func deadlineInThePast_returnsAtOnce() async throws {
    try await Lab.run { lab in
      await lab.advance(by: .seconds(5))
      try await lab.clock.sleep(until: .init(elapsed: .seconds(5)))
      await lab.advance(to: .init(elapsed: .seconds(1)))
      #expect(lab.clock.now == .init(elapsed: .seconds(5)))
    }
  }

  // Code under test takes `any Clock<Duration>`; it must end up at the same clock.
  @Test func asAnyClock_sleepsTheSame() async throws {
    try await Lab.run { lab in
      let clock: any Clock<Duration> = lab.clock
      let sleeper = Task { try await clock.sleep(for: .seconds(5)) }
      await lab.settle()
      #expect(lab.clock.sleeperCount == 1)
      await lab.advance(by: .seconds(5))
      try await sleeper.value
    }
  }
}
