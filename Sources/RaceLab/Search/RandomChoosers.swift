// Choosers that draw lots. Each learns from the runs before how long a run is and how many steps
// each task makes.

/// What has been learned about a scenario from its runs so far.
final class Experience {
  /// Most steps seen in a run.
  private(set) var steps = 8
  /// Steps made by each task, by number, in the longest run of it.
  private(set) var stepsOfTask: [Int] = []
  /// Zeros, between runs.
  private var counting: [Int] = []

  func learn(_ trace: Trace) {
    steps = max(steps, trace.steps.count)
    Self.count(trace, &counting)
    Self.take(&counting, into: &stepsOfTask)
  }
}

extension Experience {
  private static func count(_ trace: Trace, _ counts: inout [Int]) {
    while counts.count < trace.parents.count { counts.append(0) }
    for step in trace.steps where step.task >= 0 { counts[step.task] += 1 }
  }

  /// Takes in what was counted, where it is more, and leaves zeros.
  private static func take(_ counts: inout [Int], into most: inout [Int]) {
    while most.count < counts.count { most.append(0) }
    for task in counts.indices {
      most[task] = max(most[task], counts[task])
      counts[task] = 0
    }
  }
}

/// Every way is as likely as every other, at each decision.
class RandomChooser: Chooser {
  var random = SearchRandom(seed: 0, schedule: 0)
  let experience: Experience
  /// How likely the decisions of the run at hand were, all together.
  final fileprivate(set) var chance = 1.0

  init(experience: Experience) { self.experience = experience }

  override func begin() { chance = 1 }

  override func schedule(_ candidates: [Candidate], step: Int) -> Int {
    chance /= Double(candidates.count)
    return random.below(candidates.count)
  }

  override func data(count: Int) -> Int {
    chance /= Double(count)
    return random.below(count)
  }

  override func cancel(task: Int, step: Int) -> Bool {
    let cancels = random.once(in: experience.steps)
    let yes = 1 / Double(max(experience.steps, 1))
    chance *= cancels ? yes : 1 - yes
    return cancels
  }
}

/// A task is the more likely the more steps it still has to make, by what was seen before: every
/// order of uneven tasks is then about as likely as every other.
final class WeightedChooser: RandomChooser {
  private var made: [Int] = []
  private var weights: [Int] = []

  override func begin() {
    super.begin()
    made.removeAll(keepingCapacity: true)
  }

  override func schedule(_ candidates: [Candidate], step: Int) -> Int {
    weights.removeAll(keepingCapacity: true)
    var sum = 0
    for candidate in candidates {
      let weight = max(1, expected(candidate.task) - steps(of: candidate.task))
      weights.append(weight)
      sum += weight
    }
    var point = random.below(sum)
    var choice = 0
    while point >= weights[choice] {
      point -= weights[choice]
      choice += 1
    }
    chance *= Double(weights[choice]) / Double(sum)
    let task = candidates[choice].task
    if task >= 0 {
      while made.count <= task { made.append(0) }
      made[task] += 1
    }
    return choice
  }

  private func expected(_ task: Int) -> Int {
    task >= 0 && task < experience.stepsOfTask.count ? experience.stepsOfTask[task] : 1
  }

  private func steps(of task: Int) -> Int { task >= 0 && task < made.count ? made[task] : 0 }
}

/// Probabilistic concurrency testing (Burckhardt and others, 2010): tasks get random priorities,
/// and at `depth` - 1 random steps the task that would run gets the lowest. Finds a fault of that
/// depth, in a run of k steps of n tasks, with a chance of at least 1 / (n k^(depth - 1)).
final class PriorityChooser: RandomChooser {
  private let depth: Int
  private var priorities: [Int] = []
  private var changes: [Int] = []
  private var lowest = 0

  init(depth: Int, experience: Experience) {
    self.depth = depth
    super.init(experience: experience)
  }

  override func begin() {
    priorities.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    lowest = 0
    for _ in 1..<max(depth, 2) { changes.append(random.below(experience.steps)) }
  }

  override func schedule(_ candidates: [Candidate], step: Int) -> Int {
    var choice = highest(candidates)
    while let change = changes.firstIndex(where: { $0 <= step }) {
      changes.remove(at: change)
      let task = candidates[choice].task
      if task >= 0 {
        lowest -= 1
        priorities[task] = lowest
      }
      choice = highest(candidates)
    }
    return choice
  }

  private func highest(_ candidates: [Candidate]) -> Int {
    var best = 0
    var bestPriority = Int.min
    for (index, candidate) in candidates.enumerated() {
      let priority = priority(candidate.task)
      if priority > bestPriority {
        best = index
        bestPriority = priority
      }
    }
    return best
  }

  private func priority(_ task: Int) -> Int {
    guard task >= 0 else { return Int(random.next() >> 2) }
    while priorities.count <= task { priorities.append(Int(random.next() >> 2)) }
    return priorities[task]
  }
}

/// Partial order sampling (Yuan, Yang, Gu, 2018): each job gets a random priority of its own; the
/// jobs of the lane that just moved get new ones.
final class PartialOrderChooser: RandomChooser {
  private var priorities: [UInt64] = []

  override func begin() { priorities.removeAll(keepingCapacity: true) }

  override func schedule(_ candidates: [Candidate], step: Int) -> Int {
    var best = 0
    for index in candidates.indices
    where priority(candidates[index].order) > priority(candidates[best].order) {
      best = index
    }
    let lane = candidates[best].lane
    for candidate in candidates where candidate.lane == lane && lane != .pool {
      priorities[candidate.order] = random.next()
    }
    return best
  }

  private func priority(_ order: Int) -> UInt64 {
    while priorities.count <= order { priorities.append(random.next()) }
    return priorities[order]
  }
}
