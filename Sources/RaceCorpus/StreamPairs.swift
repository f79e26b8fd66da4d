// Faults of streams and of those who read them.

import RaceLab

/// A stream of the old kind, with a list of readers that wait.
@MainActor private final class OldStream {
  private var values: [Int] = []
  private var isFinished = false
  private let readers = WaitingLine()

  func yield(_ value: Int) {
    values.append(value)
    readers.resumeFirst()
  }

  func finish(mended: Bool) {
    isFinished = true
    if mended { readers.resumeAll() } else { readers.resumeFirst() }
  }

  func next() async -> Int? {
    while true {
      if !values.isEmpty { return values.removeFirst() }
      if isFinished { return nil }
      await readers.wait()
    }
  }
}

@MainActor private final class Broadcaster {
  private var subscribers: [[Int]] = []
  func subscribe() -> Int {
    subscribers.append([])
    return subscribers.count - 1
  }
  func send(_ value: Int) {
    for index in subscribers.indices { subscribers[index].append(value) }
  }
  func received(by index: Int) -> [Int] { subscribers[index] }
}

/// Keeps its readers in a state of their own, which may be empty though it says that some wait.
@MainActor private final class StateChannel {
  enum State { case idle, waiting([Int]) }
  private var state = State.idle
  private(set) var impossible = false
  private(set) var delivered: [Int] = []

  func wait(_ reader: Int) {
    if case .waiting(let readers) = state {
      state = .waiting(readers + [reader])
    } else {
      state = .waiting([reader])
    }
  }

  func cancel(_ reader: Int, mended: Bool) {
    guard case .waiting(let readers) = state else { return }
    let rest = readers.filter { $0 != reader }
    state = mended && rest.isEmpty ? .idle : .waiting(rest)
  }

  func send() {
    guard case .waiting(let readers) = state else { return }
    guard let first = readers.first else {
      impossible = true
      return
    }
    delivered.append(first)
    let rest = Array(readers.dropFirst())
    state = rest.isEmpty ? .idle : .waiting(rest)
  }
}

@MainActor private final class Iterator {
  enum State { case initial, reading, ended }
  private var state = State.initial
  private(set) var impossible = false

  func begin() { if state == .initial { state = .reading } }
  func cancel(mended: Bool) {
    if state == .initial, !mended { impossible = true }
    state = .ended
  }
}

@MainActor private final class Debouncer {
  private var error: String?
  private var demand = false
  private let readers = WaitingLine()
  private var delivered: String?

  func fail(_ message: String, mended: Bool) {
    if demand || mended { error = message }
    readers.resumeAll()
  }

  /// Returns the error, or nil if there was none.
  func next(_ progress: Count) async -> String? {
    demand = true
    if error == nil, progress.value == 0 { await readers.wait() }
    return error
  }
}

@MainActor private final class Mailbox {
  private(set) var values: [Int] = [1, 2]
  private(set) var handled: [Int] = []
  func pop() -> Int? { values.isEmpty ? nil : values.removeFirst() }
  func putBack(_ value: Int) { values.insert(value, at: 0) }
  func handle(_ value: Int) { handled.append(value) }
}

@MainActor private final class Registry {
  private(set) var subscribers: [String] = ["a", "b"]
  func index(of name: String) -> Int? { subscribers.firstIndex(of: name) }
  func remove(at index: Int) {
    if subscribers.indices.contains(index) { subscribers.remove(at: index) }
  }
  func remove(_ name: String) { subscribers.removeAll { $0 == name } }
  func register(_ name: String) { subscribers.insert(name, at: 0) }
}

let streamPairs: [Pair] = [
  Pair(14, "finish wakes one of several readers") { lab, mended in
    let stream = OldStream()
    let one = later(0) { _ = await stream.next() }
    let two = later(2) { _ = await stream.next() }
    let three = later(12) { _ = await stream.next() }
    let finish = later(6) {
      await stream.yield(1)
      think()
      await Task.yield()
      await stream.finish(mended: mended)
    }
    await finish.value
    await one.value
    await two.value
    await three.value
  },
  Pair(15, "subscribed after the first values") { lab, mended in
    let source = Broadcaster()
    if mended {
      let index = source.subscribe()
      await later(1) { await source.send(1) }.value
      return try lab.require(source.received(by: index) == [1], "all values are seen")
    }
    let producer = later(3) { await source.send(1) }
    let index = await Task.detached { await source.subscribe() }.value
    await producer.value
    try lab.require(source.received(by: index) == [1], "all values are seen")
  },
  Pair(16, "cancelled reader leaves an empty waiting state") { lab, mended in
    let channel = StateChannel()
    let reader = later(0) { await channel.wait(1) }
    let cancel = later(6) { await channel.cancel(1, mended: mended) }
    let send = later(3) { await channel.send() }
    await reader.value
    await cancel.value
    await send.value
    try lab.require(!channel.impossible, "no impossible state")
  },
  Pair(18, "cancelled before the first next") { lab, mended in
    let iterator = Iterator()
    let reader = later(0) { await iterator.begin() }
    let cancel = later(3) { await iterator.cancel(mended: mended) }
    await reader.value
    await cancel.value
    try lab.require(!iterator.impossible, "no impossible state")
  },
  Pair(19, "error dropped for want of demand") { lab, mended in
    let debouncer = Debouncer()
    let progress = Count()
    let fail = later(3) {
      await debouncer.fail("broken", mended: mended)
      await progress.add()
    }
    let reader = Task.detached { await debouncer.next(progress) }
    let seen = await reader.value
    await fail.value
    try lab.require(seen == "broken", "the error arrives")
  },
  Pair(22, "value taken, then its receiver is cancelled") { lab, mended in
    let mailbox = Mailbox()
    let receiver = Task.detached {
      while let value = await mailbox.pop() {
        await Task.yield()
        if Task.isCancelled {
          if mended { await mailbox.putBack(value) }
          return
        }
        await mailbox.handle(value)
      }
    }
    let cancel = later(12) { receiver.cancel() }
    await receiver.value
    await cancel.value
    try lab.require(mailbox.values.count + mailbox.handled.count == 2, "no value is lost")
  },
  Pair(33, "unsubscribing while another registers") { lab, mended in
    let registry = Registry()
    let remove = later(0) {
      if mended { return await registry.remove("b") }
      guard let index = await registry.index(of: "b") else { return }
      think()
      await Task.yield()
      await registry.remove(at: index)
    }
    let register = later(5) { await registry.register("c") }
    await remove.value
    await register.value
    try lab.require(registry.subscribers == ["c", "a"], "the right one is gone")
  },
]
