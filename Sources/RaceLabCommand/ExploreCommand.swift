// `explore`: each scenario in a process of its own, so that a trap is a fault like any other.

import Foundation
import RaceLab

struct ExploreCommand {
  let suite: ScenarioSuite
  let options: ExploreOptions

  func run() async throws -> Int32 {
    let chosen =
      options.names.isEmpty
      ? suite.scenarios : try options.names.map { try suite.scenario(named: $0) }
    if let folder = options.childFolder { return try await runAsChild(chosen, in: folder) }
    try options.reports.checkWritable()
    // What a signal ends is told as far as it came.
    let search = Task { await explore(chosen) }
    let watch = EndSignal.onFirst { search.cancel() }
    defer { watch.stop() }
    let (reports, error) = await search.value
    try options.reports.write(reports, suite: suite.name)
    if EndSignal.caught != nil {
      Output.error(
        "A signal ended the search after \(reports.count) of \(chosen.count) scenarios, the last one "
          + "perhaps in the middle.")
      EndSignal.dieIfCaught()
    }
    if let error { throw error }
    return reports.contains { !$0.findings.isEmpty } ? 1 : 0
  }

  /// Explores one after the other, until a signal comes or something cannot be done.
  private func explore(_ chosen: [Scenario]) async -> ([SearchReport], (any Error)?) {
    var reports: [SearchReport] = []
    do {
      for scenario in chosen where EndSignal.caught == nil {
        guard let report = try await report(on: scenario) else { break }
        reports.append(report)
        try options.reports.print(report.summary)
        if let finding = report.findings.first {
          try options.reports.print(
            (["", finding.table] + finding.waiting).joined(separator: "\n"))
        }
      }
    } catch { return (reports, error) }
    return (reports, nil)
  }

  /// Explores one scenario; nil if a signal came before there was anything to tell.
  private func report(on scenario: Scenario) async throws -> SearchReport? {
    let corpus = options.corpus.map { TokenCorpus(folder: $0, scenario: scenario.name) }
    let report: SearchReport
    if let known = try await replayKnown(scenario, corpus) {
      report = known
    } else if options.inProcess {
      var search = options.search(for: scenario)
      search.stops = { EndSignal.caught != nil }
      if ProgressLine.isWanted {
        let pace = Pace()
        search.progress = { exploration in
          if pace.isDue() { ProgressLine.show(ProgressLine(exploration).text(scenario.name)) }
        }
      }
      defer { if ProgressLine.isWanted { ProgressLine.show() } }
      report = await Symbolizer.report(try await explore(scenario, search))
    } else {
      let child = Child(suite: suite, scenario: scenario)
      guard let found = try await child.explore(options) else { return nil }
      report = found
    }
    for finding in report.findings { try corpus?.add(finding.token) }
    return report
  }

  private func explore(
    _ scenario: Scenario, _ options: SearchOptions
  ) async throws -> Exploration {
    try await Exploration.search(
      scenario.name, options: options, elsewhere: { nil }, scenario.body)
  }

  /// Runs the tokens that failed before; returns the report of the first that still does.
  private func replayKnown(
    _ scenario: Scenario, _ corpus: TokenCorpus?
  ) async throws -> SearchReport? {
    for token in try corpus?.tokens() ?? [] {
      let report = try await Child(suite: suite, scenario: scenario)
        .replay(token, options, inProcess: options.inProcess)
      if let report, !report.findings.isEmpty { return report }
    }
    return nil
  }

  private func runAsChild(_ chosen: [Scenario], in folder: String) async throws -> Int32 {
    guard let scenario = chosen.first else { return 2 }
    var search = options.search(for: scenario)
    search.recordFolder = folder
    EndSignal.catchAll()
    search.stops = { EndSignal.caught != nil }
    let pace = Pace()
    let parent = Child.parent
    search.progress = { exploration in
      guard pace.isDue() else { return }
      // One that was killed cannot tell it: nobody waits for the result any more.
      if let parent, getppid() != parent {
        try? FileManager.default.removeItem(atPath: folder)
        exit(1)
      }
      guard let data = try? JSONEncoder().encode(ProgressLine(exploration))
      else { return }
      try? data.write(to: ProgressLine.file(in: folder), options: .atomic)
    }
    let report = await Symbolizer.report(try await explore(scenario, search))
    try Output.write(try Output.json([report]), to: folder + "/result.json")
    return report.findings.isEmpty ? 0 : 1
  }
}

/// Tokens that failed once, a file for each scenario, a line for each token.
struct TokenCorpus {
  private let path: String
  private let folder: String

  init(folder: String, scenario: String) {
    self.folder = folder
    let name = scenario.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    path = folder + "/" + String(name) + ".tokens"
  }

  func tokens() throws -> [Token] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    return try text.split(separator: "\n").map { line in
      do { return try Token(line) } catch { throw CommandError("\(path): \(error)") }
    }
  }

  func add(_ token: String) throws {
    let known = try tokens().map(\.description)
    guard !known.contains(token) else { return }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandError(
        "Cannot make the folder \(folder): is there a folder to make it in, that you may write to?")
    }
    try Output.write((known + [token]).joined(separator: "\n") + "\n", to: path)
  }
}
