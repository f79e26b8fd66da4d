// Virtual time of a run: a count of milliseconds since its start, and the sleeps that wait for it.

/// Milliseconds since the start of a run.
struct VirtualTime: Comparable, Hashable, Sendable {
  var milliseconds: Int64 = 0

  static func < (a: VirtualTime, b: VirtualTime) -> Bool { a.milliseconds < b.milliseconds }

  /// A sleep's length as the lab's own type; a clock that counts in another unit counts as zero.
  static func duration<D: DurationProtocol>(_ delay: D) -> Duration {
    delay as? Duration ?? .zero
  }

  /// The moment `delay` from now. A deadline reaches the lab as an instant of the real clock, and
  /// has lost the time that passed since it was computed; so it is rounded to whole milliseconds,
  /// up by preference. Two sleeps that were meant to end together then do.
  func advanced(by delay: Duration) -> VirtualTime {
    let (seconds, attoseconds) = delay.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return VirtualTime(milliseconds: .max) }
    let part = (Double(attoseconds) / 1e15 + 0.75).rounded(.down)
    let sum = whole.addingReportingOverflow(Int64(part))
    let step = sum.overflow ? Int64.max : max(sum.partialValue, 0)
    let then = milliseconds.addingReportingOverflow(step)
    return VirtualTime(milliseconds: then.overflow ? .max : then.partialValue)
  }
}

/// A job that waits for virtual time.
struct Timer {
  let deadline: VirtualTime
  let order: Int
  let job: UnownedJob
  let lane: Lane
  /// The task that sleeps, and the number of steps it had made: one that has gone on since is not
  /// asleep any more, its timer is only left over.
  let sleeper: Int?
  let steps: Int
}

/// The sleeps of a run, in order of deadline and then of arrival.
struct Timers {
  private var sorted: [Timer] = []

  var isEmpty: Bool { sorted.isEmpty }
  var all: [Timer] { sorted }

  mutating func insert(_ timer: Timer) {
    var index = sorted.endIndex
    while index > 0, sorted[index - 1].deadline > timer.deadline { index -= 1 }
    sorted.insert(timer, at: index)
  }

  /// Takes all timers of the earliest deadline.
  mutating func popEarliest() -> (VirtualTime, [Timer])? {
    guard let deadline = sorted.first?.deadline else { return nil }
    let count = sorted.prefix { $0.deadline == deadline }.count
    let due = Array(sorted.prefix(count))
    sorted.removeFirst(count)
    return (deadline, due)
  }
}
