// `replay` and `merge`.

import Foundation
import RaceLab

struct ReplayCommand {
  let suite: ScenarioSuite

  func run(_ arguments: [String]) async throws -> Int32 {
    var words = arguments
    var folder: String?
    if let option = words.firstIndex(of: "--child"), option + 1 < words.count {
      folder = words[option + 1]
      words.removeSubrange(option...(option + 1))
    }
    guard words.count == 1 else { throw CommandError("replay wants one token.") }
    let token = try Token(words[0])
    guard let scenario = suite.scenarios.first(where: { token.fits(scenario: $0.name) }) else {
      throw CommandError("The token was made for a scenario that is not in this program.")
    }
    var options = SearchOptions()
    options.cancels = scenario.cancels
    if let folder { options.recordFolder = folder }
    let exploration = try await Exploration.replay(
      scenario.name, token.description, options: options, elsewhere: { nil }, scenario.body)
    let report = await Symbolizer.report(exploration)
    if let folder {
      try Output.write(try Output.json([report]), to: folder + "/result.json")
    }
    guard let finding = report.findings.first else {
      try Output.print("\(scenario.name): this run shows no fault.")
      return 0
    }
    try Output.print("\(finding.kind.rawValue): \(finding.message)\n")
    try Output.print(([finding.table] + finding.waiting).joined(separator: "\n"))
    return 1
  }
}

struct MergeCommand {
  let suite: ScenarioSuite

  func run(_ arguments: [String]) throws -> Int32 {
    let options = try ExploreOptions(arguments)
    guard !options.names.isEmpty else { throw CommandError("merge wants files.") }
    try options.reports.checkWritable()
    var groups: [(name: String, reports: [SearchReport])] = []
    for report in try options.names.flatMap({ try Output.reports(from: $0) }) {
      if let index = groups.firstIndex(where: { $0.name == report.scenario }) {
        groups[index].reports.append(report)
      } else {
        groups.append((report.scenario, [report]))
      }
    }
    var merged: [SearchReport] = []
    for group in groups {
      guard let sum = SearchReport.merge(group.reports) else {
        throw CommandError(
          "The reports of \(group.name) are not shards of one search, or one is there twice.")
      }
      merged.append(sum)
      try options.reports.print(sum.summary)
    }
    try options.reports.write(merged, suite: suite.name)
    return merged.contains { !$0.findings.isEmpty } ? 1 : 0
  }
}
