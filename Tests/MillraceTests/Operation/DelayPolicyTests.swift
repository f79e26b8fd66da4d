import Millrace
import RaceLab
import Testing

/// Debounce and throttle, on the manual clock.
@Suite struct DelayPolicyTests {
  @MainActor @discardableResult
  private func run(
    _ number: Int, _ scope: FlowScope<Int>, _ policy: OperationPolicy, _ log: Log,
    _ gate: Gate<Void>? = nil
  ) -> Operation<Void> {
    scope.perform("key", policy) {
      log("begin \(number)")
      try await gate?.wait()
    } onCancel: { cause in
      log("cancelled \(number) \(cause)")
    }
  }

  // A search for each key stroke is what debouncing prevents; the last one must not be lost.
  @Test func debounce_beginsTheNewestAfterAPause() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let policy = OperationPolicy.debounce(.seconds(2))
      run(1, stage.scope, policy, log)
      await lab.advance(by: .seconds(1))
      run(2, stage.scope, policy, log)
      await lab.advance(by: .seconds(1))
      #expect(log.lines == ["cancelled 1 superseded"])
      await lab.advance(by: .seconds(1))
      #expect(log.lines == ["cancelled 1 superseded", "begin 2"])
      run(3, stage.scope, policy, log)
      await lab.advance(by: .seconds(2))
      #expect(log.lines.last == "begin 3")
    }
  }

  // What runs goes on until the pause is over; then the newest wins.
  @Test func debounceOverARunningOne_supersedesItAtThePause() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      let policy = OperationPolicy.debounce(.seconds(2))
      let first = run(1, stage.scope, policy, log, gate)
      await lab.advance(by: .seconds(2))
      run(2, stage.scope, policy, log)
      await lab.advance(by: .seconds(1))
      #expect(first.isCurrent)
      await lab.advance(by: .seconds(1))
      #expect(log.lines == ["begin 1", "cancelled 1 superseded", "begin 2"])
    }
  }

  // A flow that ends, or a key that is cancelled, must not search after the pause.
  @Test func debounceCancelledWhileItWaits_neverBegins() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let policy = OperationPolicy.debounce(.seconds(2))
      let child = stage.scope.step()
      if let scope = child.scope {
        run(1, scope, policy, log)
        scope.cancel("key")
        run(2, scope, policy, log).cancel()
        run(3, scope, policy, log)
      }
      child.dismiss()
      await lab.advance(by: .seconds(10))
      #expect(log.lines == ["cancelled 1 requested", "cancelled 2 requested"])
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // Nothing to wait for: it begins in the next job, and still only the newest.
  @Test(arguments: [Duration.zero, .seconds(-3)])
  func debounceOfNoTime_beginsTheNewestInTheNextJob(_ time: Duration) async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      run(1, stage.scope, .debounce(time), log)
      run(2, stage.scope, .debounce(time), log)
      await lab.settle()
      #expect(log.lines == ["cancelled 1 superseded", "begin 2"])
    }
  }

  // The first begins at once; of those in between the newest begins when the time is over.
  @Test func throttle_beginsAtOnceThenTheNewestOncePerTime() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let policy = OperationPolicy.throttle(.seconds(10))
      run(1, stage.scope, policy, log)
      await lab.settle()
      #expect(log.lines == ["begin 1"])
      await lab.advance(by: .seconds(4))
      run(2, stage.scope, policy, log)
      await lab.advance(by: .seconds(4))
      run(3, stage.scope, policy, log)
      await lab.advance(by: .seconds(1))
      #expect(log.lines == ["begin 1", "cancelled 2 superseded"])
      await lab.advance(by: .seconds(1))
      #expect(log.lines == ["begin 1", "cancelled 2 superseded", "begin 3"])
      // The time counts from the beginning of that one.
      await lab.advance(by: .seconds(9))
      run(4, stage.scope, policy, log)
      await lab.settle()
      #expect(log.lines.count == 3)
      await lab.advance(by: .seconds(1))
      #expect(log.lines.last == "begin 4")
      await lab.advance(by: .seconds(30))
      run(5, stage.scope, policy, log)
      await lab.settle()
      #expect(log.lines.last == "begin 5")
    }
  }

  // A throttled key that is cancelled is free again.
  @Test func throttleAfterCancel_beginsAtOnce() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let policy = OperationPolicy.throttle(.seconds(10))
      run(1, stage.scope, policy, log)
      await lab.settle()
      run(2, stage.scope, policy, log)
      stage.scope.cancel("key")
      run(3, stage.scope, policy, log)
      await lab.settle()
      #expect(log.lines == ["begin 1", "cancelled 2 requested", "begin 3"])
    }
  }

  // No time to wait: each begins, and supersedes what runs.
  @Test(arguments: [Duration.zero, .seconds(-3)])
  func throttleOfNoTime_beginsEach(_ time: Duration) async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      for number in 1...3 {
        run(number, stage.scope, .throttle(time), log, gate)
        await lab.settle()
      }
      #expect(
        log.lines == [
          "begin 1", "cancelled 1 superseded", "begin 2", "cancelled 2 superseded", "begin 3",
        ])
    }
  }

  // An end while the key is held back leaves no timer that starts work later.
  @Test func throttleOfAnEndedFlow_beginsNothing() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step()
      if let scope = child.scope {
        run(1, scope, .throttle(.seconds(10)), log)
        run(2, scope, .throttle(.seconds(10)), log)
      }
      await lab.settle()
      child.dismiss()
      await lab.advance(by: .seconds(60))
      #expect(log.lines == ["begin 1"])
      #expect(lab.clock.sleeperCount == 0)
    }
  }

  // "For ever" is a duration that people write as the largest one.
  @Test func hugeTimes_waitForEver() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let ever = Duration.seconds(Int64.max)
      let gate = lab.gate("gate")
      await lab.advance(by: .seconds(5))
      run(1, stage.scope, .debounce(ever), log)
      stage.scope.perform("other", .throttle(ever), limit: ever) { log("other") }
      let limited = stage.scope.perform("limited", limit: ever) { try await gate.wait() }
      await lab.advance(by: .seconds(1_000_000))
      #expect(log.lines == ["other"])
      #expect(limited.isCurrent)
    }
  }
}
