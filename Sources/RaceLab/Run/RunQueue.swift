// The jobs of a run that could run now, lane by lane.

/// A job that was captured and waits to be run.
struct Ready {
  let job: UnownedJob
  let candidate: Candidate
}

struct RunQueue {
  /// Main-actor jobs, in order of arrival; those before `mainStart` have run.
  private var main: [Ready] = []
  private var mainStart = 0
  /// All others, in order of arrival.
  private var pool: [Ready] = []

  var isEmpty: Bool { mainStart == main.count && pool.isEmpty }

  mutating func append(_ ready: Ready) {
    if ready.candidate.lane == .main { main.append(ready) } else { pool.append(ready) }
  }

  /// Takes the job that `chooser` picks, or nil if there is none.
  mutating func next(_ chooser: inout any Chooser) -> Ready? {
    let head = mainStart < main.count ? main[mainStart] : nil
    if pool.isEmpty { return head == nil ? nil : popMain() }
    if head == nil, pool.count == 1 { return pool.removeFirst() }
    var candidates = pool.map(\.candidate)
    var mainIndex = -1
    if let head {
      mainIndex = candidates.firstIndex { $0.order > head.candidate.order } ?? candidates.endIndex
      candidates.insert(head.candidate, at: mainIndex)
    }
    let choice = chooser.choose(among: candidates)
    precondition(candidates.indices.contains(choice), "A chooser picked a job that is not there.")
    if choice == mainIndex { return popMain() }
    return pool.remove(at: mainIndex >= 0 && choice > mainIndex ? choice - 1 : choice)
  }

  private mutating func popMain() -> Ready {
    let ready = main[mainStart]
    mainStart += 1
    if mainStart == main.count {
      main.removeAll(keepingCapacity: true)
      mainStart = 0
    } else if mainStart == 1024 {
      main.removeFirst(mainStart)
      mainStart = 0
    }
    return ready
  }
}
