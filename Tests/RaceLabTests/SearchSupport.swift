// What the tests of searches share: a search that is asked for its finding, a lost update, and what
// scenarios keep.

import RaceLab

struct Oops: Error, Equatable {}

@MainActor final class Progress {
  var steps = 0
  var struckAt = -1
}

@MainActor final class NumberLog {
  private(set) var numbers: [Int] = []
  func add(_ number: Int) { numbers.append(number) }
}

actor Store {
  var value = 0
  func get() -> Int { value }
  func set(_ new: Int) { value = new }
}

@inline(never) func use(_ value: Int) -> Int { value }

/// Reads, adds one, writes: updates get lost when two do it at once.
func increment(_ store: Store) async {
  let value = await store.get()
  await store.set(use(value) + 1)
}

func found(
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
