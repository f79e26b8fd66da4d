// Makes a failing run as small as it can: fewest deviations, then fewest steps, with the same
// fault.

struct Shrinker {
  let trials: Trials
  /// Runs that may be spent.
  var budget = 4000

  /// The smallest run found.
  struct Smallest {
    var deviations: [Deviation]
    var steps: Int
    /// Cancels and data choices count after deviations of the order.
    var cost: Cost { Cost(deviations: deviations.count, steps: steps) }
  }

  struct Cost: Comparable {
    let deviations: Int
    let steps: Int

    static func < (a: Cost, b: Cost) -> Bool {
      (a.deviations, a.steps) < (b.deviations, b.steps)
    }
  }

  private let replay = ReplayChooser()

  init(trials: Trials) { self.trials = trials }

  /// Returns the deviations of the smallest run found that shows `failure`.
  mutating func shrink(_ deviations: [Deviation], _ failure: Failure) -> [Deviation] {
    guard var best = attempt(deviations, failure) else { return deviations }
    dropChunks(&best, failure)
    searchBelow(&best, failure)
    dropChunks(&best, failure)
    return best.deviations
  }

  /// Tries to do without parts of the list, halves first.
  private mutating func dropChunks(_ best: inout Smallest, _ failure: Failure) {
    var size = max(best.deviations.count / 2, 1)
    while size >= 1, !best.deviations.isEmpty, budget > 0 {
      var start = 0
      while start < best.deviations.count, budget > 0 {
        var fewer = best.deviations
        fewer.removeSubrange(start..<min(start + size, fewer.count))
        if let smaller = attempt(fewer, failure), smaller.cost < best.cost {
          best = smaller
        } else {
          start += size
        }
      }
      size = size == 1 ? 0 : size / 2
    }
  }

  /// Looks for the fault among the runs with fewer deviations, in order.
  private mutating func searchBelow(_ best: inout Smallest, _ failure: Failure) {
    let search = BoundedSearch(shard: .whole)
    var limit = budget / 2
    while limit > 0, let (deviations, _) = search.next() {
      guard deviations.count < best.deviations.count else { return }
      limit -= 1
      budget -= 1
      replay.deviations = deviations
      let trial = trials.run(replay)
      let trace = trials.core.trace
      search.finish(trace)
      if let found = trial.failure, found.isSame(as: failure) {
        best = Smallest(deviations: trace.deviations, steps: trace.steps.count)
        return
      }
    }
  }

  /// Makes a run and returns what it did deviate in, if it shows the fault.
  private mutating func attempt(_ deviations: [Deviation], _ failure: Failure) -> Smallest? {
    budget -= 1
    replay.deviations = deviations
    guard let found = trials.run(replay).failure, found.isSame(as: failure) else { return nil }
    let trace = trials.core.trace
    return Smallest(deviations: trace.deviations, steps: trace.steps.count)
  }
}
