// Which suspensions were seen interleaved with which: between the moment at which a task stopped at
// one place in the code and the moment at which it went on, another went on from the other place.

/// Counts over runs.
struct Interleavings {
  /// Number of a place by its address.
  private var numbers: [UInt: Int] = [:]
  private var places: [UInt] = []
  /// Pairs seen: while one task was suspended at the first, another went on from the second.
  private var seen: Set<Pair> = []
  /// Pairs of places that two tasks of one run had.
  private var possible: Set<Pair> = []
  /// Runs looked at.
  private(set) var runs = 0
  /// More places than this are not compared.
  private static let limit = 256
  /// Steps of a run that are looked at.
  private static let longest = 2_000

  private struct Pair: Hashable {
    let suspended: Int
    let other: Int
  }

  /// Takes in a run that has kept its places.
  mutating func learn(_ trace: Trace) {
    guard trace.places.count == trace.steps.count, !trace.places.isEmpty else { return }
    runs += 1
    // For each task: the step after which it was last suspended.
    var last: [Int: Int] = [:]
    var placesOfTask: [Int: Set<Int>] = [:]
    let numbers = trace.places.prefix(Self.longest).map { number(of: $0) }
    for (index, place) in numbers.enumerated() {
      let task = trace.steps[index].task
      defer { last[task] = index }
      guard place >= 0, let begin = last[task] else { continue }
      placesOfTask[task, default: []].insert(place)
      for between in (begin + 1)..<max(index, begin + 1)
      where trace.steps[between].task != task && numbers[between] >= 0 {
        seen.insert(Pair(suspended: place, other: numbers[between]))
      }
    }
    for (task, own) in placesOfTask {
      for (other, others) in placesOfTask where other != task {
        for suspended in own {
          for place in others { possible.insert(Pair(suspended: suspended, other: place)) }
        }
      }
    }
  }

  /// Pairs of two places that tasks have in one run.
  var pairs: Int { possible.count }

  /// Those of them that were never interleaved, in the order in which their places were first seen.
  var missing: [Exploration.PlacePair] {
    possible.subtracting(seen)
      .sorted { ($0.suspended, $0.other) < ($1.suspended, $1.other) }
      .map { Exploration.PlacePair(suspended: places[$0.suspended], other: places[$0.other]) }
  }

  private mutating func number(of place: UInt) -> Int {
    if place == 0 { return -1 }
    if let known = numbers[place] { return known }
    guard places.count < Self.limit else { return -1 }
    numbers[place] = places.count
    places.append(place)
    return places.count - 1
  }
}
