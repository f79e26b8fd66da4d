// How a case is measured: in pairs, each side first in every other one, after a warm-up.

/// How much is done.
struct Effort: Sendable {
  var pairs = 40
  /// In how many rounds over all cases the pairs are taken: what changes slowly on a machine is then
  /// seen as the noise that it is.
  static let rounds = 4
  /// Times a case's count and growth counts.
  var isQuick = false
  var growth = true
  /// Units per run, in place of the case's own.
  var units: Int?
  /// Part by which Millrace's side is made slower, to see that a comparison finds it.
  var planted = 0.0

  var pairsOfRound: Int { max(1, (pairs + Effort.rounds - 1) / Effort.rounds) }

  static let full = Effort()
  static let quick = Effort(pairs: 12, isQuick: true, growth: false)
}

extension Case {
  func units(_ effort: Effort) -> Int {
    effort.units ?? (effort.isQuick ? countingUnits : count)
  }

  /// Allocations are counted over this many units, quick or not: what a queue takes to grow is
  /// shared out among the units, and differs with their number.
  private var countingUnits: Int { min(count, max(count / 10, 1000)) }

  @MainActor
  func measure(_ effort: Effort) async -> CaseResult {
    let count = units(effort)
    var result = CaseResult(
      name: name, unit: unit, twin: twin, barKind: bar.kind, bar: bar.limit, count: count,
      countingUnits: countingUnits,
      grows: growth.count > 1, millrace: SideResult(), hand: SideResult())
    // Once to warm up, and once to count: the second time nothing is made that stays.
    for _ in 0..<2 {
      result.millrace = await counted(millrace)
      result.hand = await counted(hand)
    }
    guard !isMemory else { return result }
    if effort.growth, growth.count > 1 {
      for count in growth {
        result.millrace.growth.append(await least(millrace, count, effort.planted))
        result.hand.growth.append(await least(hand, count, 0))
      }
    }
    return result
  }

  /// Adds pairs to a result.
  @MainActor
  func time(pairs: Int, _ effort: Effort, into result: inout CaseResult) async {
    for pair in 0..<pairs {
      if pair % 2 == 0 {
        result.millrace.nanoseconds.append(await time(millrace, result.count, effort.planted))
        result.hand.nanoseconds.append(await time(hand, result.count, 0))
      } else {
        result.hand.nanoseconds.append(await time(hand, result.count, 0))
        result.millrace.nanoseconds.append(await time(millrace, result.count, effort.planted))
      }
    }
  }

  /// Does one side alone: once to warm up, and once where callgrind counts.
  @MainActor
  func runForInstructions(_ side: Side, _ effort: Effort) async {
    let count = units(effort)
    await side(Region(.time), count)
    await side(Region(.instructions), count)
  }

  @MainActor
  private func counted(_ side: Side) async -> SideResult {
    let count = countingUnits
    let region = Region(.allocations)
    await side(region, count)
    guard Probe.countsAllocations else { return SideResult() }
    func perUnit(_ number: Int64) -> Double { rounded(Double(number) / Double(count), 2) }
    var result = SideResult(
      allocations: perUnit(region.allocations), bytes: perUnit(region.bytes))
    if isMemory { result.liveBytes = perUnit(region.liveBytes) }
    return result
  }

  @MainActor
  private func time(_ side: Side, _ count: Int, _ planted: Double) async -> Double {
    let region = Region(.time, planted: planted)
    await side(region, count)
    return rounded(Double(region.nanoseconds) / Double(count), 3)
  }

  @MainActor
  private func least(_ side: Side, _ count: Int, _ planted: Double) async -> GrowthPoint {
    var least = Double.infinity
    for _ in 0..<max(3, min(50, 20_000 / count)) {
      least = min(least, await time(side, count, planted))
    }
    return GrowthPoint(count: count, nanoseconds: least)
  }
}
