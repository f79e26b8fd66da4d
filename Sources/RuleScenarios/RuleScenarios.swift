// The rules of the runtime as scenarios for the lab: what must hold in every course, with events that
// may strike between any two steps. Breaking a rule in the runtime breaks at least one of them.

import RaceLab

/// Scenarios that show the rules R1 to R32 of the runtime, and R33 to R35 of links and restoration.
package enum RuleScenarios {
  /// All of them, in the order of the rules. The summary of each names the rules that it shows.
  package static let all: [Scenario] =
    ownership + remains + endings + bridges + slots + lifetimes + outputs + streams + operations
    + policies + joins + sessions
    + epochs + turns + reports + presentation + commands + gestures + writes + ledgers + reconciling
    + lives
    + links + restorations

  /// A scenario that shows these rules.
  static func rule(
    _ name: String, _ rules: Int..., body: @escaping @MainActor (Lab) async throws -> Void
  ) -> Scenario {
    Scenario(name, summary: rules.map { "R\($0)" }.joined(separator: ", "), body)
  }
}

/// Scenarios one after the other.
@resultBuilder
enum ScenarioList {
  static func buildBlock(_ scenarios: Scenario...) -> [Scenario] { scenarios }
}
