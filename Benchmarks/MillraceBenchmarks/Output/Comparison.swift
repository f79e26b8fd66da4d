// What differs from an older result, and whether the difference is more than noise.
//
// Times of two runs cannot be compared on a shared machine; the ratio to the hand-written twin,
// taken pair by pair, can. A difference counts if it is at least `Comparison.least` and four times
// its standard error, and still is after it was measured again, three times in processes of their
// own: where memory lies makes more of a difference than noise does. Allocations are exact. Instructions
// are nearly so: where both results have them, they decide.

import Foundation

struct Verdict {
  enum Kind: Equatable {
    case same, slower, faster, moreAllocations, fewerAllocations, unsure, new
  }
  let name: String
  let kind: Kind
  /// Part by which the ratio changed, or allocations per unit.
  let change: Double
  /// The part that could have been seen.
  let sensitivity: Double

  var isWorse: Bool { kind == .slower || kind == .moreAllocations }

  /// A line for what is worth one.
  var line: String? {
    let percent = fixed(change * 100, 1)
    let text: String? =
      switch kind {
      case .same: nil
      case .slower: "slower by \(percent) % against the hand-written twin"
      case .faster: "faster by \(fixed(-change * 100, 1)) % against the hand-written twin"
      case .moreAllocations: "\(fixed(change, 2)) more allocations per unit"
      case .fewerAllocations: "\(fixed(-change, 2)) fewer allocations per unit"
      case .unsure:
        "too noisy: less than \(fixed(sensitivity * 100, 0)) % cannot be seen; use more --pairs"
      case .new: "not in the old result"
      }
    return text.map { "compare: \(name): \($0)" }
  }

  static func summary(_ verdicts: [Verdict]) -> String {
    let worse = verdicts.count(where: \.isWorse)
    let better = verdicts.count { $0.kind == .faster || $0.kind == .fewerAllocations }
    let unsure = verdicts.count { $0.kind == .unsure }
    return "compare: \(worse) worse, \(better) better, \(unsure) unsure, of \(verdicts.count)"
  }
}

struct Comparison {
  /// Less is never told: a process differs by so much from the next, by where its memory lies.
  static let least = 0.08
  /// What it takes for a difference to be seen again: it was above `least` once.
  static let confirmed = 0.06
  /// Nor is less than this, in nanoseconds of a unit: so much depends on where the code lies, and a twin
  /// that takes one nanosecond is no measure.
  static let leastTime = 3.0
  /// What has to be seen.
  static let wanted = 0.12
  private static let errors = 4.0
  private static let rounds = 3

  let old: RunResult

  /// Compares a case, and measures it again while the answer is "different" or cannot be told.
  @MainActor
  func verdict(of item: Case, _ new: CaseResult, _ options: Options) async throws -> Verdict {
    guard let before = old.cases.first(where: { $0.name == item.name }) else {
      return Verdict(name: item.name, kind: .new, change: 0, sensitivity: 0)
    }
    if let changed = allocations(before, new) { return changed }
    guard !new.isMemory, !before.isMemory else {
      return Verdict(name: item.name, kind: .same, change: 0, sensitivity: 0)
    }
    if let before = before.instructionRatio, let now = new.instructionRatio {
      return Self.judgeInstructions(item.name, old: before, new: now)
    }
    return try await Self.verdict(
      item.name, old: before.ratios, new: new.ratios, time: new.millrace.median
    ) {
      try anew(item, options)
    }
  }

  /// The verdict after measuring again as long as it is not "the same", within a limit. One that
  /// changes its direction is none.
  ///
  /// - Parameter time: what a unit takes, in nanoseconds.
  @MainActor
  static func verdict(
    _ name: String, old: [Double], new: [Double], time: Double,
    again: () async throws -> [Double]
  ) async rethrows -> Verdict {
    let floor = log(1 + leastTime / max(1, time))
    var verdict = judge(name, old: old, new: new, least: max(least, floor))
    var round = 0
    while verdict.kind != .same, round < rounds {
      round += 1
      let before = verdict
      verdict = judge(name, old: old, new: try await again(), least: max(confirmed, floor))
      if [before.kind, verdict.kind] == [.slower, .faster]
        || [before.kind, verdict.kind] == [.faster, .slower]
      {
        return Verdict(name: name, kind: .same, change: 0, sensitivity: verdict.sensitivity)
      }
    }
    return verdict
  }

  /// Measures a case in a process of its own, where its memory lies elsewhere.
  private func anew(_ item: Case, _ options: Options) throws -> [Double] {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appending(path: "millrace-bench-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments =
      ["--filter", item.name, "--json", file.path, "--pairs", "\(2 * options.effort.pairs)"]
      + ["--units", "\(item.units(options.effort))", "--quick"]
      + (options.planted > 0 ? ["--plant", "\(Int(options.planted * 100))"] : [])
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return try RunResult(file: file.path).cases.first?.ratios ?? []
  }

  /// The verdict on two sets of ratios.
  static func judge(
    _ name: String, old: [Double], new: [Double], least: Double = Comparison.least
  ) -> Verdict {
    let before = old.map { log($0) }
    let after = new.map { log($0) }
    let change = median(after) - median(before)
    let error =
      (pow(medianError(before, rounds: Effort.rounds), 2)
      + pow(medianError(after, rounds: Effort.rounds), 2)).squareRoot()
    let visible = max(least, errors * error)
    let kind: Verdict.Kind =
      if abs(change) >= visible {
        change > 0 ? .slower : .faster
      } else if visible > max(wanted, least) {
        .unsure
      } else { .same }
    return Verdict(
      name: name, kind: kind, change: exp(change) - 1, sensitivity: exp(visible) - 1)
  }

  private static func judgeInstructions(_ name: String, old: Double, new: Double) -> Verdict {
    let change = new / old - 1
    let kind: Verdict.Kind = abs(change) < 0.03 ? .same : change > 0 ? .slower : .faster
    return Verdict(name: name, kind: kind, change: change, sensitivity: 0.03)
  }

  private func allocations(_ before: CaseResult, _ new: CaseResult) -> Verdict? {
    guard old.platform == platformName, let old = before.millrace.allocations,
      let now = new.millrace.allocations, abs(now - old) >= 0.05
    else { return nil }
    return Verdict(
      name: new.name, kind: now > old ? .moreAllocations : .fewerAllocations, change: now - old,
      sensitivity: 0)
  }
}
