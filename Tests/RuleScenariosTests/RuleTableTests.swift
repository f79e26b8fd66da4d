// Each rule of the runtime has a scenario, and none of them finds a fault.

import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct RuleTableTests {
  // Prevents: a rule that nothing explores, and a table that names one that does not exist.
  @Test func eachRule_hasAScenario() {
    let rules = RuleScenarios.all.flatMap { scenario in
      scenario.summary.split(separator: ", ").map(String.init)
    }
    for number in 1...35 { #expect(rules.contains("R\(number)"), "R\(number) has no scenario") }
    #expect(Set(rules).count == 35, "a rule that does not exist")
    #expect(Set(RuleScenarios.all.map(\.name)).count == RuleScenarios.all.count, "a name twice")
  }

  // Prevents: a runtime that breaks a rule in some course.
  @Test(arguments: RuleScenarios.all.map(\.name))
  func rule_holdsInEveryCourseTried(name: String) async throws {
    let scenario = try #require(RuleScenarios.all.first { $0.name == name })
    try await explore(name, schedules: 150, scenario.body)
  }
}
