// Which schedules a search tries, and in which order.

/// How a search picks its schedules.
public enum Strategy: Hashable, Sendable {
  /// All of the below in turn. The default: each finds faults that others are slow at.
  case portfolio
  /// All schedules, fewest deviations from the plain order first. Ends when all were tried.
  case bounded
  /// As bounded, but of schedules that differ only in the order of steps which have nothing to do
  /// with each other, one is tried (sleep sets; Godefroid, 1996). Steps have to do with each other if
  /// they run on the same actor, or one resumes, creates, cancels or waits for the other's task, or
  /// both use the same gate, clock or stream.
  ///
  /// For code that shares nothing else: state behind a lock or an atomic, which tasks off all actors
  /// change, is not seen, and orders in which they do are left out. Where a search may cancel tasks,
  /// or the platform does not show enough, nothing is left out.
  case reduced
  /// Every way as likely as every other at each decision.
  case random
  /// Tasks with more work left are more likely, for tasks of uneven length.
  case weighted
  /// Random priorities that change `depth` - 1 times in a run (PCT).
  case pct(depth: Int)
  /// A random priority for each job (POS).
  case pos

  /// The name used on the command line.
  public var name: String {
    switch self {
    case .portfolio: "portfolio"
    case .bounded: "bounded"
    case .reduced: "reduced"
    case .random: "random"
    case .weighted: "weighted"
    case .pct(let depth): "pct:\(depth)"
    case .pos: "pos"
    }
  }

  /// The strategy of that name, or nil: portfolio, bounded, reduced, random, weighted, pct, pct:4, pos.
  public init?(name: String) {
    switch name {
    case "portfolio": self = .portfolio
    case "bounded": self = .bounded
    case "reduced": self = .reduced
    case "random": self = .random
    case "weighted": self = .weighted
    case "pos": self = .pos
    case "pct": self = .pct(depth: 3)
    default:
      guard name.hasPrefix("pct:"), let depth = Int(name.dropFirst(4)), (1...20).contains(depth)
      else { return nil }
      self = .pct(depth: depth)
    }
  }
}

/// Hands out a chooser for each schedule.
final class Schedules {
  private let strategy: Strategy
  private let seed: UInt64
  private let shard: Shard
  let experience = Experience()
  private let bounded: BoundedSearch
  private let replay: ReplayChooser
  private let random: RandomChooser
  private let weighted: WeightedChooser
  private let pos: PartialOrderChooser
  private let pct: [PriorityChooser]
  private var index = 0
  /// The schedule that is being run is one of the bounded search.
  private var isBounded = false
  /// It is drawn uniformly, so that it says something about the number of all.
  private(set) var isUniform = false
  /// How likely the run was that has been made, and whether it was drawn by weight; nil if that is
  /// not known.
  var draw: (chance: Double, isWeighted: Bool)? {
    guard let drawn else { return nil }
    if drawn === random { return (drawn.chance, false) }
    return drawn === weighted ? (drawn.chance, true) : nil
  }
  private var drawn: RandomChooser?
  /// It has not been run before.
  private(set) var isNew = true

  /// `run` is given if orders that make no difference may be left out.
  init(strategy: Strategy, seed: UInt64, shard: Shard, reducing run: LabRun? = nil) {
    if let run, strategy == .reduced {
      let reducing = ReducingChooser()
      reducing.run = run
      replay = reducing
    } else {
      replay = ReplayChooser()
    }
    self.strategy = strategy
    self.seed = seed
    self.shard = shard
    bounded = BoundedSearch(shard: shard)
    random = RandomChooser(experience: experience)
    weighted = WeightedChooser(experience: experience)
    pos = PartialOrderChooser(experience: experience)
    let depths = if case .pct(let depth) = strategy { [depth] } else { [2, 3, 4] }
    let experience = experience
    pct = depths.map { PriorityChooser(depth: $0, experience: experience) }
  }

  /// Orders that make no difference are left out.
  var reduces: Bool { replay is ReducingChooser }
  var isExhausted: Bool { bounded.isExhausted }
  var finishedBound: Int { bounded.finishedBound }

  /// Returns the chooser for the next schedule, or nil if all have been run.
  func next() -> Chooser? {
    defer { index += 1 }
    isBounded = false
    isUniform = false
    drawn = nil
    isNew = true
    switch strategy {
    case .bounded, .reduced: return nextBounded()
    case .random: return drawn(random, uniform: true)
    case .weighted: return drawn(weighted)
    case .pos: return drawn(pos)
    case .pct: return drawn(pct[0])
    case .portfolio:
      if bounded.isExhausted { return nil }
      switch index % 8 {
      case 0, 2, 4: return nextBounded() ?? nil
      case 1: return drawn(pct[index / 8 % pct.count])
      case 3: return drawn(random, uniform: true)
      case 5: return drawn(weighted)
      case 6: return drawn(pct[(index / 8 + 1) % pct.count])
      default: return drawn(pos)
      }
    }
  }

  func finish(_ trace: Trace) {
    experience.learn(trace)
    if isBounded { bounded.finish(trace, (replay as? ReducingChooser)?.nodes ?? [:]) }
  }

  private func nextBounded() -> Chooser? {
    guard let (deviations, isNew) = bounded.next() else { return nil }
    isBounded = true
    self.isNew = isNew
    replay.deviations = deviations
    (replay as? ReducingChooser)?.sleepersAtLast = bounded.sleepers
    return replay
  }

  private func drawn(_ chooser: RandomChooser, uniform: Bool = false) -> Chooser {
    isUniform = uniform
    drawn = chooser
    chooser.random = SearchRandom(seed: seed, schedule: index * shard.count + shard.index)
    return chooser
  }
}
