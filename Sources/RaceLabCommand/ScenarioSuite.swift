// Scenarios with the lab's commands around them: a program of one's own in five lines.

import RaceLab

/// Scenarios that can be explored and replayed from the shell.
///
/// ```swift
/// @main enum Program {
///   static func main() async {
///     let suite = ScenarioSuite("shop", [Scenario("checkout") { lab in … }])
///     exit(await suite.run(Array(CommandLine.arguments.dropFirst())))
///   }
/// }
/// ```
///
/// The commands: `list`; `explore [SCENARIO…]` with options; `replay TOKEN`; `merge FILE…`; `help`.
public struct ScenarioSuite: Sendable {
  /// Name for reports.
  public let name: String
  /// The scenarios, in the order in which they are run.
  public let scenarios: [Scenario]

  /// Names of the commands, for programs that have others too.
  public static let commands: Set<String> = ["list", "explore", "replay", "merge", "help"]

  /// A suite of these scenarios; of two with the same name the first counts.
  public init(_ name: String, _ scenarios: [Scenario]) {
    self.name = name
    self.scenarios = scenarios
  }

  /// Runs the command that `arguments` name, the program's own name not among them, and prints
  /// what it finds. Returns the program's exit status: 0 if no fault was found, 1 if one was, 2 if
  /// something was wrong with the arguments or a file, 74 if the standard output cannot be written.
  public func run(_ arguments: [String]) async -> Int32 {
    do {
      let asksForHelp = arguments.contains { $0 == "--help" || $0 == "-h" }
      switch asksForHelp ? "help" : arguments.first ?? "help" {
      case "list":
        if arguments.count > 1 {
          throw CommandError("list takes no other word: leave out \"\(arguments[1])\".")
        }
        let width = scenarios.map(\.name.count).max() ?? 0
        for scenario in scenarios {
          let gap = String(repeating: " ", count: width - scenario.name.count + 2)
          try Output.print(
            scenario.summary.isEmpty ? scenario.name : scenario.name + gap + scenario.summary)
        }
        return 0
      case "explore":
        let options = try ExploreOptions(arguments.dropFirst())
        return try await ExploreCommand(suite: self, options: options).run()
      case "replay":
        return try await ReplayCommand(suite: self).run(Array(arguments.dropFirst()))
      case "merge":
        return try MergeCommand(suite: self).run(Array(arguments.dropFirst()))
      case "help":
        try Output.print(Self.help)
        return 0
      case let other:
        throw CommandError("There is no command \"\(other)\". Try: help")
      }
    } catch is OutputError {
      Output.error("The output cannot be written. Is the disk full?")
      return 74
    } catch {
      Output.error("\(error)")
      return 2
    }
  }

  static let help = """
    list                     names the scenarios, and says what they show
    explore [SCENARIO...]    runs scenarios, or all, under many schedules
      --strategy NAME        portfolio (default), bounded, reduced, random, weighted, pct:DEPTH, pos
      --schedules N          runs at most, for each scenario (10000)
      --time SECONDS         real time at most, for each scenario
      --seed N               what random choices start from (1)
      --shard I/N            only part I, from 1, of N
      --cancels N            tasks that may be cancelled in a run
      --corpus FOLDER        tokens that failed once are kept there, and run first
      --json FILE --junit FILE --html FILE    reports; - is the standard output
      --in-process           no child process; a trap then ends this one
    replay TOKEN             makes the run of a token again
    merge FILE...            adds up the JSON of shards; takes --json --junit --html too
    No option may be given twice. A signal ends a search early: its reports are written first.
    Exit status: 0 no fault, 1 a fault, 2 wrong use, 74 no output
    """

  func scenario(named name: String) throws -> Scenario {
    if let scenario = scenarios.first(where: { $0.name == name }) { return scenario }
    let names = scenarios.map(\.name).joined(separator: "\n  ")
    throw CommandError("There is no scenario \"\(name)\". There are:\n  \(names)")
  }
}

/// Wrong arguments, or a file that cannot be used.
struct CommandError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
