// What a case is: one thing done by Millrace and by hand, and what the price may be.

/// What Millrace's side of a case must not exceed.
enum Bar: Sendable, Equatable {
  /// Times the hand-written twin, in time or, in a case of memory, in bytes.
  case ratio(Double)
  /// Nanoseconds of processor time per unit.
  case nanoseconds(Double)
  /// Nanoseconds per unit more than the other side.
  case added(Double)
  /// Bytes per unit that are still held when the region ends.
  case bytes(Double)
  /// None: only the budget holds it.
  case unset
}

/// One thing, done by both sides.
///
/// A side makes ready, then opens the region, does `count` units of work, closes the region and
/// clears up. Both sides end with a check that the work was really done.
struct Case {
  typealias Side = @MainActor (_ region: Region, _ count: Int) async -> Void

  /// `area, what`: short, and never changed, since budgets and old results go by it.
  let name: String
  /// What one unit is.
  let unit: String
  /// What the hand-written side does, in a line.
  let twin: String
  let bar: Bar
  /// Units per run.
  let count: Int
  /// Units per run over which the growth is taken; empty for work that does not grow.
  var growth: [Int] = []
  /// True for a case that looks at what is held, not at time.
  var isMemory = false
  let millrace: Side
  let hand: Side
}

extension Case {
  /// The counts for the growth of what ends or is cancelled at once.
  static func counts(to most: Int) -> [Int] {
    [100, 300, 1000, 3000, 10_000, 30_000, 100_000].filter { $0 <= most }
  }
}

/// The part of a side that is measured. It may be opened and closed more than once.
@MainActor
final class Region {
  enum Mode { case time, allocations, instructions }

  private let mode: Mode
  private var began: Int64 = 0
  private(set) var nanoseconds: Int64 = 0
  private(set) var allocations: Int64 = 0
  private(set) var bytes: Int64 = 0
  private(set) var liveBytes: Int64 = 0
  /// How much longer than it took the region is made to take: to see that a comparison finds it.
  private let planted: Double

  init(_ mode: Mode, planted: Double = 0) {
    self.mode = mode
    self.planted = planted
  }

  func open() {
    switch mode {
    case .time: began = Probe.threadTime
    case .allocations: Probe.startCounting()
    case .instructions: Probe.toggleCallgrind()
    }
  }

  func close() {
    switch mode {
    case .time:
      var now = Probe.threadTime
      let end = now + Int64(Double(now - began) * planted)
      while now < end { now = Probe.threadTime }
      nanoseconds += now - began
    case .allocations:
      Probe.stopCounting()
      allocations += Probe.allocations
      bytes += Probe.bytes
      liveBytes += Probe.liveBytes
    case .instructions: Probe.toggleCallgrind()
    }
  }
}
