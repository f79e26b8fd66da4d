import Foundation
import RaceCorpus
import RaceLab
import Testing

@Suite struct CorpusTests {
  static let numbers = Pair.all.map(\.number)

  // The corpus speaks of thirty-five faults; one that is missing is one nobody looks for.
  @Test func corpus_isComplete() {
    #expect(Self.numbers == Array(1...35))
  }

  // A fault that the plain order shows says nothing about a search.
  @Test(arguments: Pair.all) func plainOrder_showsNothing(of pair: Pair) async throws {
    try await Lab.run { lab in try await pair.faulty(lab) }
    try await Lab.run { lab in try await pair.mended(lab) }
  }

  // A known fault that is not found is a hole in the search.
  @Test(arguments: Pair.all) func fault_isFound(in pair: Pair) async throws {
    await #expect(throws: ExplorationFailure.self, "\(pair.name)") {
      try await explore(
        pair.name, schedules: 20_000, cancelEverywhere: pair.cancels > 0, pair.faulty)
    }
  }

  // A false alarm makes every true one worthless. `RACE_CORPUS_SCHEDULES` sets how many schedules.
  @Test(arguments: Pair.all) func mendedTwin_isNotReported(of pair: Pair) async throws {
    try await explore(
      pair.name, schedules: Self.count("RACE_CORPUS_SCHEDULES", 1_000),
      cancelEverywhere: pair.cancels > 0, pair.mended)
  }

  static func count(_ variable: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usual
  }
}

extension Pair: CustomTestStringConvertible {
  /// The pair as it is called in messages.
  public var testDescription: String { "\(number) \(name)" }
}
