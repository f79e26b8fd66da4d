// The lab on the app, as a process.

import Foundation
import Testing

@Suite struct ExploreTests {
  private static let scenarios = [
    "sign-out during lending", "dismissal during lending", "replacement during lending",
    "sign-out and in again during lending",
  ]

  // Prevents: a race in the app, and a command that runs nothing and says that all is well.
  @Test func explore_findsNothingAndSaysWhatItRan() async throws {
    let run = try await MillraceProcess(["explore", "--schedules", "40"] + Self.scenarios)
    #expect(run.status == 0)
    for scenario in Self.scenarios { #expect(run.output.contains("\(scenario): ")) }
    #expect(run.output.contains("40 schedules"))
  }

  // Prevents: a scenario that exists under another name than it is listed, and a rule of the runtime
  // that none shows.
  @Test func list_namesTheScenariosAndTheRulesThatTheyShow() async throws {
    let run = try await MillraceProcess("list")
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(Array(lines.prefix(Self.scenarios.count)) == Self.scenarios)
    let rules = lines.dropFirst(Self.scenarios.count).flatMap { line in
      let summary = line.components(separatedBy: "  ").last ?? ""
      return summary.trimmingCharacters(in: .whitespaces).components(separatedBy: ", ")
    }
    for number in 1...32 { #expect(rules.contains { $0 == "R\(number)" }, "R\(number)") }
  }

  // Prevents: a wrong word that traps, or that is taken for success.
  @Test(arguments: [
    ["explore", "no such walk"], ["explore", "--schedules", "many"], ["replay", "rl1-?"],
    ["replay"], ["merge", "/nowhere.json"],
  ])
  func wrongWords_areAnErrorThatSaysSo(arguments: [String]) async throws {
    let run = try await MillraceProcess(arguments)
    #expect(run.status == 2)
    #expect(!run.errors.isEmpty)
    #expect(run.output.isEmpty)
  }
}
