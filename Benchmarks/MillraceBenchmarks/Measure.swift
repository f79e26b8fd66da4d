// One case: the same work done by Millrace and by hand, in turn, pair by pair.

/// Millrace's way and the hand-written way of one thing, and what their ratio must not exceed.
struct Case {
  let name: String
  let bar: Double
  let count: Int
  let millrace: @MainActor (_ count: Int) async -> Void
  let hand: @MainActor (_ count: Int) async -> Void
}

/// What came out of one case.
struct Measured {
  let name: String
  let bar: Double
  /// Nanoseconds per unit, medians over the pairs.
  let millrace: Double
  let hand: Double
  /// Median of the ratios, pair by pair.
  let ratio: Double
  var holds: Bool { ratio <= bar }
}

extension Case {
  /// Measures pairs, Millrace first in every other one.
  @MainActor
  func measure(pairs: Int) async -> Measured {
    var ours: [Double] = []
    var hands: [Double] = []
    var ratios: [Double] = []
    for pair in 0...pairs {
      let a: Double
      let b: Double
      if pair % 2 == 0 {
        a = await time(millrace)
        b = await time(hand)
      } else {
        b = await time(hand)
        a = await time(millrace)
      }
      // The first pair warms up.
      guard pair > 0 else { continue }
      ours.append(a)
      hands.append(b)
      ratios.append(a / b)
    }
    return Measured(
      name: name, bar: bar, millrace: median(ours), hand: median(hands), ratio: median(ratios))
  }

  /// Does one side alone, for a count of instructions from outside.
  @MainActor
  func repeatOnly(_ side: String, times: Int) async {
    for _ in 0..<times { await (side == "hand" ? hand : millrace)(count) }
  }

  @MainActor
  private func time(_ work: @MainActor (Int) async -> Void) async -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    await work(count)
    let time = start.duration(to: clock.now)
    return Double(time.components.attoseconds) / 1e9 / Double(count)
      + Double(time.components.seconds) * 1e9 / Double(count)
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return .nan }
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
