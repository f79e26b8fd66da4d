// One search: run after run until there is a fault, or time, schedules or courses are used up.

struct Search {
  let name: String
  let options: SearchOptions
  let trials: Trials
  private let clock = ContinuousClock()

  init(name: String, options: SearchOptions, trials: Trials) {
    self.name = name
    self.options = options
    self.trials = trials
  }

  func run() -> Exploration {
    var result = Exploration(
      name: name, strategy: options.strategy, seed: options.seed, shard: options.shard)
    let schedules = Schedules(
      strategy: options.strategy, seed: options.seed, shard: options.shard,
      reducing: trials.core.canReduce && options.cancels == 0 ? trials.core : nil)
    trials.core.keepsFootprints = schedules.reduces
    defer { trials.core.keepsFootprints = false }
    var distinct = DistinctCounter()
    var interleavings = Interleavings()
    var estimate = CourseEstimate()
    let core = trials.core
    let record = Record.open(for: name, in: options.recordFolder)
    core.record = record
    defer {
      core.record = nil
      record?.close()
    }
    let start = clock.now
    let deadline = options.time.map { start + $0 }
    while result.schedules < options.schedules, let chooser = schedules.next() {
      let foreign = core.inbox.wakeUps
      core.keepsPlaces = core.canLook && Self.looksAtPlaces(result.schedules)
      let trial = trials.run(chooser)
      let trace = core.trace
      schedules.finish(trace)
      if core.keepsPlaces { interleavings.learn(trace) }
      if core.inbox.wakeUps != foreign {
        result.uncontrolledRuns += 1
      } else if trial.failure?.kind == .deadlock, result.uncontrolledRuns == 0 {
        // Nobody came from outside, and nobody ever did: no need to wait for them again.
        core.limits.patience = .zero
      }
      if schedules.isNew {
        result.schedules += 1
        distinct.insert(trace.hash)
      }
      result.longestRun.steps = max(result.longestRun.steps, trace.steps.count)
      result.longestRun.decisions = max(result.longestRun.decisions, trace.picks.count)
      if schedules.isUniform { result.uniformSchedules += 1 }
      estimate.learn(schedules)
      if let observe = options.observe {
        observe(trial.failure, Course(trace))
      } else if let failure = trial.failure {
        result.finding = finding(failure, trace, schedule: result.schedules)
        break
      }
      if let progress = options.progress, result.schedules % 256 == 0, schedules.isNew {
        result.distinct = distinct.count
        result.duration = start.duration(to: clock.now)
        progress(result)
      }
      if options.stops?() ?? false { break }
      if let deadline, result.schedules % 64 == 0, clock.now >= deadline { break }
    }
    result.placedRuns = interleavings.runs
    result.suspensionPairs = interleavings.pairs
    result.neverInterleaved = interleavings.missing
    result.distinct = distinct.count
    result.isExhausted = schedules.isExhausted && result.finding == nil
    result.finishedBound = schedules.finishedBound
    result.estimatedTotal = estimate.total
    result.duration = start.duration(to: clock.now)
    return result
  }

  /// Places in the code are kept of the first runs, and of some of the others: it takes time.
  private static func looksAtPlaces(_ schedule: Int) -> Bool {
    schedule < 256 || schedule.isMultiple(of: 16)
  }

  private static let whyNot =
    "The scenario or the code under test has changed, or was built otherwise (debug or release: the "
    + "optimizer leaves hops out), or depends on something that the lab does not control."

  /// Makes the run that a token names.
  func replay(_ token: Token) -> Result<Exploration, ReplayError> {
    var result = Exploration(
      name: name, strategy: options.strategy, seed: options.seed, shard: options.shard)
    guard token.fits(scenario: name) else {
      return .failure(
        ReplayError(description: "The token was made for another scenario than \"\(name)\"."))
    }
    let chooser = ReplayChooser()
    chooser.deviations = token.deviations
    trials.core.recordsNames = true
    trials.core.keepsPlaces = trials.core.canLook
    let record = Record.open(for: name, in: options.recordFolder)
    trials.core.record = record
    defer {
      trials.core.record = nil
      record?.close()
    }
    let start = clock.now
    let trial = trials.run(chooser)
    let trace = trials.core.trace
    if let misfit = chooser.misfit {
      let wanted = misfit.deviation.pick
      return .failure(
        ReplayError(
          description: "The token does not fit: at step \(max(misfit.step, 0) + 1) it takes way "
            + "\(wanted.value + 1) of \(wanted.count), but there was: \(misfit.found). "
            + Self.whyNot))
    }
    if chooser.unused > 0 {
      return .failure(
        ReplayError(
          description: "The token does not fit: the run ended after \(trace.steps.count) steps, "
            + "before \(chooser.unused) of its decisions. \(Self.whyNot)"))
    }
    // A token left by a crash knows the decisions only.
    if token.hash != 0, UInt32(truncatingIfNeeded: trace.hash) != token.hash {
      return .failure(
        ReplayError(
          description: "The token does not fit: its decisions could be followed, but the steps "
            + "were others than when it was made. \(Self.whyNot)"))
    }
    result.schedules = 1
    result.distinct = 1
    result.duration = start.duration(to: clock.now)
    if let failure = trial.failure {
      result.finding = Exploration.Finding(
        failure: failure, token: token, schedule: 1,
        deviations: (token.deviations.count, token.deviations.count),
        trace: trace, waits: trial.waits)
    }
    return .success(result)
  }

  /// Shrinks a failing run, and makes it once more for the report.
  private func finding(
    _ failure: Failure, _ trace: Trace, schedule: Int
  ) -> Exploration.Finding {
    let found = trace.deviations
    trials.core.keepsFootprints = false
    trials.core.keepsPlaces = false
    var shrinker = Shrinker(trials: trials)
    let deviations = shrinker.shrink(found, failure)
    let chooser = ReplayChooser()
    chooser.deviations = deviations
    trials.core.recordsNames = true
    trials.core.keepsPlaces = trials.core.canLook
    defer { trials.core.recordsNames = false }
    let trial = trials.run(chooser)
    // A run that does not repeat is told as it was seen.
    let repeated = trial.failure?.isSame(as: failure) ?? false
    let shown = repeated ? trials.core.trace : trace
    let note = Failure(
      failure.kind,
      failure.message
        + " (This run did not repeat: something in it is not under the lab's control.)")
    return Exploration.Finding(
      failure: repeated ? trial.failure ?? failure : note,
      token: Token(scenario: name, trace: shown),
      schedule: schedule, deviations: (found.count, shown.deviations.count),
      trace: shown, waits: repeated ? trial.waits : [])
  }
}
