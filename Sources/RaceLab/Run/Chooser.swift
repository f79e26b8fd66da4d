// The seam for search: who says what happens at each point at which a run could go on in more than
// one way.

/// A job that could run now.
struct Candidate {
  let lane: Lane
  /// Number of the task in the run, in order of first sight; -1 for a default actor's own job,
  /// which may run any task that waits for it.
  let task: Int
  /// Number of the job in the run, in order of arrival.
  let order: Int
}

/// What a decision is about.
enum ChoiceKind: UInt8, Sendable {
  /// Which job runs next. Zero is the plain order.
  case schedule
  /// A value that the scenario asked for. Zero is the plain one.
  case data
  /// Whether the task that runs next is cancelled before it does. Zero is no.
  case cancel
}

/// A decision that was made.
struct Pick: Hashable, Sendable {
  let kind: ChoiceKind
  /// How many ways there were, two or more.
  let count: UInt16
  /// Which one was taken; zero is the plain one, all others are deviations.
  let value: UInt16
}

/// Decides. The base class takes the plain way everywhere: jobs first come, first served.
class Chooser {
  /// A run begins.
  func begin() {}

  /// Returns an index into `candidates`, which has two elements or more.
  func schedule(_ candidates: [Candidate], step: Int) -> Int { 0 }

  /// Returns a number from zero up to, not including, `count`.
  func data(count: Int) -> Int { 0 }

  /// Job `order` was run. Called only where footprints are kept.
  func made(_ order: Int, _ footprint: Footprint) {}

  /// Returns whether to cancel the task that runs next.
  func cancel(task: Int, step: Int) -> Bool { false }
}
