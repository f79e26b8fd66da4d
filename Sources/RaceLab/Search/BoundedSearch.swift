// Exhaustive search, fewest deviations first: all runs with one deviation from the plain order,
// then all with two, and so on. Each course of a run is tried once for each bound that reaches
// it; memory does not grow with the number of runs.

final class BoundedSearch {
  /// A run that was made on the way down, and the next deviation to try below it.
  fileprivate struct Level {
    let counts: [Pick]
    var index: Int
    var value: Int
    /// What is known of its decisions about the order, by their number; empty where nothing is left
    /// out.
    var nodes: [Int: ReducingChooser.Node] = [:]
    /// Jobs that were picked at `index` before `value`, in other branches.
    var siblings: [Sleeper] = []
  }

  private var bound = 0
  private var levels: [Level] = []
  private var current: [Deviation] = []
  private var reachedBound = false
  private var started = false
  private var branch = -1
  private let shard: Shard
  /// Every course has been tried.
  private(set) var isExhausted = false
  /// Bound up to which every course has been tried.
  private(set) var finishedBound = -1

  init(shard: Shard) { self.shard = shard }

  /// Returns the deviations of the next run, or nil if there is none; `isNew` is false where the
  /// run was made under a lower bound already, and only shows the way down.
  func next() -> (deviations: [Deviation], isNew: Bool)? {
    if isExhausted { return nil }
    if !started {
      started = true
      current = []
      return (current, bound == 0 && shard.index == 0)
    }
    while let level = levels.last {
      guard let (index, value) = advance(level) else {
        levels.removeLast()
        continue
      }
      let last = levels.count - 1
      if value == 1 { levels[last].siblings = level.firstSibling(at: index) }
      levels[last].index = index
      levels[last].value = value
      if levels[last].sleeps { continue }
      if levels.count == 1 {
        branch += 1
        if !shard.contains(branch) { continue }
      }
      current = levels.map { level in
        let pick = level.counts[level.index]
        return Deviation(
          index: level.index,
          pick: Pick(kind: pick.kind, count: pick.count, value: UInt16(level.value)))
      }
      let isNew = current.count == bound
      if isNew { reachedBound = true }
      return (current, isNew)
    }
    finishedBound = bound
    if bound > 0, !reachedBound {
      isExhausted = true
      return nil
    }
    bound += 1
    reachedBound = false
    started = false
    branch = -1
    return next()
  }

  /// Takes in what the run that `next` asked for found on its way.
  func finish(_ trace: Trace, _ nodes: [Int: ReducingChooser.Node] = [:]) {
    if let last = current.last, let node = nodes[last.index], !levels.isEmpty {
      levels[levels.count - 1].siblings.append(node.sleeper(Int(last.pick.value)))
    }
    guard current.count < bound else { return }
    let first = current.last.map { $0.index + 1 } ?? 0
    levels.append(Level(counts: trace.picks, index: first, value: 0, nodes: nodes))
  }

  /// Who sleeps in the run that `next` asked for, once its last deviation has been taken.
  var sleepers: [Sleeper] {
    guard let level = levels.last, let node = level.nodes[level.index] else { return [] }
    return node.sleepers + level.siblings
  }

  private func advance(_ level: Level) -> (Int, Int)? {
    var index = level.index
    var value = level.value + 1
    while index < level.counts.count {
      if level.nodes[index]?.isRedundant == true { return nil }
      if value < Int(level.counts[index].count) { return (index, value) }
      index += 1
      value = 1
    }
    return nil
  }
}

extension BoundedSearch.Level {
  /// What the run itself picked at a decision, before the other ways are tried.
  fileprivate func firstSibling(at index: Int) -> [Sleeper] {
    guard let node = nodes[index] else { return [] }
    return [node.sleeper(0)]
  }

  /// Whether the way that is to be tried next was or will be tried elsewhere.
  fileprivate var sleeps: Bool {
    guard let node = nodes[index] else { return false }
    return node.sleepers.contains { $0.order == node.jobs[value] }
  }
}

extension ReducingChooser.Node {
  /// The job of way `value`, which was picked: it sleeps in the branches that come after.
  fileprivate func sleeper(_ value: Int) -> Sleeper {
    Sleeper(order: jobs[value], footprint: footprint, known: known)
  }
}

/// A part of a search, so that several machines share it without overlap.
public struct Shard: Hashable, Sendable {
  /// Number of this part, from zero.
  public let index: Int
  /// Number of parts.
  public let count: Int

  /// The whole search.
  public static let whole = Shard(uncheckedIndex: 0, count: 1)

  /// Part `index`, from zero, of `count`. Nil if there is no such part.
  public init?(index: Int, of count: Int) {
    guard count > 0, index >= 0, index < count else { return nil }
    self.index = index
    self.count = count
  }

  private init(uncheckedIndex index: Int, count: Int) {
    self.index = index
    self.count = count
  }

  func contains(_ number: Int) -> Bool { number % count == index }
}
