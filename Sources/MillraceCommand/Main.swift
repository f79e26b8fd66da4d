// `millrace`: reads the command line, runs what it asks for, and ends with a status that a script
// can read.

import Foundation
import LibraryApp
import MillraceFiles
import MillraceRoutes
import MillraceTrace
import RaceLabCommand
import RuleScenarios

@main
enum Main {
  static let version = "0.1.0"

  static func main() async {
    StandardStreams.keep()
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let command = arguments.first,
      Subcommand.explorations.contains(where: { $0.name == command })
    {
      let scenarios = LibraryScenarios.all + RuleScenarios.all
      exit(await ScenarioSuite("millrace", scenarios).run(arguments))
    }
    let status = await run(arguments)
    exit(status.rawValue)
  }

  static func run(_ arguments: [String]) async -> ExitStatus {
    do {
      switch try Invocation(arguments) {
      case .help(let command): return print(helpText(command))
      case .version: return print("millrace \(version)")
      case .tour(let options): return await tour(options)
      case .play(let options): return await PlayCommand.run(options)
      case .open(let options): return await open(options)
      }
    } catch { return tell(error) }
  }

  private static func tour(_ options: TourOptions) async -> ExitStatus {
    do {
      let catalogue = try Catalogue(file: options.catalogue)
      guard catalogue.books.count >= Tour.booksNeeded else {
        complain(
          "the tour needs \(Tour.booksNeeded) books, and the catalogue has \(catalogue.books.count)",
          remedy: "Add some, or leave --catalogue out to use the built-in one.")
        return .wrongData
      }
      let watchdog = watch(limit: .seconds(120))
      // What a signal ends is traced as far as it came.
      let recorders = TourRecorders()
      if let path = options.trace {
        EndSignal.onFirst {
          Task { @MainActor in
            if let recorder = recorders.recorder { _ = write(recorder.recording, to: path) }
            EndSignal.dieIfCaught()
          }
        }
      }
      let (report, trace) = try await Tour.run(options, catalogue: catalogue, recorders)
      watchdog.cancel()
      if let path = options.trace, let trace, !write(trace, to: path) { return .noOutput }
      let status = print(try text(of: report, options.output))
      return report.verdict == .asExpected ? status : .different
    } catch {
      return tell(error, otherwise: "the report cannot be written", remedy: "Leave --json out.")
    }
  }

  /// A link that is parked is not what was wanted, and no fault of the link.
  private static func open(_ options: OpenOptions) async -> ExitStatus {
    do {
      let catalogue = try Catalogue(file: options.catalogue)
      let watchdog = watch(limit: .seconds(60))
      let (text, verdict, link) = try await OpenCommand.run(options, catalogue: catalogue)
      watchdog.cancel()
      let status = print(text)
      switch verdict {
      case .routed: return status
      case .deciding, .superseded: return .different
      case .parked(let reason):
        complain(
          "\(link.words) was not opened: it is parked, since \(reason)",
          remedy: link == .before
            ? "Leave --before out, or the option for what the app is in."
            : options.answers
              ? "Nobody does that here." : "Add --answer, and the user does what it waits for.")
        return .different
      case .rejected(let why):
        complain("\(link.words) was not opened: \(why)", remedy: "The app is where it was.")
        return .wrongData
      }
    } catch {
      return tell(error, otherwise: "the app cannot be opened", remedy: "Try --signed-out.")
    }
  }

  /// Writes the trace in the format that the file's ending names.
  static func write(_ trace: TraceRecording, to path: String) -> Bool {
    let text =
      if path.hasSuffix(".json") {
        trace.perfettoJSON
      } else if path.hasSuffix(".mmd") {
        trace.mermaidSequence(title: "A day at the library")
      } else {
        trace.text + "\n"
      }
    do {
      try OutputFile.write(text, to: path)
      return true
    } catch {
      complain(
        "the trace cannot be written to \(printable(path)): \(error.reason)",
        remedy: "Name a file in a folder that exists and that you may write to.")
      return false
    }
  }

  /// Ends the process when the main actor is stuck: each wait of the tour has a limit of its own,
  /// which needs the main actor.
  private static func watch(limit: Duration) -> Task<Void, any Error> {
    Task.detached {
      try await Task.sleep(for: limit)
      complain(
        "the command is stuck", remedy: "Run it again, a tour with --seed and another number.")
      exit(ExitStatus.different.rawValue)
    }
  }

  private static func text(of report: TourReport, _ output: TourOptions.Output) throws -> String {
    let text = TourText(hasColour: hasColour)
    switch output {
    case .story: return text.story(report)
    case .verdict: return text.verdict(report)
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
  }

  /// True for a terminal, unless the user wants none: see no-color.org.
  static var hasColour: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(STDOUT_FILENO) != 0 && environment["NO_COLOR"] == nil
      && environment["TERM"] != "dumb"
  }

  /// Writes to the standard output; a full disk or a closed pipe is told, not ignored.
  static func print(_ text: String) -> ExitStatus {
    do {
      try OutputFile.standardOutput.write(text + "\n")
      return .asExpected
    } catch {
      // Who reads nothing may read errors from the same pipe.
      guard EndSignal.caught == nil else { return .noOutput }
      complain(
        "the output cannot be written: \(error.reason)",
        remedy: "Is the disk full, or did the program that reads it end?")
      return .noOutput
    }
  }

  /// Tells on the standard error what is wrong and how to mend it.
  static func complain(_ what: String, remedy: String) {
    // Names of files, links and what a server said can bring control characters along.
    let lines = "millrace: \(what)\n\(remedy)".split(
      separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { legible($0, most: 4_000) + "\n" }.joined()
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
