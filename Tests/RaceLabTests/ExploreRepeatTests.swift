// What a search tells can be repeated: tokens, seeds, shards and tables.

import RaceLab
import Testing

/// Asks, then acts on the answer: two callers may both find nothing.
@MainActor private final class Accounts {
  private(set) var created: [String] = []
  func create(_ name: String) async {
    let isThere = created.contains(name)
    await Task.yield()
    if !isThere { created.append(name) }
  }
}

@Suite struct ExploreRepeatTests {
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
