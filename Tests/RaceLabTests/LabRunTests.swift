import RaceLab
import Synchronization
import Testing

@MainActor private final class Log {
  var lines: [String] = []
  func add(_ line: String) { lines.append(line) }
}

@inline(never) private func neverResumed() async {
  await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}

private final class Freed: Sendable { let count = Mutex(0) }

private final class Canary: Sendable {
  let freed: Freed
  init(freed: Freed) { self.freed = freed }
  deinit { freed.count.withLock { $0 += 1 } }
}

private enum Local {
  @TaskLocal static var value = "none"
}

@Suite struct LabRunTests {
  // A body that ran twice, or whose value was lost, would make every other test here worthless.
  @Test func body_returnsItsValue() async throws {
    let value = try await Lab.run { _ in 42 }
    #expect(value == 42)
  }

  // A swallowed error would turn a failing test into a passing one.
  @Test func bodyThatThrows_rethrows() async throws {
    await #expect(throws: Oops.self) {
      try await Lab.run { _ in throw Oops() }
    }
  }

  // Main-actor code under test asserts its isolation, and would trap.
  @Test func body_isOnTheMainActor() async throws {
    try await Lab.run { _ in
      MainActor.assertIsolated()
      await Task { @MainActor in MainActor.assertIsolated() }.value
    }
  }

  // Expectations find their test by a task-local value: lost, an issue belongs to no test.
  @Test func taskLocals_reachBodyAndItsTasks() async throws {
    try await Local.$value.withValue("mine") {
      try await Lab.run { _ in
        #expect(Local.value == "mine")
        let inner = await Task { Local.value }.value
        #expect(inner == "mine")
      }
    }
  }

  // The same as above, seen from Swift Testing: a failing expectation inside must be known here.
  @Test func expectationInBody_isAttributedToThisTest() async throws {
    await withKnownIssue {
      try await Lab.run { _ in
        await Task.detached {}.value
        #expect(Bool(false))
      }
    }
  }

  // A caller whose time is up must not leave its lab running for ever.
  @Test func cancelledCaller_cancelsBody() async throws {
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await Lab.run(patience: .seconds(60)) { lab in
        let gate = lab.gate("never opened")
        enter.finish()
        try await gate.wait()
      }
    }
    for await _ in entered {}
    task.cancel()
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
  }

  // If labs shared a scheduler, tests that run in parallel would disturb each other.
  @Test func manyLabsAtOnce_doNotMeet() async throws {
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for number in 0..<8 {
        group.addTask {
          try await Lab.run { lab in
            var seen: [Int] = []
            for step in 0..<50 {
              seen.append(await Task.detached { number * 100 + step }.value)
              await Task.yield()
            }
            await lab.settle()
            return seen
          }
        }
      }
      for try await seen in group {
        #expect(seen.count == 50)
        #expect(Set(seen.map { $0 / 100 }).count == 1)
      }
    }
  }

  // While a lab exists, tests without one go on as before.
  @Test func codeOutsideAnyLab_runsOnThePlatform() async throws {
    try await Lab.run { _ in }
    let value = await Task.detached { @MainActor in
      MainActor.assertIsolated()
      return 7
    }.value
    await Task.yield()
    try await Task.sleep(nanoseconds: 1)
    #expect(value == 7)
  }

  // A lab started inside a lab is work on another thread for the outer one, not a deadlock.
  @Test func labInsideALab_returnsToTheOuterOne() async throws {
    let value = try await Lab.run(patience: .zero) { lab in
      let inner = try await Lab.run { lab in
        await lab.settle()
        return 1
      }
      MainActor.assertIsolated()
      await lab.settle()
      return inner + 1
    }
    #expect(value == 2)
  }

  // What the body started and did not wait for still belongs to the test.
  @Test func bodyReturnsBeforeItsTasks_tasksRunToTheirEnd() async throws {
    let log = Log()
    try await Lab.run { _ in
      Task {
        await Task.yield()
        log.add("done")
      }
    }
    let lines = await log.lines
    #expect(lines == ["done"])
  }

  // A body that waits for what never comes must fail with a name, not hang the test run.
  @Test func bodyThatCanNeverFinish_throwsDeadlockNamingTheGate() async throws {
    await #expect(throws: LabError.deadlock(waiting: ["gate \"answer\""])) {
      try await Lab.run(patience: .zero) { lab in
        try await lab.gate("answer").wait()
      }
    }
  }

  // A leaked continuation is a deadlock too, though no gate is known.
  @Test func continuationNeverResumed_throwsDeadlock() async throws {
    let places =
      Lab.uncontrolled.contains("where tasks wait")
      ? [] : ["scenario waits for a continuation to be resumed, in neverResumed"]
    await #expect(throws: LabError.deadlock(waiting: places)) {
      try await Lab.run(patience: .zero) { _ in
        await neverResumed()
      }
    }
  }

  // A loop of yields would otherwise run until the test's time limit, without a word.
  @Test func endlessYields_throwStepLimit() async throws {
    await #expect(throws: LabError.stepLimit(1000)) {
      try await Lab.run(stepLimit: 1000) { _ in
        while !Task.isCancelled { await Task.yield() }
      }
    }
  }

  // A forgotten gate hides that work outlives the test, for those who ask.
  @Test func leftoversAskedFor_failNamingThem() async throws {
    let places = ["manual clock, until 5.0 seconds", "gate \"deaf\" (2 waiters)"]
    await #expect(throws: LabError.leftovers(places)) {
      try await Lab.run(leftovers: .fail) { lab in
        let gate = lab.gate("deaf", .deaf)
        for _ in 0..<2 { Task { try await gate.wait() } }
        let clock = lab.clock
        Task { try await clock.sleep(for: .seconds(5)) }
        await lab.settle()
      }
    }
  }

  // By default a deaf gate may stay closed; its waiter is let go afterwards, so nothing leaks.
  @Test func leftoversAllowed_areLetGoAfterTheRun() async throws {
    let freed = Freed()
    try await Lab.run { lab in
      let gate = lab.gate("deaf", .deaf)
      let bird = Canary(freed: freed)
      Task {
        try? await gate.wait()
        withExtendedLifetime(bird) {}
      }
      await lab.settle()
    }
    #expect(freed.count.withLock { $0 } == 1)
  }

  // The same program must take the same course each time, or a failure cannot be looked at twice.
  @Test func sameBody_takesTheSameCourse() async throws {
    var courses: Set<[Int]> = []
    for _ in 0..<20 {
      let course = try await Lab.run { lab in
        var course: [Int] = []
        for number in 0..<10 {
          Task {
            for _ in 0..<number { await Task.yield() }
            await Task.detached {}.value
            course.append(number)
          }
        }
        await lab.settle()
        return course
      }
      courses.insert(course)
    }
    #expect(courses.count == 1)
  }
}
