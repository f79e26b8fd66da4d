// Faults of tasks that have to meet: buffers, locks, channels.

import RaceLab

/// A buffer for one value. All who wait stand in one line, whatever they wait for.
@MainActor private final class OneSlot {
  private var value: Int?
  private let line = WaitingLine()
  private let mended: Bool

  init(mended: Bool) { self.mended = mended }

  private func notify() {
    if mended { line.resumeAll() } else { line.resumeFirst() }
  }

  func put(_ new: Int) async {
    while value != nil { await line.wait() }
    value = new
    notify()
  }

  func take() async -> Int {
    while true {
      if let taken = value {
        value = nil
        notify()
        return taken
      }
      await line.wait()
    }
  }
}

@MainActor private final class Lock {
  private var isHeld = false
  private let line = WaitingLine()

  func lock() async {
    while isHeld { await line.wait() }
    isHeld = true
  }

  func unlock() {
    isHeld = false
    line.resumeFirst()
  }
}

/// A channel without a buffer, that can be closed.
@MainActor private final class Meeting {
  private var offers: [Int] = []
  private let givers = WaitingLine()
  private let takers = WaitingLine()
  private var isClosed = false

  func give(_ value: Int) async {
    if isClosed { return }
    offers.append(value)
    takers.resumeFirst()
    await givers.wait()
  }

  func take() async -> Int? {
    while offers.isEmpty {
      if isClosed { return nil }
      await takers.wait()
    }
    givers.resumeFirst()
    return offers.removeFirst()
  }

  func close(mended: Bool) {
    isClosed = true
    takers.resumeAll()
    if mended { givers.resumeAll() }
  }
}

let meetingPairs: [Pair] = [
  Pair(5, "a waiter of the wrong kind is woken") { lab, mended in
    let buffer = OneSlot(mended: mended)
    let producers = (0..<3).map { number in
      later(number * 5) { await buffer.put(number) }
    }
    let consumers = (0..<3).map { number in
      later(number * 5 + 2) { _ = await buffer.take() }
    }
    for task in producers + consumers { await task.value }
  },
  Pair(26, "two locks in opposite order") { lab, mended in
    let left = Lock()
    let right = Lock()
    @Sendable func use(_ first: Lock, _ second: Lock) async {
      await first.lock()
      think()
      await second.lock()
      await second.unlock()
      await first.unlock()
    }
    let one = later(0) { await use(left, right) }
    let two = later(9) { await (mended ? use(left, right) : use(right, left)) }
    await one.value
    await two.value
  },
  Pair(27, "one producer more than receivers") { lab, mended in
    let meeting = Meeting()
    let producers = (0..<3).map { number in
      later(number == 2 ? 12 : 0) { await meeting.give(number) }
    }
    let receivers = (0..<2).map { _ in later(1) { _ = await meeting.take() } }
    for receiver in receivers { await receiver.value }
    meeting.close(mended: mended)
    for producer in producers { await producer.value }
  },
  Pair(28, "one channel drained before the other") { lab, mended in
    let first = OneSlot(mended: true)
    let second = OneSlot(mended: true)
    // What feeds the first goes on only when the second was taken.
    let feed = later(0) {
      await second.put(1)
      await second.put(2)
      await first.put(1)
    }
    if mended {
      let one = Task { _ = await first.take() }
      let two = Task { for _ in 0..<2 { _ = await second.take() } }
      await one.value
      await two.value
    } else {
      let ready = Count()
      let watch = later(3) { await ready.add() }
      for _ in 0..<12 { await Task.yield() }
      if ready.value == 0 {
        _ = await first.take()
        for _ in 0..<2 { _ = await second.take() }
      } else {
        for _ in 0..<2 { _ = await second.take() }
        _ = await first.take()
      }
      await watch.value
    }
    await feed.value
  },
]
