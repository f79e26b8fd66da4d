import RaceLab
import Testing

@Suite struct GateTests {
  // The gate's purpose: a task goes on exactly when the test says so, with the test's value.
  @Test func openWithAValue_releasesAllThatWait() async throws {
    try await Lab.run { lab in
      let gate = lab.gate(of: String.self, "answer")
      let waiters = (0..<3).map { _ in Task { try await gate.wait() } }
      await lab.settle()
      #expect(gate.waiterCount == 3)
      #expect(gate.arrivals == 3)
      gate.open(with: "yes")
      #expect(gate.waiterCount == 0)
      for waiter in waiters {
        let value = try await waiter.value
        #expect(value == "yes")
      }
    }
  }

  // A gate that stayed open after a release would let a later request through unasked.
  @Test func openedGate_isClosedAgain() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("step")
      let first = Task { try await gate.wait() }
      await lab.settle()
      gate.open()
      try await first.value
      let second = Task { try await gate.wait() }
      await lab.settle()
      #expect(gate.waiterCount == 1)
      second.cancel()
      await lab.settle()
    }
  }

  // A test that releases before the code arrives must not wait for ever.
  @Test func releasesBeforeArrival_areKeptOneForEachWait() async throws {
    try await Lab.run { lab in
      let gate = lab.gate(of: Int.self, "answer")
      gate.open(with: 1)
      gate.fail(Oops())
      let first = try await gate.wait()
      #expect(first == 1)
      await #expect(throws: Oops.self) { try await gate.wait() }
      let third = Task { try await gate.wait() }
      await lab.settle()
      #expect(gate.waiterCount == 1)
      gate.open(with: 3)
      let thirdValue = try await third.value
      #expect(thirdValue == 3)
    }
  }

  // An error must reach the waiter as the service's own.
  @Test func fail_throwsAtTheWaiter() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("answer")
      let waiter = Task { try await gate.wait() }
      await lab.settle()
      gate.fail(Oops())
      await #expect(throws: Oops.self) { try await waiter.value }
    }
  }

  // Cancellation that does not wake the waiter looks like a hang of the code under test.
  @Test func cooperativeGate_throwsWhenCancelled() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("answer")
      let waiter = Task { try await gate.wait() }
      await lab.settle()
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
      #expect(gate.waiterCount == 0)
    }
  }

  // A task that was cancelled first must not take a release that another one needs.
  @Test func cancelledBeforeTheWait_throwsAndLeavesTheRelease() async throws {
    try await Lab.run { lab in
      let gate = lab.gate(of: Int.self, "answer")
      let waiter = Task { try await gate.wait() }
      waiter.cancel()
      gate.open(with: 1)
      await #expect(throws: CancellationError.self) { try await waiter.value }
      let kept = try await gate.wait()
      #expect(kept == 1)
    }
  }

  // Deaf work is what makes a stale answer arrive; a gate that let go would hide it.
  @Test func deafGate_ignoresCancellation() async throws {
    try await Lab.run { lab in
      let gate = lab.gate(of: Int.self, "answer", .deaf)
      let waiter = Task { try await gate.wait() }
      await lab.settle()
      waiter.cancel()
      await lab.settle()
      #expect(gate.waiterCount == 1)
      gate.open(with: 9)
      let value = try await waiter.value
      #expect(value == 9)
    }
  }

  // A wait inside an actor must come back to that actor.
  @Test func waitInsideAnActor_comesBackToIt() async throws {
    actor Owner {
      var value = 0
      func load(_ gate: Gate<Int>) async throws {
        value = try await gate.wait()
        assertIsolated()
      }
    }
    try await Lab.run { lab in
      let owner = Owner()
      let gate = lab.gate(of: Int.self, "answer")
      let load = Task { try await owner.load(gate) }
      await lab.settle()
      gate.open(with: 4)
      try await load.value
      let value = await owner.value
      #expect(value == 4)
    }
  }

  // After the run nobody can open the gate: a wait that is still open must end.
  @Test func waitAfterTheRun_throwsEnded() async throws {
    let gate = try await Lab.run { lab in lab.gate("late") }
    await #expect(throws: LabError.ended) { try await gate.wait() }
  }
}
