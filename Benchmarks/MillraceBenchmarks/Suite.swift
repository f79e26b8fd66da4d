// A run of the suite: what is measured, what is written, and whether it was good.

import Foundation
import Millrace

@MainActor
final class Suite {
  private let options: Options
  private let old: RunResult?
  private let budget: Budget?
  private var result: RunResult
  private var verdicts: [Verdict] = []
  private var misses: [String] = []
  private var isMeasured = false

  nonisolated init(options: Options, old: RunResult?, budget: Budget?) {
    self.options = options
    self.old = old
    self.budget = budget
    result = RunResult(
      platform: platformName, isQuick: options.isQuick, pairs: options.effort.pairs, cases: [])
  }

  nonisolated var isGood: Bool {
    MainActor.assumeIsolated { misses.isEmpty && !verdicts.contains(where: \.isWorse) }
  }

  /// Measures, on the one thread.
  func run() async throws {
    let bench = Bench()
    defer { bench.window.close() }
    let cases = chosen(allCases(bench))
    if cases.isEmpty {
      throw ToolError(
        message: "no case's name holds '\(options.filter ?? "")'; --list names the cases")
    }
    if options.lists { return print(cases.map(\.name).joined(separator: "\n")) }
    if let only = options.only {
      for item in cases {
        await item.runForInstructions(only == "hand" ? item.hand : item.millrace, options.effort)
      }
      return
    }
    isMeasured = true
    print(Table.header)
    var measured: [CaseResult] = []
    for item in cases { measured.append(await item.measure(options.effort)) }
    for round in 1...Effort.rounds {
      for (index, item) in cases.enumerated() where !item.isMemory {
        await item.time(pairs: options.effort.pairsOfRound, options.effort, into: &measured[index])
        if round == Effort.rounds { print(Table.row(measured[index])) }
      }
    }
    for item in measured where item.isMemory { print(Table.row(item)) }
    if options.countsInstructions {
      try InstructionCount().add(to: &measured)
      print(Table.instructions(measured))
    }
    for (index, item) in cases.enumerated() {
      if let old {
        let comparison = Comparison(old: old)
        verdicts.append(try await comparison.verdict(of: item, measured[index], options))
      }
      if let budget { misses += await budget.misses(of: item, &measured[index], options) }
    }
    result.cases = measured
  }

  private func chosen(_ cases: [Case]) -> [Case] {
    guard let filter = options.filter else { return cases }
    let exact = cases.filter { $0.name == filter }
    return exact.isEmpty ? cases.filter { $0.name.contains(filter) } : exact
  }

  /// Writes what was asked for.
  nonisolated func finish() throws {
    try MainActor.assumeIsolated {
      guard isMeasured else { return }
      for verdict in verdicts { if let line = verdict.line { print(line) } }
      if !verdicts.isEmpty { print(Verdict.summary(verdicts)) }
      for miss in misses { print("budget: \(miss)") }
      if budget != nil, misses.isEmpty { print("budget: held by \(result.cases.count) cases") }
      if let file = options.json { try result.write(to: file) }
      if let file = options.html { try write(HTMLReport(result).text, to: file) }
      if let file = options.writeBudget { try Budget(result).write(to: file) }
    }
  }
}

func write(_ text: String, to file: String) throws {
  do { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) } catch {
    throw ToolError(
      message: "cannot write \(file): \(error.localizedDescription); name a file in a folder "
        + "that exists", status: 73)
  }
}

/// Reads a JSON file that this tool wrote.
func readJSON<T: Decodable>(_ type: T.Type, _ file: String, _ made: String) throws -> T {
  let data: Data
  do { data = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
    throw ToolError(
      message: "cannot read \(file): \(error.localizedDescription); make it with \(made)",
      status: 66)
  }
  do { return try JSONDecoder().decode(type, from: data) } catch {
    throw ToolError(
      message: "\(file) is not what this version writes (\(place(of: error))); make it anew with "
        + made, status: 65)
  }
}

private func place(of error: any Error) -> String {
  func path(_ context: DecodingError.Context) -> String {
    let keys = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return keys.isEmpty ? "at its top" : "at \(keys.joined(separator: "."))"
  }
  guard let error = error as? DecodingError else { return "\(error)" }
  return switch error {
  case .keyNotFound(let key, let context): "no '\(key.stringValue)' \(path(context))"
  case .typeMismatch(_, let context), .valueNotFound(_, let context): "wrong type \(path(context))"
  case .dataCorrupted(let context): "no JSON \(path(context))"
  @unknown default: "\(error)"
  }
}

func encodeJSON(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
}

extension RunResult {
  init(file: String) throws {
    self = try readJSON(RunResult.self, file, "--json FILE")
    guard format == RunResult.format else {
      throw ToolError(
        message: "\(file) has format \(format), this version reads \(RunResult.format); make it "
          + "anew with --json FILE", status: 65)
    }
  }

  func write(to file: String) throws { try MillraceBenchmarks.write(encodeJSON(self), to: file) }
}

/// What counts of allocations and instructions depend on.
let platformName: String = {
  #if swift(>=6.4)
    let swift = "6.4+"
  #elseif swift(>=6.3)
    let swift = "6.3"
  #else
    let swift = "6"
  #endif
  #if os(Linux)
    let system = "Linux"
  #else
    let system = "Darwin"
  #endif
  #if arch(x86_64)
    let machine = "x86-64"
  #else
    let machine = "arm64"
  #endif
  #if DEBUG
    let mode = "debug"
  #else
    let mode = "release"
  #endif
  return "Swift \(swift), \(system), \(machine), \(mode)"
}()
