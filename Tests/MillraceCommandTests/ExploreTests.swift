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

  // Prevents: a list or a search whose results are lost, and nobody is told.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "no /dev/full"),
    arguments: ["list", "explore --schedules 1 --in-process 'dismissal during lending'"])
  func outputThatCannotBeWritten_isTold(words: String) async throws {
    let run = try await MillraceProcess(shell: "\(words) >/dev/full")
    #expect(run.status == 74)
    #expect(run.errors.contains("The output cannot be written."), "\(run.errors)")
  }

  // Prevents: a search of an hour whose report then cannot be written.
  @Test(arguments: ["--json", "--junit", "--html"])
  func reportThatCannotBeWritten_isToldBeforeTheSearch(option: String) async throws {
    for path in ["/nowhere/report", "/", "/dev/fd/99"] {
      let run = try await MillraceProcess(
        "explore", Self.scenarios[1], "--schedules", "1", option, path)
      #expect(run.status == 2)
      #expect(run.errors.contains("Cannot write \(path)"), "\(run.errors)")
      #expect(run.output.isEmpty)
    }
  }

  // Prevents: a report for the next program in a pipe, with words for people before it.
  @Test func reportOnTheStandardOutput_isAlone() async throws {
    let run = try await MillraceProcess(
      "explore", Self.scenarios[1], "--schedules", "5", "--in-process", "--json", "-")
    #expect(run.status == 0)
    #expect(throws: Never.self) {
      try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    }
    #expect(run.errors.contains("5 schedules"), "\(run.errors)")
  }

  // Prevents: help that is an unknown option.
  @Test(arguments: [["explore", "--help"], ["explore", "-h"], ["merge", "--help"]])
  func help_isPrinted(arguments: [String]) async throws {
    let run = try await MillraceProcess(arguments)
    #expect(run.status == 0)
    #expect(run.output.contains("--schedules N"))
  }

  // Prevents: a wrong word that traps, or that is taken for success.
  @Test(arguments: [
    ["explore", "no such walk"], ["explore", "--schedules", "many"], ["replay", "rl1-?"],
    ["replay"], ["merge", "/nowhere.json"], ["list", "x"],
    ["explore", "--seed", "1", "--seed", "2"],
  ])
  func wrongWords_areAnErrorThatSaysSo(arguments: [String]) async throws {
    let run = try await MillraceProcess(arguments)
    #expect(run.status == 2)
    #expect(!run.errors.isEmpty)
    #expect(run.output.isEmpty)
  }
}
