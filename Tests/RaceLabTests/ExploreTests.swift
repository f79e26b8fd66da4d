import RaceLab
import Testing

private struct Oops: Error, Equatable {}

/// Asks, then acts on the answer: two callers may both find nothing.
@MainActor private final class Accounts {
  private(set) var created: [String] = []
  func create(_ name: String) async {
    let isThere = created.contains(name)
    await Task.yield()
    if !isThere { created.append(name) }
  }
}

@MainActor private final class Resource {
  var isHeld = false
}

@MainActor private final class Progress {
  var steps = 0
  var struckAt = -1
}

@MainActor private final class Log {
  private(set) var numbers: [Int] = []
  func add(_ number: Int) { numbers.append(number) }
}

private actor Store {
  var value = 0
  func get() -> Int { value }
  func set(_ new: Int) { value = new }
}

@inline(never) private func use(_ value: Int) -> Int { value }

/// Reads, adds one, writes: updates get lost when two do it at once.
private func increment(_ store: Store) async {
  let value = await store.get()
  await store.set(use(value) + 1)
}

private func found(
  _ strategy: Strategy, schedules: Int = 10_000, seed: UInt64 = 1,
  _ scenario: @escaping @MainActor (Lab) async throws -> Void
) async throws -> Exploration.Finding? {
  do {
    try await explore(schedules: schedules, strategy: strategy, seed: seed, scenario)
    return nil
  } catch let failure as ExplorationFailure {
    return failure.exploration.finding
  }
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
        let log = Log()
        let tasks = (0..<6).map { number in Task.detached { await log.add(number) } }
        for task in tasks { await task.value }
        try lab.require(log.numbers.first != 3)
      }
      #expect(finding?.deviations.shrunk == 1)
    }
  }

  // A token is worth something only if it shows the same run again.
  @Test func token_repeatsTheRun() async throws {
    let scenario: @MainActor (Lab) async throws -> Void = { lab in
      let accounts = Accounts()
      for _ in 0..<2 { Task.detached { await accounts.create("ada") } }
      await lab.settle()
      try lab.require(accounts.created.count == 1)
    }
    let finding = try #require(try await found(.random, scenario))
    do {
      try await explore(replaying: finding.token.description, scenario)
      Issue.record("The token did not repeat the fault.")
    } catch let failure as ExplorationFailure {
      #expect(failure.exploration.finding?.failure == finding.failure)
      #expect(failure.exploration.finding?.table == finding.table)
    }
  }

  // Changed code must not be told as "no fault": the token does not fit it any more.
  @Test func tokenOfOtherCode_saysWhereItDoesNotFit() async throws {
    let finding = try #require(
      try await found(.random) { lab in
        let accounts = Accounts()
        for _ in 0..<5 { Task.detached { await accounts.create("ada") } }
        await Task.yield()
        await lab.settle()
        try lab.require(accounts.created.isEmpty || lab.choose(3) == 0)
      })
    await #expect(throws: ReplayError.self) {
      try await explore(replaying: finding.token.description) { _ in }
    }
  }

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

  // A token without deviations fits every scenario by its decisions; its course tells them apart.
  @Test func tokenOfThePlainOrder_isNotTakenForOtherCode() async throws {
    let finding = try #require(try await found(.portfolio) { _ in throw Oops() })
    await #expect(throws: ReplayError.self) {
      try await explore(replaying: finding.token.description) { _ in
        await Task.yield()
        throw Oops()
      }
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

  // A table whose columns are numbers has to be guessed at.
  @Test func table_namesTasks() async throws {
    let finding = try await found(.portfolio) { lab in
      lab.adversary("sign out") {}
      await Task(name: "checkout") { await Task.yield() }.value
      await lab.settle()
      throw Oops()
    }
    #expect(finding?.table.contains("checkout") == true)
    #expect(finding?.table.contains("sign out") == true)
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

  // Two sleeps that end together may wake in any order.
  @Test func sleepsThatEndTogether_wakeInAnyOrder() async throws {
    let finding = try await found(.portfolio) { lab in
      let log = Log()
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

  // The parts of a search that several machines share must be the whole, and no run twice.
  @Test func shards_coverWhatOneDoesWithoutOverlap() async throws {
    let scenario: @MainActor (Lab) async throws -> Void = { _ in
      let store = Store()
      let tasks = (0..<3).map { number in Task.detached { await store.set(number) } }
      for task in tasks { await task.value }
    }
    var options = SearchOptions()
    options.schedules = 1_000_000
    options.strategy = .bounded
    let whole = try await explore(options: options, scenario)
    var sum = 0
    for index in 0..<4 {
      options.shard = try #require(Shard(index: index, of: 4))
      let part = try await explore(options: options, scenario)
      #expect(part.isExhausted)
      sum += part.schedules
    }
    #expect(sum == whole.schedules)
    #expect(whole.distinct == whole.schedules)
  }

  // The same seed must give the same search, or nobody can look at it again.
  @Test func sameSeed_findsTheSame() async throws {
    let scenario: @MainActor (Lab) async throws -> Void = { lab in
      let store = Store()
      async let one: Void = increment(store)
      async let two: Void = increment(store)
      async let three: Void = increment(store)
      _ = await (one, two, three)
      let value = await store.get()
      try lab.require(value == 3)
    }
    let first = try await found(.random, seed: 7, scenario)
    let second = try await found(.random, seed: 7, scenario)
    #expect(first?.schedule == second?.schedule)
    #expect(first?.token == second?.token)
  }
}
