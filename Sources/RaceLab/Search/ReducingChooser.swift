// Follows deviations as a replay does, and keeps account of who sleeps from the last of them on.

final class ReducingChooser: ReplayChooser {
  /// A decision about the order, as the search needs it.
  struct Node {
    /// The candidates' jobs, by number.
    let jobs: [Int]
    let sleepers: [Sleeper]
    /// Only courses come after it that were or will be tried elsewhere.
    let isRedundant: Bool
    let known: (objects: Int, tasks: Int)
    /// What the step did that was picked.
    var footprint = Footprint()
  }

  /// Who sleeps at the last deviation, once that has been taken.
  var sleepersAtLast: [Sleeper] = []
  /// By number of the decision, from the last deviation on.
  private(set) var nodes: [Int: Node] = [:]
  private var sleepers: [Sleeper] = []
  private var isRedundant = false
  private var isFree = false
  private var lastNode = -1
  weak var run: LabRun?

  override func begin() {
    super.begin()
    nodes.removeAll(keepingCapacity: true)
    sleepers = []
    isRedundant = false
    isFree = deviations.isEmpty
    lastNode = -1
  }

  override func schedule(_ candidates: [Candidate], step: Int) -> Int {
    let number = decision
    let choice = super.schedule(candidates, step: step)
    let isLast = number == deviations.last?.index
    if isLast {
      isFree = true
      sleepers = sleepersAtLast
    }
    guard isFree, let run else { return choice }
    lastNode = number
    nodes[number] = Node(
      jobs: candidates.map(\.order), sleepers: sleepers, isRedundant: isRedundant,
      known: (run.footprints.objectCount, run.trace.parents.count))
    return choice
  }

  override func data(count: Int) -> Int {
    let number = decision
    let choice = super.data(count: count)
    // The step that chooses wakes all.
    if number == deviations.last?.index { isFree = true }
    return choice
  }

  /// A step was made: job `order`.
  override func made(_ order: Int, _ footprint: Footprint) {
    guard isFree else { return }
    nodes[lastNode]?.footprint = footprint
    lastNode = -1
    if sleepers.isEmpty { return }
    if sleepers.contains(where: { $0.order == order }) { isRedundant = true }
    sleepers.removeAll { $0.order == order || $0.isWoken(by: footprint) }
  }
}
