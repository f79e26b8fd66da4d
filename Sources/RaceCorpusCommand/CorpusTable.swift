// The table of the corpus: for each strategy and fault, after how many schedules it is found, over
// many seeds, and in what time.

import Foundation
import RaceCorpus
import RaceLab

struct CorpusTable {
  private var seeds = 20
  private var schedules = 20_000
  private var file: String?
  private var isRight = true
  private var strategies: [Strategy] = [
    .portfolio, .bounded, .random, .weighted, .pct(depth: 3), .pos,
  ]

  /// Arguments: `--seeds N`, `--schedules N`, `--strategies NAME,…`, `--store FILE`.
  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let value = rest.popFirst() ?? ""
      switch argument {
      case "--seeds": seeds = Int(value) ?? 0
      case "--schedules": schedules = Int(value) ?? 0
      case "--store": file = value
      case "--strategies":
        strategies = value.split(separator: ",").compactMap { Strategy(name: String($0)) }
        if strategies.isEmpty { isRight = false }
      default: isRight = false
      }
    }
    if seeds < 1 || schedules < 1 { isRight = false }
  }

  func run() async -> Int32 {
    guard isRight else {
      print("table [--seeds N] [--schedules N] [--strategies NAME,...] [--store FILE]")
      return 2
    }
    var lines = [
      "Schedules to find each fault: median / 90th percentile over \(seeds) seeds, "
        + "at most \(schedules); - where a seed did not.",
      row("fault", strategies.map(\.name) + ["shrunk", "ms"]),
    ]
    print(lines.joined(separator: "\n"))
    for pair in Pair.all {
      var cells: [String] = []
      var shrunk = 0
      var milliseconds: [Double] = []
      for strategy in strategies {
        var counts: [Int] = []
        // Nothing in these is drawn.
        let rounds = strategy == .bounded ? 1 : seeds
        for seed in 1...rounds {
          guard let exploration = await search(pair, strategy, UInt64(seed)) else { return 2 }
          guard let finding = exploration.finding else { continue }
          counts.append(finding.schedule)
          if strategy == .portfolio {
            shrunk = max(shrunk, finding.deviations.shrunk)
            let (seconds, atto) = exploration.duration.components
            milliseconds.append(Double(seconds) * 1000 + Double(atto) / 1e15)
          }
        }
        cells.append(counts.count < rounds ? "-" : "\(at(0.5, counts)) / \(at(0.9, counts))")
      }
      milliseconds.sort()
      let time = milliseconds.isEmpty ? 0 : milliseconds[milliseconds.count / 2]
      cells += ["\(shrunk)", String(format: "%.1f", time)]
      lines.append(row("\(pair.number) \(pair.name)", cells))
      print(lines[lines.count - 1])
    }
    guard let file else { return 0 }
    do {
      try Data((lines.joined(separator: "\n") + "\n").utf8)
        .write(to: URL(fileURLWithPath: file), options: .atomic)
    } catch {
      print("Cannot write \(file): \(error.localizedDescription)")
      return 2
    }
    return 0
  }

  private func search(_ pair: Pair, _ strategy: Strategy, _ seed: UInt64) async -> Exploration? {
    var options = SearchOptions()
    options.schedules = schedules
    options.strategy = strategy
    options.seed = seed
    options.cancels = pair.cancels
    do {
      return try await Exploration.search(
        pair.name, options: options, elsewhere: { nil }, pair.faulty)
    } catch {
      print("\(error)")
      return nil
    }
  }

  private func at(_ part: Double, _ counts: [Int]) -> Int {
    let sorted = counts.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  private func row(_ name: String, _ cells: [String]) -> String {
    let left = name.padding(toLength: 52, withPad: " ", startingAt: 0)
    return left + cells.map { $0.padding(toLength: 15, withPad: " ", startingAt: 0) }.joined()
  }
}
