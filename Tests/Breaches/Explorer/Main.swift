// The scenarios of the rules as a program of their own, which builds fast. Beside the commands of the
// lab it has `prove`: all scenarios in one process, until one shows a fault. The scripts in this folder
// run it against runtimes that were broken on purpose.
//
// usage: RuleExplorer prove SCHEDULES [--only | --rule R0] [SCENARIO...]
//        RuleExplorer sequences SEED COUNT
//
// `sequences` plays that many random sequences of commands and reports, from that seed on, until one
// fails, and prints its course.
// The scenarios that are named, or show the rule, go first, or are all that is run. Prints one line for
// a fault, tab-separated: "found", the scenario, the schedule that showed it, what went wrong. Before
// each scenario its name goes to the standard error, so that one that ends the process is known. Exit
// status: 0 no fault, 1 a fault.

import Foundation
import RaceLab
import RaceLabCommand
import RuleScenarios

@main
enum Main {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "sequences" { exit(await playSequences(arguments)) }
    guard arguments.first == "prove" else {
      exit(await ScenarioSuite("rules", RuleScenarios.all).run(arguments))
    }
    guard arguments.count > 1, let schedules = Int(arguments[1]), schedules > 0 else {
      say("prove wants a number of schedules, from 1")
      exit(2)
    }
    exit(await prove(schedules, first: Array(arguments.dropFirst(2))))
  }

  private static func playSequences(_ arguments: [String]) async -> Int32 {
    let numbers = arguments.dropFirst().compactMap(UInt32.init)
    guard arguments.count == 3, numbers.count == 2, numbers[1] > 0 else {
      say("sequences wants the first seed, from 0, and how many, from 1")
      return 2
    }
    let first = UInt64(numbers[0])
    guard let fault = await NavigationRun.fault(in: first..<first + UInt64(numbers[1])) else {
      print("\(numbers[1]) sequences agree with the rules")
      return 0
    }
    print(fault)
    return 1
  }

  private static func prove(_ schedules: Int, first: [String]) async -> Int32 {
    var first = first
    if first.first == "--rule", first.count == 2 {
      first = RuleScenarios.all.filter { scenario in
        scenario.summary.split(separator: ", ").contains { $0 == first[1] }
      }.map(\.name)
    }
    let named = first.compactMap { name in RuleScenarios.all.first { $0.name == name } }
    let others = RuleScenarios.all.filter { !first.contains($0.name) }
    for scenario in first.first == "--only" ? named : named + others {
      say(scenario.name)
      var options = SearchOptions()
      options.schedules = schedules
      options.recordFolder = nil
      do {
        let result = try await Exploration.search(
          scenario.name, options: options, elsewhere: { nil }, scenario.body)
        guard let finding = result.finding else { continue }
        let message = finding.failure.description.replacing("\n", with: " ")
        print("found\t\(scenario.name)\t\(finding.schedule)\t\(message)")
        return 1
      } catch {
        say("\(scenario.name): \(error)")
        return 2
      }
    }
    return 0
  }

  private static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
