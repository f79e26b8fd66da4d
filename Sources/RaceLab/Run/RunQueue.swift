// The jobs of a run that could run now, lane by lane, in the order in which they would run if
// nobody deviated.

/// A job that was captured and waits to be run.
struct Ready {
  let job: UnownedJob
  let form: JobForm
  let lane: Lane
  /// Number of its task in the run, or -1.
  let task: Int
  /// Number of the job in the run, in order of arrival.
  let order: Int
  /// Number of the step that made it ready.
  let cause: Int
  /// Place in the plain order. A job to which another was preferred is held back until nothing
  /// else can run.
  var rank: Int
  /// An earlier job of the same actor waits.
  var blocked = false

  var candidate: Candidate { Candidate(lane: lane, task: task, order: order) }
}

struct RunQueue {
  /// Main-actor jobs, in order of arrival; those before `mainStart` have run.
  private var main: [Ready] = []
  private var mainStart = 0
  /// All others, in order of rank.
  private var others: [Ready] = []
  /// In the plain order: those before it have run.
  private var othersStart = 0
  /// Nobody will deviate: jobs are taken as they came, and need not be looked through.
  let isPlain: Bool
  /// Jobs that may strike between any two steps; in the plain order, when nothing else can run.
  private var strikes: [Ready] = []
  private var lastRank = 0
  /// Added to the rank of a job that is held back.
  private static let held = 1 << 40
  /// Made anew for each decision; kept for its storage.
  private var candidates: [Candidate] = []
  /// For each candidate its place: in `others` from 0, in `strikes` from -2 down, main -1.
  private var places: [Int] = []

  init(isPlain: Bool) { self.isPlain = isPlain }

  var isEmpty: Bool {
    mainStart == main.count && othersStart == others.count && strikes.isEmpty
  }

  mutating func append(_ ready: Ready, strike: Bool = false) {
    lastRank += 1
    var ready = ready
    ready.rank = lastRank
    if strike { return strikes.append(ready) }
    switch ready.lane {
    case .main: main.append(ready)
    case .pool: insert(ready)
    case .actor:
      ready.blocked = !isPlain && others.contains { $0.lane == ready.lane }
      insert(ready)
    }
  }

  /// Puts a job among the others, before those that are held back.
  private mutating func insert(_ ready: Ready) {
    var index = others.endIndex
    while index > 0, others[index - 1].rank > ready.rank { index -= 1 }
    others.insert(ready, at: index)
  }

  mutating func removeAll() {
    main.removeAll(keepingCapacity: true)
    mainStart = 0
    others.removeAll(keepingCapacity: true)
    othersStart = 0
    strikes.removeAll(keepingCapacity: true)
    lastRank = 0
  }

  /// Takes the job that `choose` picks among those that could run, or nil if there is none.
  mutating func next(_ choose: ([Candidate]) -> Int) -> Ready? {
    if isPlain { return nextPlain() }
    if others.isEmpty, strikes.isEmpty { return mainStart < main.count ? popMain() : nil }
    collect()
    let count = candidates.count
    let choice = count == 1 ? 0 : choose(candidates)
    precondition(choice >= 0 && choice < count, "A chooser picked a job that is not there.")
    let place = places[choice]
    let taken: Ready
    switch place {
    case 0...: taken = others.remove(at: place)
    case -1: taken = popMain()
    default: taken = strikes.remove(at: -2 - place)
    }
    if place >= 0, case .actor = taken.lane { unblock(taken.lane) }
    if choice > 0, place >= -1 { hold(count: choice) }
    return taken
  }

  /// Takes the job that came first; strikes when there is no other.
  private mutating func nextPlain() -> Ready? {
    let head = mainStart < main.count ? main[mainStart].rank : Int.max
    let other = othersStart < others.count ? others[othersStart].rank : Int.max
    if head == Int.max, other == Int.max {
      return strikes.isEmpty ? nil : strikes.removeFirst()
    }
    if head < other { return popMain() }
    return Self.popFirst(&others, &othersStart)
  }

  /// Finds out what could run: the first of the main actor and of each actor, all of the pool.
  private mutating func collect() {
    candidates.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    var head = mainStart < main.count ? main[mainStart] : nil
    for (index, ready) in others.enumerated() where !ready.blocked {
      if let first = head, first.rank < ready.rank {
        candidates.append(first.candidate)
        places.append(-1)
        head = nil
      }
      candidates.append(ready.candidate)
      places.append(index)
    }
    if let first = head {
      candidates.append(first.candidate)
      places.append(-1)
    }
    for (index, ready) in strikes.enumerated() {
      candidates.append(ready.candidate)
      places.append(-2 - index)
    }
  }

  /// Holds back the first `count` candidates, to which another was preferred, until nothing else
  /// can run: one deviation is enough to make a job as late as it can be.
  private mutating func hold(count: Int) {
    for candidate in candidates.prefix(count) {
      lastRank += 1
      if candidate.lane == .main {
        if mainStart < main.count { main[mainStart].rank = lastRank + Self.held }
      } else if let index = others.firstIndex(where: { $0.order == candidate.order }) {
        var ready = others.remove(at: index)
        ready.rank = lastRank + Self.held
        insert(ready)
      }
    }
  }

  private mutating func unblock(_ lane: Lane) {
    var first: Int?
    for (index, ready) in others.enumerated() where ready.lane == lane {
      if first.map({ ready.order < others[$0].order }) ?? true { first = index }
    }
    if let first { others[first].blocked = false }
  }

  private mutating func popMain() -> Ready { Self.popFirst(&main, &mainStart) }

  /// Takes the first of those that have not run; what has run is thrown away now and then.
  @inline(__always)
  private static func popFirst(_ jobs: inout [Ready], _ start: inout Int) -> Ready {
    let ready = jobs[start]
    start += 1
    if start == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      start = 0
    } else if start >= 1024, start * 2 > jobs.count {
      jobs.removeFirst(start)
      start = 0
    }
    return ready
  }
}
