// The table of what sleep sets leave out, and whether anything is lost by it.

import RaceCorpus
import RaceLab

enum ReductionTable {
  /// Argument: how many schedules each search makes at most (100,000).
  static func run(_ arguments: [String]) async -> Int32 {
    guard let most = arguments.isEmpty ? 100_000 : Int(arguments[0]), most > 0 else {
      print("reduction [SCHEDULES]")
      return 2
    }
    var isRight = true
    print("Courses at most \(most); - where a search did not come to its end.")
    print("full\treduced\toutcomes\tmissed\tinvented\tscenario")
    for pair in Pair.all where pair.cancels == 0 {
      for (half, scenario) in [("", pair.faulty), (", mended", pair.mended)] {
        guard let result = try? await Reduction(of: scenario, upTo: most) else { return 2 }
        isRight = isRight && result.missed == 0 && result.invented == 0
        let counts = [result.full, result.reduced].map { $0.map(String.init) ?? "-" }
        print(
          (counts + [result.outcomes, result.missed, result.invented].map(String.init))
            .joined(separator: "\t") + "\t\(pair.number) \(pair.name)\(half)")
      }
    }
    return isRight ? 0 : 1
  }
}
