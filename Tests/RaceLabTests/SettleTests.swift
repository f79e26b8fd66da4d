import Dispatch
import RaceLab
import Testing

private actor Counter {
  var count = 0
  func add() { count += 1 }
}

@Suite struct SettleTests {
  // If settle returned early, every assertion after it would be a guess.
  @Test func settle_waitsForEveryKindOfWork() async throws {
    try await Lab.run { lab in
      let counter = Counter()
      let (stream, feed) = AsyncStream.makeStream(of: Int.self)
      Task { for await _ in stream { await counter.add() } }
      Task {
        for _ in 0..<100 { await Task.yield() }
        await counter.add()
      }
      Task.detached {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<5 { group.addTask { await counter.add() } }
        }
      }
      Task {
        async let one: Void = counter.add()
        async let two: Void = counter.add()
        _ = await (one, two)
        for value in 0..<3 { feed.yield(value) }
        feed.finish()
      }
      await lab.settle()
      let count = await counter.count
      #expect(count == 11)
    }
  }

  // Settle must not move time: a test says itself when a sleep is over.
  @Test func settle_leavesSleepersAsleep() async throws {
    try await Lab.run { lab in
      var woke = false
      Task {
        try await Task.sleep(for: .seconds(3600))
        woke = true
      }
      await lab.settle()
      #expect(!woke)
    }
  }

  // A test that sleeps must not wait in real time, and must see what fell due before it.
  @Test(.enabled(if: !Lab.uncontrolled.contains("sleep")))
  func bodyThatSleeps_movesVirtualTimeInOrder() async throws {
    try await Lab.run { lab in
      var order: [String] = []
      Task {
        try await Task.sleep(for: .seconds(7200))
        order.append("late")
      }
      Task {
        try await Task.sleep(nanoseconds: 1_000_000_000)
        order.append("early")
      }
      Task {
        try await Task.sleep(until: .now + .seconds(60), clock: .suspending)
        order.append("middle")
      }
      try await Task.sleep(for: .seconds(3600))
      await lab.settle()
      #expect(order == ["early", "middle"])
    }
  }

  // A cancelled sleep ends at once, in virtual time too.
  @Test func cancelledSleep_throwsAtOnce() async throws {
    try await Lab.run { lab in
      let sleeper = Task { try await Task.sleep(for: .seconds(3600)) }
      await lab.settle()
      sleeper.cancel()
      await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
  }

  // Two that wait for rest wake together; neither may wait for the other for ever.
  @Test func twoThatSettle_bothReturn() async throws {
    try await Lab.run(patience: .zero) { lab in
      let other = Task { await lab.settle() }
      await lab.settle()
      await other.value
    }
  }

  // Code that resumes from a Dispatch queue comes back to the lab's own thread and main actor.
  @Test func resumedByAnotherThread_goesOnInTheLab() async throws {
    let value = try await Lab.run(patience: .seconds(60)) { _ in
      let value = await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: 5) }
      }
      MainActor.assertIsolated()
      return value
    }
    #expect(value == 5)
  }

  // An actor's task that another thread resumes belongs to the lab as well.
  @Test func actorResumedByAnotherThread_goesOnInTheLab() async throws {
    actor Fetcher {
      var value = 0
      func fetch() async {
        value = await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: 5) }
        }
      }
    }
    let value = try await Lab.run(patience: .seconds(60)) { _ in
      let fetcher = Fetcher()
      await fetcher.fetch()
      return await fetcher.value
    }
    #expect(value == 5)
  }

  // So does a task that was started in place, of which the lab has seen no job before.
  @Test func immediateTaskResumedByAnotherThread_goesOnInTheLab() async throws {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let values = try await Lab.run(patience: .seconds(60)) { _ in
      let onMain = Task.immediate {
        let value = await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: 5) }
        }
        MainActor.assertIsolated()
        return (value, Lab.current != nil)
      }
      let detached = Task.immediateDetached {
        let value = await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: 6) }
        }
        return (value, Lab.current != nil)
      }
      return [await onMain.value, await detached.value]
    }
    #expect(values.map(\.0) == [5, 6] && values.map(\.1) == [true, true])
  }

  // Work that is known to be outside is part of what settle waits for.
  @Test func workOutside_isWaitedFor() async throws {
    try await Lab.run { lab in
      var answer = 0
      Task {
        answer = await lab.outside("dispatch") {
          await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: 5) }
          }
        }
      }
      await lab.settle()
      #expect(answer == 5)
    }
  }

  // If it does not come back, the run fails with its name instead of hanging.
  @Test func workOutsideThatStaysThere_failsWithItsName() async throws {
    await #expect(throws: LabError.outside(["never"])) {
      try await Lab.run(outsideLimit: .zero) { lab in
        let gate = lab.gate("stands for a thread that never answers")
        Task { await lab.outside("never") { try? await gate.wait() } }
        await lab.settle()
      }
    }
  }

  // Asked from elsewhere, settle has no meaning; a silent return would be a false answer.
  @Test func settleOfAnotherLab_fails() async throws {
    await #expect(throws: LabError.notInLab("settle()")) {
      try await Lab.run { outer in
        try await Lab.run { _ in await outer.settle() }
      }
    }
  }

  // What starts at once must still belong to the lab after its first suspension.
  @Test func immediateTask_goesOnInTheLab() async throws {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    try await Lab.run { lab in
      var steps: [Int] = []
      Task.immediate {
        steps.append(1)
        await Task.yield()
        steps.append(3)
      }
      steps.append(2)
      await lab.settle()
      #expect(steps == [1, 2, 3])
    }
  }
}
