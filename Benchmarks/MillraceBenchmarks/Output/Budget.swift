// What may not get worse: a file in the repository with ratios, which have a tolerance, and
// allocations, which have none. Never times: they belong to a machine.

import Foundation

struct Budget: Codable {
  struct Entry: Codable {
    /// Median time through the hand-written twin's; in a case of memory, bytes through bytes. Nil
    /// for a case whose bar is not a ratio.
    var ratio: Double?
    /// Blocks asked for per unit.
    var allocations: Double?
  }

  static let format = 1
  var format = Budget.format
  /// Where the allocations were counted; elsewhere only the ratios are held.
  var platform: String
  /// By how much a ratio may be exceeded, as a part of it.
  var tolerance: Double
  /// Key: the name of a case.
  var cases: [String: Entry]

  init(file: String) throws {
    self = try readJSON(Budget.self, file, "--write-budget FILE")
    guard format == Budget.format else {
      throw ToolError(
        message: "\(file) has format \(format), this version reads \(Budget.format); make it anew "
          + "with --write-budget FILE", status: 65)
    }
  }

  init(_ result: RunResult) {
    platform = result.platform
    tolerance = 0.25
    cases = [:]
    for item in result.cases {
      cases[item.name] = Entry(
        ratio: item.ratio.map { rounded($0, 2) }, allocations: item.millrace.allocations)
    }
  }

  func write(to file: String) throws { try MillraceBenchmarks.write(encodeJSON(self), to: file) }

  /// What this case exceeds. A ratio that is too high is measured again before it counts.
  @MainActor
  func misses(of item: Case, _ result: inout CaseResult, _ options: Options) async -> [String] {
    guard let entry = cases[item.name] else {
      return ["\(item.name) has no entry; write one with --write-budget"]
    }
    var misses: [String] = []
    if let limit = entry.ratio.map({ $0 * (1 + tolerance) }) {
      var rounds = 3
      while let ratio = result.ratio, ratio > limit, !result.isMemory, rounds > 0 {
        rounds -= 1
        await item.time(pairs: 2 * options.effort.pairs, options.effort, into: &result)
      }
      if let ratio = result.ratio, ratio > limit {
        misses.append(
          "\(item.name): \(fixed(ratio, 2)) times the hand-written twin, allowed are "
            + "\(fixed(limit, 2))")
      }
    }
    if platform == platformName, let allowed = entry.allocations,
      let found = result.millrace.allocations, abs(found - allowed) > 0.005
    {
      misses.append(
        "\(item.name): \(fixed(found, 2)) allocations per unit, the budget says "
          + "\(fixed(allowed, 2))" + (found < allowed ? "; lower it" : ""))
    }
    return misses
  }
}
