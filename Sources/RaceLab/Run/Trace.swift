// What happened in a run, as numbers: enough to tell two runs apart, and to draw one.

/// One job that was run.
struct Step: Sendable {
  /// Number of its task in the run, or -1 for a default actor's own job.
  let task: Int
  let place: Place
  let time: VirtualTime
  /// The step that made it ready; 0 is the beginning.
  let cause: Int
  /// The decision that picked it, or -1 if there was no other way.
  let pick: Int
  /// Its task was cancelled right before.
  let cancelled: Bool

  /// Where a step ran, in numbers of the run.
  enum Place: Hashable, Sendable {
    case main
    case pool
    case actor(Int)

    var code: UInt64 {
      switch self {
      case .main: 1
      case .pool: 2
      case .actor(let number): 3 + UInt64(number)
      }
    }

    var name: String {
      switch self {
      case .main: "main"
      case .pool: "pool"
      case .actor(let number): "actor \(number + 1)"
      }
    }
  }
}

/// The course of a run.
struct Trace: Sendable {
  var steps: [Step] = []
  var picks: [Pick] = []
  /// Changes with every step: two runs of the same course have the same.
  var hash = Self.emptyHash
  /// Creator of each task, by number; -1 for the first.
  var parents: [Int] = []
  /// For each step the address in the user's code at which it went on, 0 where that is not known;
  /// empty where places are not kept.
  var places: [UInt] = []
  /// Names given to tasks, by number, where they were seen.
  var names: [Int: String] = [:]

  mutating func add(_ step: Step) {
    steps.append(step)
    mix(UInt64(bitPattern: Int64(step.task)) &* 31 &+ step.place.code)
    mix(UInt64(bitPattern: step.time.nanoseconds))
  }

  mutating func mix(_ value: UInt64) { hash = Self.mixed(hash, value) }

  @inline(__always)
  static func mixed(_ hash: UInt64, _ value: UInt64) -> UInt64 {
    let next = (hash ^ value) &* 0x0000_0100_0000_01b3
    return next ^ (next >> 29)
  }

  static let emptyHash: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func removeAll() {
    steps.removeAll(keepingCapacity: true)
    picks.removeAll(keepingCapacity: true)
    parents.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    names = [:]
    hash = Self.emptyHash
  }

  /// What a task is called: by its name, if it has one, or its number.
  func title(_ task: Int) -> String {
    switch task {
    case -1: "actor job"
    case 0: names[0] ?? "scenario"
    default: names[task] ?? "task \(task)"
    }
  }

  /// Decisions that did not take the plain way.
  var deviations: [Deviation] {
    picks.enumerated().compactMap { index, pick in
      pick.value == 0 ? nil : Deviation(index: index, pick: pick)
    }
  }
}

/// A decision that did not take the plain way: what a token is made of.
struct Deviation: Hashable, Sendable {
  /// Number of the decision in the run.
  let index: Int
  let pick: Pick
}
