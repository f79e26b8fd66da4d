// Runs of a scenario in a child process. If it ends by a signal, the decisions of the run at hand
// are in its record, and are shrunk by trying in further children.

import Foundation
import RaceLab

struct Child {
  let suite: ScenarioSuite
  let scenario: Scenario

  /// What became of a child.
  private struct Outcome {
    let report: SearchReport?
    let crash: (signal: Int32, token: Token)?
  }

  /// Explores; nil if a signal came before there was anything to tell.
  func explore(_ options: ExploreOptions) async throws -> SearchReport? {
    let outcome = try await start(["explore", scenario.name] + options.passedOn)
    if let report = outcome.report { return report }
    // What ended it was no fault of the scenario.
    guard EndSignal.caught == nil else { return nil }
    guard let crash = outcome.crash else {
      throw CommandError("The child process that explored \(scenario.name) left no result.")
    }
    return try await crashReport(crash.signal, crash.token, options)
  }

  /// Makes one run; nil if the token does not fit any more.
  func replay(
    _ token: Token, _ options: ExploreOptions, inProcess: Bool
  ) async throws -> SearchReport? {
    if inProcess {
      let exploration = try? await Exploration.replay(
        scenario.name, token.description, options: options.search(for: scenario),
        elsewhere: { nil }, scenario.body)
      guard let exploration else { return nil }
      return await Symbolizer.report(exploration)
    }
    let outcome = try await start(["replay", token.description])
    if let crash = outcome.crash { return try await crashReport(crash.signal, token, options) }
    return outcome.report
  }

  private func crashReport(
    _ signal: Int32, _ token: Token, _ options: ExploreOptions
  ) async throws -> SearchReport {
    let small = try await shrink(token, signal)
    var exploration = SearchReport(
      scenario: scenario.name, options: options.search(for: scenario))
    exploration.findings = [
      SearchReport.Finding(
        kind: .crash, message: "the process ended with signal \(signal)",
        token: small.description, schedule: 0, deviationsFound: token.deviationCount,
        deviations: small.deviationCount, table: "", waiting: [], steps: [])
    ]
    return exploration
  }

  /// Does without one decision after another, as long as the process still ends.
  private func shrink(_ token: Token, _ signal: Int32) async throws -> Token {
    var best = token
    var number = 0
    var budget = 100
    while number < best.deviationCount, budget > 0 {
      budget -= 1
      let fewer = best.dropping(number)
      if try await start(["replay", fewer.description]).crash?.signal == signal {
        best = fewer
      } else {
        number += 1
      }
    }
    return best
  }

  private func start(_ arguments: [String]) async throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("racelab-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let watcher = ProgressLine.isWanted ? watch(folder) : nil
    defer {
      watcher?.cancel()
      if watcher != nil { ProgressLine.show() }
    }
    let process: FinishedProcess
    do {
      process = try await FinishedProcess(
        running: URL(fileURLWithPath: Self.program), arguments + ["--child", folder],
        // A trap is looked for, often many times; nobody reads where in the process it was.
        environment: ["SWIFT_BACKTRACE": "enable=no", Self.parentName: "\(getpid())"])
    } catch {
      throw CommandError("Cannot start \(Self.program): is it still there, and may it be run?")
    }
    if let reports = try? Output.reports(from: folder + "/result.json") {
      return Outcome(report: reports.first, crash: nil)
    }
    guard process.endedBySignal else {
      return Outcome(report: nil, crash: nil)
    }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let record = files.first { $0.hasSuffix(".run") }
    let token = record.flatMap { record in
      Token.leftBehind(at: folder + "/" + record, scenario: scenario.name)
    }
    guard let token else { return Outcome(report: nil, crash: nil) }
    return Outcome(report: nil, crash: (process.status, token))
  }

  /// Shows how far a child has come, until it is cancelled.
  private func watch(_ folder: String) -> Task<Void, Never> {
    let name = scenario.name
    return Task {
      while (try? await Task.sleep(for: .milliseconds(500))) != nil {
        if let progress = ProgressLine.read(in: folder) { ProgressLine.show(progress.text(name)) }
      }
    }
  }

  private static let parentName = "RACELAB_PARENT"

  /// In a child the process that has started it, which may be gone already.
  static var parent: Int32? {
    ProcessInfo.processInfo.environment[parentName].flatMap { Int32($0) }
  }

  /// The file of this program.
  static var program: String {
    #if os(Linux)
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        ?? CommandLine.arguments[0]
    #else
      CommandLine.arguments[0]
    #endif
  }
}
