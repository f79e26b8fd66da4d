// Which orders a search tries, and what it says of those that it did not.

import RaceLab
import Testing

@Suite struct ExploreCoverageTests {
  // The lab's main actor is first in, first out, as the real one: no false alarms from an order
  // that cannot be.
  @Test func mainActorJobs_keepTheirOrder() async throws {
    let exploration = try await explore(schedules: 1_000) { lab in
      var order: [Int] = []
      for number in 0..<4 { Task { @MainActor in order.append(number) } }
      await lab.settle()
      try lab.require(order == [0, 1, 2, 3])
    }
    #expect(exploration.isExhausted)
    #expect(exploration.distinct == 1)
  }

  // So is an actor; and who comes first to it is served first.
  @Test func actorJobs_keepTheirOrder() async throws {
    actor Order {
      var numbers: [Int] = []
      func add(_ number: Int) { numbers.append(number) }
    }
    let exploration = try await explore(schedules: 5_000) { lab in
      let order = Order()
      for number in 0..<3 { Task { @MainActor in await order.add(number) } }
      await lab.settle()
      let numbers = await order.numbers
      try lab.require(numbers == [0, 1, 2])
    }
    #expect(exploration.isExhausted)
  }

  // Two sleeps that end together may wake in any order.
  @Test func sleepsThatEndTogether_wakeInAnyOrder() async throws {
    let finding = try await found(.portfolio) { lab in
      let log = NumberLog()
      let tasks = (0..<2).map { number in
        Task.detached {
          try await Task.sleep(for: .seconds(1))
          await log.add(number)
        }
      }
      for task in tasks { try await task.value }
      try lab.require(log.numbers == [0, 1])
    }
    #expect(finding != nil)
  }

  // An estimate that is off by orders says nothing about what is left.
  @Test func estimate_isNearTheExactCount() async throws {
    let scenario: @MainActor (Lab) async throws -> Void = { _ in
      let store = Store()
      let tasks = (0..<3).map { number in Task.detached { await store.set(number) } }
      for task in tasks { await task.value }
    }
    let exact = try await explore(schedules: 1_000_000, strategy: .bounded, scenario)
    #expect(exact.isExhausted)
    var ratios: [Double] = []
    for seed in 1...20 as ClosedRange<UInt64> {
      let drawn = try await explore(
        schedules: 500, strategy: .random, seed: seed, scenario)
      ratios.append((drawn.estimatedTotal ?? 0) / Double(exact.schedules))
    }
    let median = ratios.sorted()[10]
    #expect(median > 0.5 && median < 2)
  }

  // Prevents: a report that never ends, or says "inf", where there are more courses than a number holds.
  @Test func courseCountThatNoNumberHolds_isNotEstimated() async throws {
    let drawn = try await explore(schedules: 20, strategy: .random) { _ in
      let tasks = (0..<40).map { _ in Task { for _ in 0..<30 { await Task.yield() } } }
      for task in tasks { await task.value }
    }
    #expect(drawn.schedules == 20 && drawn.estimatedTotal == nil)
    #expect("\(drawn)" == drawn.summary && !drawn.summary.contains("courses."))
  }

  // Uneven lengths: where every way is as likely, the short task hardly ever comes last.
  @Test func unevenLengths_areFoundByWeight() async throws {
    let scenario: @MainActor (Lab) async throws -> Void = { lab in
      let progress = Progress()
      let long = Task {
        for _ in 0..<25 {
          progress.steps += 1
          await Task.yield()
        }
      }
      let short = Task.detached { await MainActor.run { progress.struckAt = progress.steps } }
      await long.value
      await short.value
      try lab.require(progress.struckAt < 25)
    }
    let weighted = try await found(.weighted, schedules: 1_000, scenario)
    let uniform = try await found(.random, schedules: 1_000, scenario)
    #expect(weighted != nil)
    #expect(uniform == nil)
  }
}
