import Foundation
import RaceLab
import Testing

/// Whether the whole lab is to be had: its own back end, and no sanitizer that takes its hooks.
private var isWhole: Bool {
  #if os(Linux)
    if ProcessInfo.processInfo.environment["RACELAB_BACKEND"] != nil { return false }
    return unsafe dlsym(nil, "__tsan_init") == nil && dlsym(nil, "__asan_init") == nil
  #else
    return false
  #endif
}

private actor Slots {
  private var taken: Set<Int> = []
  private(set) var created = 0
  func isTaken(_ key: Int) -> Bool { taken.contains(key) }
  func take(_ key: Int) {
    taken.insert(key)
    created += 1
  }
}

/// Something to do off the actor: with nothing between them, the compiler joins the two calls.
@inline(never) private func decide(_ taken: Bool) {}

@Suite struct ControlTests {
  // What the lab finds that it does not control, it switches off, and tests of it are skipped: a
  // self-test that fails for nothing would go unseen.
  @Test(.enabled(if: isWhole, "another back end, or a sanitizer")) func everything_isControlled() {
    #expect(Lab.uncontrolled == [])
  }

  // Run inline, two calls of an idle actor can never be separated, and the fault between them is
  // never seen: both tasks must have asked before either takes.
  @Test func callsOfAnIdleActor_areStepsOfTheirOwn() async throws {
    try await Lab.run { lab in
      let slots = Slots()
      for _ in 0..<2 {
        Task.detached {
          let taken = await slots.isTaken(1)
          decide(taken)
          if !taken { await slots.take(1) }
        }
      }
      await lab.settle()
      let created = await slots.created
      #expect(created == 2)
    }
  }

  // A deadline computed from the clock's now must be as virtual as the sleep that waits for it.
  @Test(.enabled(if: Lab.uncontrolled.isEmpty)) func clocksNow_movesWithVirtualTime() async throws {
    try await Lab.run { _ in
      let start = ContinuousClock.now
      let suspending = SuspendingClock.now
      for _ in 0..<3 { try await Task.sleep(for: .milliseconds(1500)) }
      #expect(start.duration(to: .now) == .milliseconds(4500))
      #expect(suspending.duration(to: .now) == .milliseconds(4500))
    }
  }

  // The clocks of code outside the lab must not stand still.
  @Test(.enabled(if: !Lab.uncontrolled.contains("sleep"))) func clocksNowOutside_isReal()
    async throws
  {
    let before = ContinuousClock.now
    try await Lab.run { _ in try await Task.sleep(for: .seconds(7200)) }
    #expect(before.duration(to: .now) < .seconds(3600))
  }

  // Isolation must hold on every way into an actor and out of it, or the lab itself is the race.
  @Test(.enabled(if: !Lab.uncontrolled.contains("yields on actors")))
  func everyWayIntoAnActor_keepsItsIsolation() async throws {
    actor Worker {
      var sum = 0
      func add(_ value: Int) {
        assertIsolated()
        sum += value
      }
      func consume(_ stream: AsyncStream<Int>) async {
        for await value in stream { add(value) }
      }
      func spawn() {
        for _ in 0..<3 {
          Task {
            self.add(1)
            await Task.yield()
            self.add(1)
          }
        }
      }
      func pass(to other: Worker) async {
        add(1)
        await other.add(1)
        add(1)
      }
    }
    try await Lab.run { lab in
      let one = Worker()
      let two = Worker()
      let (stream, feed) = AsyncStream.makeStream(of: Int.self)
      Task.detached { await one.consume(stream) }
      await one.spawn()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 { group.addTask { await one.pass(to: two) } }
      }
      async let left: Void = two.add(1)
      async let right: Void = two.add(1)
      _ = await (left, right)
      MainActor.assertIsolated()
      feed.yield(10)
      feed.finish()
      await lab.settle()
      let sums = await [one.sum, two.sum]
      #expect(sums == [22, 5])
    }
  }

  // An actor's jobs are made and freed as messages come: none of them may stand for another actor,
  // or the same schedule is told in two ways.
  @Test func jobsOfAnActor_areKnownAsItsOwn() async throws {
    actor Box {
      // Takes the memory that a job leaves, so that the next one lies elsewhere.
      var kept: [[Int]] = []
      func add(_ value: Int) async {
        for count in 1..<16 { kept.append(Array(repeating: value, count: count)) }
        await Task.yield()
        for count in 1..<16 { kept.append(Array(repeating: value, count: count)) }
      }
    }
    let failure = await #expect(throws: (any Error).self) {
      try await explore(schedules: 1) { lab in
        let boxes = [Box(), Box()]
        await withTaskGroup { group in
          for number in 0..<8 { group.addTask { await boxes[number % 2].add(1) } }
        }
        lab.fail("done")
      }
    }
    let table = String(describing: failure)
    let actors = Set(table.matches(of: #/actor \d+/#).map { String($0.output) })
    #expect(actors == ["actor 1", "actor 2"], "\(table)")
  }

  // A child of `async let` lies in its parent's memory and nobody can retain it: when that is gone,
  // the child must not be looked at.
  @Test func childrenInTheirParentsMemory_areLetGoWithIt() async throws {
    actor Counter {
      private(set) var value = 0
      func add() { value += 1 }
    }
    try await Lab.run(leftovers: .fail) { _ in
      let counter = Counter()
      var kept: [[Int]] = []
      for _ in 0..<50 {
        await Task.detached {
          for _ in 0..<4 {
            // They end on the actor, not in a job of their own.
            async let one: Void = counter.add()
            async let two: Void = counter.add()
            _ = await (one, two)
          }
        }.value
        // Takes the memory that the tasks leave.
        for count in 1..<200 { kept.append(Array(repeating: count, count: count)) }
      }
      let value = await counter.value
      #expect(value == 400)
    }
  }
}
