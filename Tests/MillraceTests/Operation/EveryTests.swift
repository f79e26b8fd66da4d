import Millrace
import RaceLab
import Testing

/// The timer that ends itself, and `sleep`.
@Suite struct EveryTests {
  // The ticks must not drift with the time that a body takes.
  @Test func ticks_comeAtMultiplesOfTheInterval() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      stage.scope.every(.seconds(10)) { log(lab.clock.now.elapsed) }
      await lab.advance(by: .seconds(35))
      #expect(log.lines == ["10.0 seconds", "20.0 seconds", "30.0 seconds"])
    }
  }

  // Ticks that fall due while a body runs are left out, not caught up with in a burst.
  @Test func ticksDuringABody_areLeftOut() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("body")
      stage.scope.every(.seconds(10)) {
        log(lab.clock.now.elapsed)
        try await gate.wait()
      }
      await lab.advance(by: .seconds(37))
      #expect(log.lines == ["10.0 seconds"])
      gate.open()
      await lab.settle()
      #expect(log.lines.count == 1)
      await lab.advance(by: .seconds(3))
      #expect(log.lines == ["10.0 seconds", "40.0 seconds"])
    }
  }

  // A swallowed cancellation ran the body once more after the end.
  @Test func end_stopsTheTicks() async throws {
    try await Lab.run { lab in
      let ticks = Tally()
      let stage = try Stage(lab)
      let child = stage.scope.step()
      let run = child.scope?.every(.seconds(10)) { ticks.add() }
      await lab.advance(by: .seconds(25))
      child.dismiss()
      #expect(run?.outcome?.cancellation == .flowEnded)
      await lab.advance(by: .seconds(100))
      #expect(ticks.value == 2)
      #expect(lab.clock.sleeperCount == 0)
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // Cancelled in the very job in which a tick fires, the body does not run.
  @Test func cancelAtTheTick_runsNoBody() async throws {
    try await Lab.run { lab in
      let ticks = Tally()
      let stage = try Stage(lab)
      let held = Held<TaskOperation?>(nil)
      stage.scope.every(.seconds(10), "first") { held.value?.cancel() }
      held.value = stage.scope.every(.seconds(10), "second") { ticks.add() }
      await lab.advance(by: .seconds(50))
      #expect(ticks.value == 0)
    }
  }

  // An error ends the timer, and the flow unless it is taken.
  @Test func errorOfABody_isTakenOrEndsTheFlow() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let taking = stage.scope.step(start: { step in
        step.scope.every(.seconds(1), onError: { log($0) }) {
          log("tick")
          throw Oops()
        }
      })
      let failing = stage.scope.step(
        start: { step in step.scope.every(.seconds(1)) { throw Oops() } },
        onEnding: { log($0.kind) })
      await lab.advance(by: .seconds(5))
      #expect(Set(log.lines) == ["tick", "Oops()", "failed"])
      #expect(log.lines.count == 3)
      #expect(taking.isCurrent)
      #expect(!failing.isCurrent)
    }
  }

  // No interval is no busy loop: time has to move for each tick.
  @Test(arguments: [Duration.zero, .seconds(-1)])
  func intervalOfNoTime_doesNotSpin(_ interval: Duration) async throws {
    try await Lab.run(stepLimit: 100_000) { lab in
      let ticks = Tally()
      let stage = try Stage(lab)
      let run = stage.scope.every(interval) { ticks.add() }
      await lab.settle()
      #expect(ticks.value == 0)
      await lab.advance(by: .nanoseconds(3))
      #expect(ticks.value == 3)
      run.cancel()
    }
  }

  // The largest interval is never, not now.
  @Test func hugeInterval_neverTicks() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      await lab.advance(by: .seconds(3))
      stage.scope.every(.seconds(Int64.max)) { Issue.record("it ticked") }
      await lab.advance(by: .seconds(1_000_000))
    }
  }

  // `sleep` waits on the runtime's clock, so that a test can move it.
  @Test func sleep_endsAtItsTime() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let scope = stage.scope
      scope.task {
        try await scope.sleep(for: .seconds(5))
        log(lab.clock.now.elapsed)
        try await scope.sleep(for: .zero)
        try await scope.sleep(for: .seconds(-5))
        log(lab.clock.now.elapsed)
      }
      await lab.advance(by: .seconds(4))
      #expect(log.lines == [])
      await lab.advance(by: .seconds(4))
      #expect(log.lines == ["5.0 seconds", "5.0 seconds"])
    }
  }

  // A sleeper must not outlive its flow, nor its task.
  @Test func sleepOfAnEndedFlowOrTask_throwsAtOnce() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step()
      let scope = try #require(child.scope)
      @MainActor func sleep(_ name: String) -> Task<Void, Never> {
        Task { @MainActor in
          do { try await scope.sleep(for: .seconds(5)) } catch { log("\(name) \(error)") }
        }
      }
      let cancelled = sleep("task")
      _ = sleep("flow")
      await lab.settle()
      cancelled.cancel()
      await lab.settle()
      child.dismiss()
      await lab.settle()
      #expect(
        log.lines == [
          "task the operation was cancelled: requested",
          "flow the operation was cancelled: flowEnded",
        ])
    }
  }
}
