// Virtual time of a run: nanoseconds since its start, and the sleeps that wait for it.

/// Nanoseconds since the start of a run.
struct VirtualTime: Comparable, Hashable, Sendable {
  var nanoseconds: Int64 = 0

  static func < (a: VirtualTime, b: VirtualTime) -> Bool { a.nanoseconds < b.nanoseconds }

  /// The time since the start.
  var elapsed: Duration { .nanoseconds(nanoseconds) }

  /// A sleep's length as the lab's own type; a clock that counts in another unit counts as zero.
  static func duration<D: DurationProtocol>(_ delay: D) -> Duration {
    delay as? Duration ?? .zero
  }

  /// The moment `delay` from now, or now if that is negative. Where the clocks' now is real, a
  /// deadline reaches the lab as a real instant and has lost the time that passed since it was
  /// computed; `rounded` then gives whole milliseconds, up by preference, so that two sleeps that
  /// were meant to end together do.
  func advanced(by delay: Duration, rounded: Bool) -> VirtualTime {
    let (seconds, attoseconds) = delay.components
    let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !whole.overflow else { return seconds < 0 ? self : VirtualTime(nanoseconds: .max) }
    var part = attoseconds / 1_000_000_000
    if rounded {
      part = Int64((Double(attoseconds) / 1e15 + 0.75).rounded(.down)) * 1_000_000
    }
    let step = whole.partialValue.addingReportingOverflow(part)
    guard !step.overflow else { return VirtualTime(nanoseconds: .max) }
    let then = nanoseconds.addingReportingOverflow(max(step.partialValue, 0))
    return VirtualTime(nanoseconds: then.overflow ? .max : then.partialValue)
  }
}

/// A job that waits for virtual time.
struct Timer {
  let deadline: VirtualTime
  let job: UnownedJob
  /// The task that sleeps, and how often it had become ready: one that has gone on since is not
  /// asleep any more, its timer is only left over.
  let sleeper: Int?
  let wakeUps: Int
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

  mutating func removeAll() { sorted.removeAll(keepingCapacity: true) }
}
