// Follows a list of deviations, and takes the plain way everywhere else.

class ReplayChooser: Chooser {
  /// In order of index.
  var deviations: [Deviation] = []
  private var next = 0
  /// Number of the next decision.
  private(set) var decision = 0
  /// The first deviation that did not fit, and what there was instead.
  private(set) var misfit: Misfit?

  /// A deviation that could not be followed.
  struct Misfit {
    let deviation: Deviation
    let step: Int
    let found: String
  }

  override func begin() {
    next = 0
    decision = 0
    misfit = nil
  }

  override func schedule(_ candidates: [Candidate], step: Int) -> Int {
    take(.schedule, count: candidates.count, step: step) {
      candidates.map { candidate in
        let task = candidate.task < 0 ? "an actor's job" : "task \(candidate.task)"
        return switch candidate.lane {
        case .main: "\(task) on main"
        case .pool: "\(task) on the pool"
        case .actor: "\(task) on an actor"
        }
      }.joined(separator: ", ")
    }
  }

  override func data(count: Int) -> Int {
    take(.data, count: count, step: -1) { "a choice between \(count)" }
  }

  override func cancel(task: Int, step: Int) -> Bool {
    take(.cancel, count: 2, step: step) { "whether to cancel task \(task)" } == 1
  }

  /// Deviations that the run was over too early for.
  var unused: Int { deviations.count - next }

  private func take(
    _ kind: ChoiceKind, count: Int, step: Int, _ describe: () -> String
  ) -> Int {
    defer { decision += 1 }
    guard next < deviations.count, deviations[next].index == decision else { return 0 }
    let deviation = deviations[next]
    next += 1
    if deviation.pick.kind == kind, Int(deviation.pick.count) == count {
      return Int(deviation.pick.value)
    }
    if misfit == nil {
      misfit = Misfit(deviation: deviation, step: step, found: describe())
    }
    return deviation.pick.kind == kind ? min(Int(deviation.pick.value), count - 1) : 0
  }
}
