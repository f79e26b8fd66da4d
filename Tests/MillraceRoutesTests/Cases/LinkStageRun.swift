// A script of the link cases, played once as it stands, or under many schedules with what strikes.

import RaceLab
import RuleScenarios

/// How many schedules each strike has: a look in a debug build, and in a release build so many that a
/// strike comes at each of the steps of a case.
#if DEBUG
  let strikeSchedules = 10
#else
  let strikeSchedules = 100
#endif

extension LinkStage {
  /// Plays the script once, or explores it with the strike. Reports name the test and the strike.
  static func run(
    _ strike: Strike, signedIn: Bool = true, schedules: Int = strikeSchedules,
    test: String = #function,
    _ script: @escaping @MainActor (LinkStage) async throws -> Void
  ) async throws {
    let scenario: @MainActor (Lab) async throws -> Void = { lab in
      try await LinkStage.play(lab, strike, signedIn: signedIn, script)
    }
    if strike == .nothing {
      try await Lab.run(scenario)
    } else {
      let name = test.prefix { $0 != "(" }
      try await explore("\(name) \(strike)", schedules: schedules, scenario)
    }
  }
}
