// What a search finds: faults in some orders only, and none where there is none.

import RaceLab
import Testing

@MainActor private final class Resource {
  var isHeld = false
}

@Suite struct ExploreTests {
  static let strategies: [Strategy] = [
    .portfolio, .bounded, .random, .weighted, .pct(depth: 3), .pos,
  ]

  // A search that finds nothing in a plain lost update is no search.
  @Test(arguments: strategies) func lostUpdate_isFound(by strategy: Strategy) async throws {
    let finding = try await found(strategy) { lab in
      let store = Store()
      let first = Task.detached { await increment(store) }
      await Task.yield()
      await Task.yield()
      await Task.yield()
      await first.value
      async let one: Void = increment(store)
      async let two: Void = increment(store)
      _ = await (one, two)
      let value = await store.get()
      try lab.require(value == 3, "no update is lost")
    }
    #expect(finding?.failure.kind == .requirement)
  }

  // What is right must not be reported, and a small scenario must be searched to its end.
  @Test func correctScenario_isExhausted() async throws {
    let exploration = try await explore(schedules: 100_000) { lab in
      let store = Store()
      let tasks = (0..<3).map { number in Task.detached { await store.set(number) } }
      for task in tasks { await task.value }
      let value = await store.get()
      try lab.require((0..<3).contains(value))
    }
    #expect(exploration.isExhausted)
    #expect(exploration.distinct > 3)
  }

  // A fault that needs no deviation at all must be found by the very first run.
  @Test func faultInThePlainOrder_hasNoDeviations() async throws {
    let finding = try await found(.portfolio) { _ in throw Oops() }
    #expect(finding?.schedule == 1)
    #expect(finding?.deviations.shrunk == 0)
    #expect(finding?.failure == Failure(.thrown, "Oops: Oops()"))
  }

  // A failing run of many deviations tells nobody anything; one is enough here.
  @Test func foundRun_isShrunk() async throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let finding = try await found(.random, seed: seed) { lab in
        let log = NumberLog()
        let tasks = (0..<6).map { number in Task.detached { await log.add(number) } }
        for task in tasks { await task.value }
        try lab.require(log.numbers.first != 3)
      }
      #expect(finding?.deviations.shrunk == 1)
    }
  }

  // Faults and data are part of what can happen: all of them must be tried.
  @Test func choices_areAllTried() async throws {
    for wanted in 0..<3 {
      let finding = try await found(.portfolio) { lab in
        let number = lab.choose(from: [10, 20, 30])
        try lab.require(lab.flip() || number != (wanted + 1) * 10)
      }
      #expect(finding != nil)
    }
  }

  // An event from outside, such as a sign-out, can come at any moment, not only at the end.
  @Test func adversary_strikesBetweenAnyTwoSteps() async throws {
    let finding = try await found(.bounded) { lab in
      let progress = Progress()
      lab.adversary("strike") { progress.struckAt = progress.steps }
      for _ in 0..<4 {
        await Task.yield()
        progress.steps += 1
      }
      await lab.settle()
      try lab.require(progress.struckAt != 2)
    }
    #expect(finding?.deviations.shrunk == 1)
  }

  // A condition that is broken only in passing is seen by no check at the end.
  @Test func invariant_isCheckedAfterEveryStep() async throws {
    let finding = try await found(.portfolio) { lab in
      var balance = 0
      lab.always("balance is never negative") { balance >= 0 }
      let take = Task {
        balance -= 1
        await Task.yield()
        balance += 1
      }
      await take.value
    }
    #expect(finding?.failure.kind == .invariant)
  }

  // Two locks in opposite order stop for ever; only some orders show it.
  @Test func deadlockInSomeOrders_isFound() async throws {
    let finding = try await found(.portfolio) { lab in
      let left = lab.gate("left")
      let right = lab.gate("right")
      left.open()
      right.open()
      let one = Task.detached {
        try await left.wait()
        try await right.wait()
        left.open()
        right.open()
      }
      let two = Task.detached {
        try await right.wait()
        try await left.wait()
        left.open()
        right.open()
      }
      try await one.value
      try await two.value
    }
    #expect(finding?.failure.kind == .deadlock)
  }

  // Work that ignores being cancelled between two steps is seen only if it is cancelled there.
  @Test func cancelEverywhere_cancelsBeforeEachStep() async throws {
    var exploration: Exploration?
    do {
      try await explore(cancelEverywhere: true) { lab in
        let resource = Resource()
        let task = Task { @MainActor in
          resource.isHeld = true
          await Task.yield()
          try Task.checkCancellation()
          resource.isHeld = false
        }
        _ = await task.result
        try lab.require(!resource.isHeld, "released")
      }
    } catch let failure as ExplorationFailure {
      exploration = failure.exploration
    }
    #expect(exploration?.finding?.failure.kind == .requirement)
    #expect(exploration?.finding?.deviations.shrunk == 1)
  }

  // An object that something still holds at the end is a leak, whatever the assertions say.
  @Test func objectStillHeld_isReported() async throws {
    final class Model {
      var itself: Model?
    }
    let finding = try await found(.portfolio) { lab in
      let model = Model()
      lab.expectFreed(model, "model")
      if lab.flip() { model.itself = model }
    }
    #expect(finding?.failure.kind == .notFreed)
  }

  // A task that goes on after its owner has gone is work nobody asked for any more.
  @Test func taskThatOutlivesItsOwner_isReported() async throws {
    let finding = try await found(.portfolio) { lab in
      let task = Task { try await Task.sleep(for: .seconds(60)) }
      lab.expectEnded(task, "poll")
      if lab.flip() { task.cancel() }
    }
    #expect(finding?.failure.kind == .notEnded)
    #expect(finding?.failure.message.contains("poll") == true)
  }
}
