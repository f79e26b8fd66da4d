// The seam for search: who says which of the runnable jobs comes next.

/// A job that could run now.
struct Candidate {
  let lane: Lane
  /// Number of the task in the run, in order of first sight; nil for a default actor's own job,
  /// which may run any task that waits for it.
  let task: Int?
  /// Number of the job in the run, in order of arrival.
  let order: Int
}

/// Picks the next job. Candidates come in order of arrival; the main actor contributes only its
/// first, every other lane each of its jobs.
protocol Chooser {
  /// Returns an index into `candidates`, which has two elements or more.
  mutating func choose(among candidates: [Candidate]) -> Int
}

/// The plain order: first come, first served, over all lanes.
struct PlainOrder: Chooser {
  mutating func choose(among candidates: [Candidate]) -> Int { 0 }
}
