// What the benchmarks say of numbers: a comparison sees what is there, and does not see what is not.

import Millrace
import Testing

@testable import MillraceBenchmarks

/// Ratios as a shared machine gives them: some spread, and now and then a run that is far off.
private struct Noise {
  private var random: SplitMix64
  init(_ seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func uniform() -> Double { Double(random.next() >> 11) / Double(1 << 53) }

  mutating func ratios(_ count: Int, around middle: Double, spread: Double) -> [Double] {
    (0..<count).map { _ in
      // A sum of twelve is near enough to a normal distribution.
      let normal = (0..<12).reduce(-6) { sum, _ in sum + uniform() }
      let outlier = uniform() < 0.05 ? 1 + uniform() : 1
      return middle * (1 + spread * normal) * outlier
    }
  }
}

@MainActor @Suite struct ComparisonTests {
  // Fault: noise is told as a change, and nobody looks at the comparison any more.
  @Test(arguments: [12, 40]) func aRunAgainstItselfIsTheSame(_ pairs: Int) async {
    var noise = Noise(7)
    var falseAlarms = 0
    for _ in 0..<100 {
      var isAlarm = false
      for _ in 0..<30 {
        let old = noise.ratios(pairs, around: 1.2, spread: 0.03)
        let new = noise.ratios(pairs, around: 1.2, spread: 0.03)
        let verdict = await Comparison.verdict("case", old: old, new: new, time: 1000) {
          noise.ratios(2 * pairs, around: 1.2, spread: 0.03)
        }
        if verdict.isWorse || verdict.kind == .faster { isAlarm = true }
      }
      if isAlarm { falseAlarms += 1 }
    }
    #expect(falseAlarms <= 2)
  }

  // Fault: a real loss hides in the noise.
  @Test(arguments: [(1.1, Verdict.Kind.slower), (0.9, .faster)])
  func tenPercentIsFound(_ factor: Double, _ expected: Verdict.Kind) async {
    var noise = Noise(11)
    var found = 0
    for _ in 0..<60 {
      let old = noise.ratios(80, around: 1.2, spread: 0.03)
      let new = noise.ratios(80, around: 1.2 * factor, spread: 0.03)
      let verdict = await Comparison.verdict("case", old: old, new: new, time: 1000) {
        noise.ratios(160, around: 1.2 * factor, spread: 0.03)
      }
      if verdict.kind == expected { found += 1 }
    }
    #expect(found >= 57)
  }

  // Fault: samples that can show nothing are told as "the same".
  @Test func tooMuchNoiseIsNotCalledTheSame() async {
    var noise = Noise(3)
    let old = noise.ratios(5, around: 1, spread: 0.4)
    let verdict = await Comparison.verdict("case", old: old, new: old, time: 1000) { old }
    #expect(verdict.kind == .unsure)
  }

  // Fault: where the code of five nanoseconds lies is told as a change of the code.
  @Test(arguments: [(5.0, Verdict.Kind.same), (500, .slower)])
  func lessThanThreeNanosecondsIsNotTold(_ time: Double, _ expected: Verdict.Kind) async {
    var noise = Noise(5)
    let old = noise.ratios(40, around: 4, spread: 0.03)
    let new = noise.ratios(40, around: 5, spread: 0.03)
    let verdict = await Comparison.verdict("case", old: old, new: new, time: time) { new }
    #expect(verdict.kind == expected)
  }

  // Fault: quadratic work looks linear.
  @Test func growthIsTheExponent() throws {
    let counts = [100.0, 1000, 10_000]
    let linear = try #require(growthExponent(counts.map { ($0, 3 * $0) }))
    let square = try #require(growthExponent(counts.map { ($0, 3 * $0 * $0) }))
    #expect(abs(linear - 1) < 1e-9)
    #expect(abs(square - 2) < 1e-9)
    #expect(growthExponent([]) == nil)
  }

  // Fault: a percentile that is off by one sample.
  @Test func quantilesLieBetweenNeighbours() {
    #expect(median([3, 1, 2]) == 2)
    #expect(median([4, 1, 2, 3]) == 2.5)
    #expect(quantile([1, 2, 3, 4, 5], 0) == 1)
    #expect(quantile([1, 2, 3, 4, 5], 1) == 5)
    #expect(quantile([10], 0.99) == 10)
    #expect(median([]).isNaN)
  }
}
