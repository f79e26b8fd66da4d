// What comes out of a run: values that go to the table, to JSON, to HTML and to a comparison.

/// One side of a case.
struct SideResult: Codable, Sendable {
  /// Nanoseconds of processor time per unit, one for each pair; empty in a case of memory.
  var nanoseconds: [Double] = []
  /// Blocks asked for per unit, or nil where they cannot be counted.
  var allocations: Double?
  /// Bytes asked for per unit.
  var bytes: Double?
  /// Bytes per unit that were held when the region closed.
  var liveBytes: Double?
  /// Instructions per unit, if they were counted.
  var instructions: Double?
  /// Exponent of the instructions over the units of a run, if they were counted.
  var instructionExponent: Double?
  /// Least time for each count.
  var growth: [GrowthPoint] = []

  var median: Double { MillraceBenchmarks.median(nanoseconds) }
  var exponent: Double? {
    growthExponent(growth.map { (Double($0.count), $0.nanoseconds * Double($0.count)) })
  }
}

/// The least time per unit of several runs of this many units.
struct GrowthPoint: Codable, Sendable {
  var count: Int
  var nanoseconds: Double
}

/// A case, measured.
struct CaseResult: Codable, Sendable {
  var name: String
  var unit: String
  var twin: String
  /// `ratio`, `nanoseconds`, `added`, `bytes` or `none`.
  var barKind: String
  var bar: Double
  var count: Int
  /// Units per run over which allocations and instructions are counted.
  var countingUnits: Int
  /// Whether the work of a run ought to be linear in its units.
  var grows: Bool
  var millrace: SideResult
  var hand: SideResult

  /// Millrace's time through the hand-written time, pair by pair.
  var ratios: [Double] { zip(millrace.nanoseconds, hand.nanoseconds).map { $0 / $1 } }
  var isMemory: Bool { millrace.nanoseconds.isEmpty }

  /// The median ratio; in a case of memory that of the bytes that are held.
  var ratio: Double? {
    if !ratios.isEmpty { return median(ratios) }
    guard let ours = millrace.liveBytes, let hand = hand.liveBytes, hand > 0 else { return nil }
    return ours / hand
  }
  var instructionRatio: Double? {
    guard let ours = millrace.instructions, let hand = hand.instructions, hand > 0 else {
      return nil
    }
    return ours / hand
  }
  /// What the bar is about.
  var barValue: Double? {
    switch barKind {
    case "ratio": ratio
    case "nanoseconds": millrace.median
    case "added": median(zip(millrace.nanoseconds, hand.nanoseconds).map { $0 - $1 })
    case "bytes": millrace.liveBytes
    default: nil
    }
  }
  /// Whether the bar is reached; nil where it could not be measured.
  var holds: Bool? { barValue.map { $0 <= bar } }
}

/// A whole run.
struct RunResult: Codable, Sendable {
  /// Raised when the meaning of a field changes.
  static let format = 1
  var format = RunResult.format
  /// The toolchain and system that counts of allocations belong to.
  var platform: String
  var isQuick: Bool
  var pairs: Int
  var cases: [CaseResult]
}

extension Bar {
  var kind: String {
    switch self {
    case .ratio: "ratio"
    case .nanoseconds: "nanoseconds"
    case .added: "added"
    case .bytes: "bytes"
    case .unset: "none"
    }
  }
  var limit: Double {
    switch self {
    case .ratio(let limit), .nanoseconds(let limit), .added(let limit), .bytes(let limit): limit
    case .unset: 0
    }
  }
}
