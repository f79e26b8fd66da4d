// What a profile keeps of ends and of names, within its limits.

import Millrace

/// One end.
@MainActor
final class EndRecord {
  /// Which end of its profile, from one.
  let number: Int
  let flow: FlowID?
  let name: String
  let kind: EndingKind
  let began: Duration
  var flows = 0
  /// How many operations were told to stop, and how many of them have not.
  var told = 0
  var left = 0
  var isApplied = false
  var cancelled = Duration.zero
  /// Until the last task had finished; nil while one runs.
  var quiet: Duration?
  /// The operations that stayed longest: a heap, the shortest of them first.
  private(set) var stays: [Stay] = []
  private let limit: Int

  init(
    number: Int, flow: FlowID?, name: String, kind: EndingKind, began: Duration, limit: Int
  ) {
    self.number = number
    self.flow = flow
    self.name = name
    self.kind = kind
    self.began = began
    self.limit = limit
  }

  /// Whether one that stayed so long is among the longest. Of those that were in time only one that
  /// stayed twice as long takes another's place: in a burst each stays a little longer than the one
  /// before it.
  func keeps(_ stayed: Duration, isDeaf: Bool) -> Bool {
    guard stays.count == limit else { return true }
    let shortest = stays[0].stayed
    return stayed > (isDeaf ? shortest : shortest + shortest)
  }

  func keep(_ stay: Stay) {
    if stays.count < limit {
      stays.append(stay)
      rise(from: stays.count - 1)
    } else {
      stays[0] = stay
      sink()
    }
  }

  private func rise(from place: Int) {
    var child = place
    while child > 0 {
      let parent = (child - 1) / 2
      guard stays[child].stayed < stays[parent].stayed else { return }
      stays.swapAt(child, parent)
      child = parent
    }
  }

  private func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < stays.count && stays[child].stayed < stays[least].stayed {
        least = child
      }
      guard least != parent else { return }
      stays.swapAt(parent, least)
      parent = least
    }
  }
}

/// The newest ends and the slowest.
@MainActor
struct KeptEnds {
  private let limit: Int
  private(set) var newest: [EndRecord] = []
  private var oldest = 0
  private(set) var slowest: [EndRecord] = []

  init(limit: Int) { self.limit = limit }

  mutating func add(_ end: EndRecord) {
    if newest.count < limit {
      newest.append(end)
    } else {
      newest[oldest] = end
      oldest = (oldest + 1) % limit
    }
    if end.quiet != nil { settle(end) }
  }

  /// The end is quiet: is it one of the slowest?
  mutating func settle(_ end: EndRecord) {
    guard let quiet = end.quiet, end.told > 0 else { return }
    if slowest.count == limit, let last = slowest.last?.quiet, quiet <= last { return }
    let place = slowest.firstIndex { ($0.quiet ?? .zero) < quiet } ?? slowest.count
    slowest.insert(end, at: place)
    if slowest.count > limit { slowest.removeLast() }
  }

  /// All that are kept, in order.
  var all: [EndRecord] {
    var seen: Set<ObjectIdentifier> = []
    return (newest + slowest).filter { seen.insert(ObjectIdentifier($0)).inserted }
      .sorted { $0.began < $1.began }
  }
}

/// The operations of one name that stopped.
@MainActor
final class NameRecord {
  let name: String
  private(set) var count = 0
  private(set) var deaf = 0
  private(set) var longest = Duration.zero
  /// Index: n for stays below 2^n attoseconds, a number that needs no division. Value: how many.
  private(set) var byLength = [Int](repeating: 0, count: 128)

  init(_ name: String) { self.name = name }

  func add(_ stayed: Duration, isDeaf: Bool) {
    count += 1
    if isDeaf { deaf += 1 }
    if stayed > longest { longest = stayed }
    byLength[min(127, 128 - max(0, stayed.attoseconds).leadingZeroBitCount)] += 1
  }

  /// A length that this part of the stays did not exceed, 0 to 1; true to a factor of two.
  func length(of part: Double) -> Duration {
    var left = Int((Double(count) * part).rounded(.up))
    for (power, number) in byLength.enumerated() {
      left -= number
      if left <= 0 {
        return min(longest, power == 0 ? .zero : Duration(attoseconds: 1 << min(power, 126)))
      }
    }
    return longest
  }
}
