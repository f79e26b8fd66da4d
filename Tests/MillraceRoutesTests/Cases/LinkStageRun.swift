// A script of the link cases, played once as it stands, or under many schedules with what strikes. With
// MILLRACE_EVERY_STEP=1 each strike comes at every step of the script, which takes long.

import Foundation
import RaceLab
import RuleScenarios

/// How many schedules each strike has: a look in a debug build, many in a release build.
#if DEBUG
  private let strikeSchedules = 10
#else
  private let strikeSchedules = 100
#endif

extension LinkStage {
  /// Plays the script once, or explores it with the strike. Reports name the test and the strike.
  static func run(
    _ strike: Strike, and other: Strike = .nothing, signedIn: Bool = true,
    test: String = #function,
    _ script: @escaping @MainActor (LinkStage) async throws -> Void
  ) async throws {
    let scenario: @MainActor (Lab) async throws -> Void = { lab in
      try await LinkStage.play(lab, strike, and: other, signedIn: signedIn, script)
    }
    if strike == .nothing, other == .nothing {
      try await Lab.run(scenario)
    } else {
      let strikes = [strike, other].filter { $0 != .nothing }.map(\.rawValue)
      let name = "\(test.prefix { $0 != "(" }) \(strikes.joined(separator: " "))"
      if ProcessInfo.processInfo.environment["MILLRACE_EVERY_STEP"] == "1" {
        try await everyStep(name, strikes: strikes.count, scenario)
      } else {
        try await explore(name, schedules: strikeSchedules, scenario)
      }
    }
  }

  /// Tries every course that deviates once for each strike from the plain one: the strike before any
  /// step, all else in order. Says what it took.
  private static func everyStep(
    _ name: String, strikes: Int, _ scenario: @escaping @MainActor (Lab) async throws -> Void
  ) async throws {
    for schedules in [150, 400, 1_600, 6_400, 25_600, 102_400] {
      let numbers = try await explore(
        name, schedules: schedules, strategy: .bounded, scenario)
      guard numbers.isExhausted || numbers.finishedBound >= strikes else { continue }
      return print(
        "every step: \(name): \(numbers.longestRun.steps) steps, "
          + "\(numbers.longestRun.decisions) decisions, \(numbers.schedules) schedules, "
          + "bound \(numbers.finishedBound)\(numbers.isExhausted ? ", exhausted" : "")")
    }
    throw StepsLeft(name: name)
  }

  /// Not every step was struck.
  private struct StepsLeft: Error { let name: String }
}
