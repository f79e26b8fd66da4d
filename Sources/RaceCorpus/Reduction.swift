// What search with sleep sets sees of the corpus, against search without.

import RaceLab

/// One scenario of a pair, explored in full and reduced.
package struct Reduction: Sendable {
  /// Courses of the full search; nil if it did not come to its end.
  package private(set) var full: Int?
  /// Courses of the reduced search; nil if it did not come to its end.
  package private(set) var reduced: Int?
  /// Outcomes that the reduced search saw.
  package private(set) var outcomes = 0
  /// Outcomes that some other search saw and the reduced one did not, though it came to its end.
  package private(set) var missed = 0
  /// Outcomes that the reduced search saw and the full one did not, though it came to its end.
  package private(set) var invented = 0

  /// Explores the whole of a scenario both ways, up to so many schedules each, and if only the
  /// reduced search comes to its end, compares it with what others come across.
  package init(
    of scenario: @escaping @MainActor (Lab) async throws -> Void, upTo schedules: Int
  ) async throws {
    let (reduced, seen) = try await Self.search(.reduced, schedules, scenario)
    outcomes = seen.count
    let isWhole = reduced.isExhausted
    if isWhole { self.reduced = reduced.schedules }
    for strategy in [Strategy.bounded, .random, .pos] {
      let (other, found) = try await Self.search(strategy, schedules, scenario)
      if isWhole { missed += found.subtracting(seen).count }
      guard other.isExhausted else { continue }
      full = other.schedules
      invented = seen.subtracting(found).count
    }
  }

  /// How a run ended, and what each actor and task went through.
  private struct Outcome: Hashable {
    let failure: Failure?
    let course: Course
  }

  private static func search(
    _ strategy: Strategy, _ schedules: Int,
    _ scenario: @escaping @MainActor (Lab) async throws -> Void
  ) async throws -> (Exploration, Set<Outcome>) {
    let seen = Guarded<Set<Outcome>>([])
    var options = SearchOptions()
    options.strategy = strategy
    options.schedules = schedules
    options.recordFolder = nil
    options.patience = .zero
    options.observe = { failure, course in
      seen.withLock { _ = $0.insert(Outcome(failure: failure, course: course)) }
    }
    let exploration = try await Exploration.search(
      "reduction", options: options, elsewhere: { nil }, scenario)
    return (exploration, seen.withLock { $0 })
  }
}
