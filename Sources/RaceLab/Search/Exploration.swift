// What an exploration found out, as numbers that claim no more than was done.

/// The result of an exploration.
public struct Exploration: Sendable {
  /// Name of the scenario.
  public internal(set) var name: String
  /// The strategy used.
  public internal(set) var strategy: Strategy
  /// The seed used.
  public internal(set) var seed: UInt64
  /// The part of the search that was made.
  public internal(set) var shard: Shard
  /// Runs made, those for shrinking not counted.
  public internal(set) var schedules = 0
  /// Different courses among them; above ten thousand an estimate.
  public internal(set) var distinct = 0
  /// Every course was tried (of this shard), by bounded search to its end.
  public internal(set) var isExhausted = false
  /// Every course with up to so many deviations was tried (of this shard); -1 if not even none.
  public internal(set) var finishedBound = -1
  /// Estimate of the number of all courses, by Knuth's method (1975) from runs whose chance is known:
  /// those drawn by weight, or if there were none, those drawn uniformly; nil if there were neither.
  /// Uniform draws seldom reach the many courses in which a short task comes late, so that an
  /// estimate by them is often too low.
  public internal(set) var estimatedTotal: Double?
  /// Runs drawn uniformly at each decision.
  public internal(set) var uniformSchedules = 0
  /// Most steps of a run, and most decisions.
  public internal(set) var longestRun = (steps: 0, decisions: 0)
  /// Runs in which a thread that is not the lab's resumed a task: those are not repeatable.
  public internal(set) var uncontrolledRuns = 0
  /// Runs that were looked at for which suspensions were interleaved with which.
  public internal(set) var placedRuns = 0
  /// Pairs of places, one of a task that was suspended there and one of another that goes on there,
  /// that one run of these had.
  public internal(set) var suspensionPairs = 0
  /// Those of them that were never interleaved.
  var neverInterleaved: [PlacePair] = []
  /// Real time that the search took.
  public internal(set) var duration: Duration = .zero
  /// The fault, if there was one.
  public internal(set) var finding: Finding?

  /// A fault, shrunk.
  public struct Finding: Sendable {
    /// What went wrong.
    public let failure: Failure
    /// Repeats it.
    public let token: Token
    /// Number of the schedule that showed it, from one.
    public let schedule: Int
    /// Decisions that deviate from the plain order, before and after shrinking.
    public let deviations: (found: Int, shrunk: Int)
    /// The run itself.
    let trace: Trace
    /// What tasks waited for at its end.
    let waits: [Wait]

    /// The run, step by step, as a table for people.
    public var table: String { table(places([:])) }

    /// Who waited for what at the end of the run, a line for each task that had not ended; nothing
    /// where the platform does not show it.
    public var waiting: [String] { waiting(places([:])) }

    func places(_ lines: [UInt: String]) -> PlaceNames {
      PlaceNames(trace.places + waits.map(\.place), lines)
    }

    func table(_ places: PlaceNames) -> String { RunTable(trace, places).text }
    func waiting(_ places: PlaceNames) -> [String] { WaitNames(trace, waits, places).lines }
  }

  /// Two places in the code at which tasks of one run were suspended.
  struct PlacePair: Hashable, Sendable {
    /// One task was suspended here …
    let suspended: UInt
    /// … while another went on from there, or never did.
    let other: UInt
  }

  /// If a fault shows in one of so many uniformly drawn runs, it was missed with a chance of less
  /// than one in twenty. Nil if no run was drawn uniformly. Exhausted searches miss nothing.
  public var detectionBound: Int? {
    uniformSchedules == 0 ? nil : max(1, uniformSchedules / 3)
  }

  /// The numbers in a few lines.
  public var summary: String {
    var lines = [
      "\(name): \(schedules) schedules, \(distinct) different, "
        + "\(strategy.name), seed \(seed)"
        + (shard.count > 1 ? ", shard \(shard.index + 1)/\(shard.count)" : "")
    ]
    if isExhausted {
      lines.append("Exhausted: there is no other course" + (shard.count > 1 ? " here." : "."))
    } else {
      if finishedBound >= 0 {
        lines.append("All courses with up to \(finishedBound) deviations were tried.")
      }
      if let estimatedTotal {
        lines.append("There are about \(Self.rounded(estimatedTotal)) courses.")
      }
      if let detectionBound, finding == nil {
        lines.append(
          "A fault that one uniformly drawn run in \(detectionBound) shows was missed "
            + "with a chance of at most 5 %.")
      }
    }
    if suspensionPairs > 0, finding == nil {
      lines.append(
        "\(neverInterleaved.count) of \(suspensionPairs) pairs of suspensions were never "
          + "interleaved, in \(placedRuns) runs looked at.")
    }
    if uncontrolledRuns > 0 {
      lines.append(
        "\(uncontrolledRuns) runs had wake-ups from other threads, and may not repeat.")
    }
    return lines.joined(separator: "\n")
  }

  /// A number of courses as people read it: 456 or 2.2e7. It has to be finite.
  static func rounded(_ value: Double) -> String {
    if value < 100_000 { return "\(Int(value.rounded()))" }
    var exponent = 0
    var rest = value
    while rest >= 10 {
      rest /= 10
      exponent += 1
    }
    return "\((rest * 10).rounded() / 10)e\(exponent)"
  }
}

extension Exploration: CustomStringConvertible {
  /// The numbers in a few lines, as `summary`.
  public var description: String { summary }
}

/// Thrown by an exploration that found a fault; its description is the report.
public struct ExplorationFailure: Error, CustomStringConvertible {
  /// Wraps the result of a search that found a fault.
  public init(exploration: Exploration) { self.exploration = exploration }

  /// The numbers, and the fault.
  public let exploration: Exploration

  /// The report: what went wrong, the numbers, the run step by step, the token.
  public var description: String { TextReport(exploration).text }
}
