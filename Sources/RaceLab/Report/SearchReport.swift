// The result of a search as plain values: what JSON holds, and what shards are merged from.

/// The result of one search, to be written, read and merged.
public struct SearchReport: Codable, Hashable, Sendable {
  /// Version of the format.
  public var version = 2
  /// Name of the scenario.
  public var scenario: String
  /// Name of the strategy.
  public var strategy: String
  /// The seed.
  public var seed: UInt64
  /// Parts that the search is made of, from one, and how many there are in all.
  public var shards: [Int]
  /// Number of parts of the whole search.
  public var shardCount: Int
  /// Runs made.
  public var schedules: Int
  /// Different courses; those of merged shards are added up.
  public var distinct: Int
  /// Whether all courses of these shards were tried.
  public var exhausted: Bool
  /// Deviations up to which all courses were tried; -1 if not even none.
  public var finishedBound: Int
  /// Estimate of the number of all courses, if there is one.
  public var estimatedTotal: Double?
  /// Runs drawn uniformly.
  public var uniformSchedules: Int
  /// Runs that other threads had a part in.
  public var uncontrolledRuns: Int
  /// Most steps of a run.
  public var longestRun: Int
  /// Runs that were looked at for which suspensions were interleaved with which.
  public var placedRuns: Int
  /// Pairs of places at which two tasks of one of these runs were suspended.
  public var suspensionPairs: Int
  /// Those of them that were never interleaved: while one task was suspended at the first place, no
  /// other ever went on from the second. Of merged shards the fewest.
  public var neverInterleavedCount: Int
  /// The pairs, a thousand at most. Of merged shards: those that are in all.
  public var neverInterleaved: [SuspensionPair]
  /// Real time, in seconds.
  public var seconds: Double
  /// What the lab does not control on the platform.
  public var uncontrolled: [String]
  /// The faults: one at most for each shard.
  public var findings: [Finding]

  /// Two places in the code, by function and line as far as they are known.
  public struct SuspensionPair: Codable, Hashable, Sendable {
    /// Where one task was suspended.
    public var suspended: String
    /// Where another never went on meanwhile.
    public var other: String
  }

  /// A fault.
  public struct Finding: Codable, Hashable, Sendable {
    /// What kind of fault.
    public var kind: Failure.Kind
    /// What happened.
    public var message: String
    /// Repeats it.
    public var token: String
    /// Number of the schedule that showed it, from one.
    public var schedule: Int
    /// Deviations as found.
    public var deviationsFound: Int
    /// Deviations after shrinking.
    public var deviations: Int
    /// The run as a table.
    public var table: String
    /// Who waited for what at the end, a line for each task.
    public var waiting: [String]
    /// The run, step by step.
    public var steps: [StepLine]

    /// A fault of that kind.
    public init(
      kind: Failure.Kind, message: String, token: String, schedule: Int, deviationsFound: Int,
      deviations: Int, table: String, waiting: [String], steps: [StepLine]
    ) {
      self.kind = kind
      self.message = message
      self.token = token
      self.schedule = schedule
      self.deviationsFound = deviationsFound
      self.deviations = deviations
      self.table = table
      self.waiting = waiting
      self.steps = steps
    }
  }

  /// One step of a run.
  public struct StepLine: Codable, Hashable, Sendable {
    /// The task, by the name of its column.
    public var task: String
    /// Where it ran: main, pool, or an actor by number.
    public var place: String
    /// Virtual time in nanoseconds.
    public var nanoseconds: Int64
    /// Number of the step that made it ready, from one; 0 is the beginning.
    public var cause: Int
    /// Whether it was preferred to an earlier job.
    public var deviates: Bool
    /// Whether its task was cancelled right before.
    public var cancelled: Bool
    /// Whether it led to the last step.
    public var isCause: Bool
    /// Where in the code it began or went on, as far as that is known.
    public var code: String?
  }

  /// The values of a search. `lines` has lines of source, such as `File.swift:12`, for those of its
  /// ``Exploration/codeOffsets`` for which they were found.
  public init(_ exploration: Exploration, lines: [UInt: String] = [:]) {
    scenario = exploration.name
    strategy = exploration.strategy.name
    seed = exploration.seed
    shards = [exploration.shard.index + 1]
    shardCount = exploration.shard.count
    schedules = exploration.schedules
    distinct = exploration.distinct
    exhausted = exploration.isExhausted
    finishedBound = exploration.finishedBound
    estimatedTotal = exploration.estimatedTotal
    uniformSchedules = exploration.uniformSchedules
    uncontrolledRuns = exploration.uncontrolledRuns
    longestRun = exploration.longestRun.steps
    placedRuns = exploration.placedRuns
    suspensionPairs = exploration.suspensionPairs
    neverInterleavedCount = exploration.neverInterleaved.count
    let missing = exploration.namedPairs
    let places = PlaceNames(missing.flatMap { [$0.suspended, $0.other] }, lines)
    neverInterleaved = missing.map { pair in
      SuspensionPair(
        suspended: places.text(pair.suspended) ?? "?", other: places.text(pair.other) ?? "?")
    }
    let (seconds, attoseconds) = exploration.duration.components
    self.seconds = Double(seconds) + Double(attoseconds) / 1e18
    uncontrolled = Lab.uncontrolled
    findings = exploration.finding.map { [Finding($0, lines)] } ?? []
  }

  /// The values of a search that ended before it could tell any.
  public init(scenario: String, options: SearchOptions) {
    self.init(
      Exploration(
        name: scenario, strategy: options.strategy, seed: options.seed, shard: options.shard))
  }

  /// The search of which these are shards, or nil if they are of different ones, or one is there
  /// twice.
  public static func merge(_ reports: [SearchReport]) -> SearchReport? {
    guard var sum = reports.first else { return nil }
    for report in reports.dropFirst() {
      guard report.scenario == sum.scenario, report.strategy == sum.strategy,
        report.seed == sum.seed, report.shardCount == sum.shardCount,
        report.version == sum.version, Set(report.shards).isDisjoint(with: sum.shards)
      else { return nil }
      sum.shards = (sum.shards + report.shards).sorted()
      sum.schedules += report.schedules
      sum.distinct += report.distinct
      sum.exhausted = sum.exhausted && report.exhausted
      sum.finishedBound = min(sum.finishedBound, report.finishedBound)
      let weight = Double(sum.uniformSchedules + report.uniformSchedules)
      if weight > 0 {
        let here = (sum.estimatedTotal ?? 0) * Double(sum.uniformSchedules)
        let there = (report.estimatedTotal ?? 0) * Double(report.uniformSchedules)
        sum.estimatedTotal = (here + there) / weight
      }
      sum.uniformSchedules += report.uniformSchedules
      sum.uncontrolledRuns += report.uncontrolledRuns
      sum.longestRun = max(sum.longestRun, report.longestRun)
      sum.placedRuns += report.placedRuns
      sum.suspensionPairs = max(sum.suspensionPairs, report.suspensionPairs)
      sum.neverInterleavedCount = min(sum.neverInterleavedCount, report.neverInterleavedCount)
      let both = Set(report.neverInterleaved)
      sum.neverInterleaved = sum.neverInterleaved.filter(both.contains)
      sum.seconds += report.seconds
      sum.uncontrolled = Set(sum.uncontrolled).union(report.uncontrolled).sorted()
      sum.findings += report.findings
    }
    return sum
  }

  /// The numbers in a few lines.
  public var summary: String {
    var lines = ["\(scenario): \(schedules) schedules, \(distinct) different, \(strategy)"]
    if shardCount > 1 {
      let list = shards.map(String.init).joined(separator: ", ")
      lines[0] += ", shards \(list) of \(shardCount)"
    }
    let isWhole = shards.count == shardCount
    if exhausted, findings.isEmpty {
      lines.append(isWhole ? "  exhausted" : "  these shards are exhausted")
    } else {
      if finishedBound >= 0 { lines.append("  all courses with up to \(finishedBound) deviations") }
      if let estimatedTotal {
        lines.append("  about \(Exploration.rounded(estimatedTotal)) courses in all")
      }
      if uniformSchedules > 2, findings.isEmpty {
        lines.append(
          "  a fault that one uniformly drawn run in \(uniformSchedules / 3) shows was missed "
            + "with a chance of at most 5 %")
      }
    }
    if uncontrolledRuns > 0 { lines.append("  \(uncontrolledRuns) runs were not under control") }
    if !uncontrolled.isEmpty {
      lines.append("  not controlled here: " + uncontrolled.joined(separator: ", "))
    }
    lines += suspensionLines
    for finding in findings {
      lines.append("  FAULT \(finding.kind.rawValue): \(finding.message)")
      lines.append("  token \(finding.token)")
    }
    return lines.joined(separator: "\n")
  }

  /// How many pairs of suspensions were not interleaved, and some of them.
  private var suspensionLines: [String] {
    guard suspensionPairs > 0, findings.isEmpty else { return [] }
    let missing = neverInterleavedCount
    let head =
      "  \(missing) of \(suspensionPairs) pairs of suspensions were never interleaved, "
      + "in \(placedRuns) runs looked at"
    let some = neverInterleaved.prefix(3).map { pair in
      "    while suspended in \(pair.suspended), none went on in \(pair.other)"
    }
    return [head + (missing > 3 ? ", such as:" : missing > 0 ? ":" : "")] + some
  }
}

extension SearchReport.Finding {
  init(_ finding: Exploration.Finding, _ lines: [UInt: String]) {
    let places = finding.places(lines)
    let table = RunTable(finding.trace, places)
    let slice = table.causalSlice
    self.init(
      kind: finding.failure.kind, message: finding.failure.message,
      token: finding.token.description, schedule: finding.schedule,
      deviationsFound: finding.deviations.found, deviations: finding.deviations.shrunk,
      table: table.text, waiting: finding.waiting(places),
      steps: finding.trace.steps.enumerated().map { index, step in
        SearchReport.StepLine(
          task: finding.trace.title(step.task), place: step.place.name,
          nanoseconds: step.time.nanoseconds, cause: step.cause,
          deviates: step.pick >= 0 && finding.trace.picks[step.pick].value > 0,
          cancelled: step.cancelled, isCause: slice.contains(index),
          code: table.place(index))
      })
  }
}
