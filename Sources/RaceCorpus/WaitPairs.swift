// Faults of those who wait: never resumed, resumed twice, or not released.

import RaceLab

/// A waiter that a cancellation must find, whichever comes first.
@MainActor private final class Slot {
  private var waiter: CheckedContinuation<Void, Never>?
  private var isCancelled = false

  func wait(mended: Bool) async {
    if mended, isCancelled { return }
    await withCheckedContinuation { waiter = $0 }
  }

  func cancel() {
    isCancelled = true
    waiter?.resume()
    waiter = nil
  }
}

/// A lock that notices when it is entered again.
@MainActor private final class Signal {
  private var isLocked = false
  private(set) var reentered = false
  private var callbacks: [@MainActor () -> Void] = []
  private var isFired = false

  func subscribe(_ callback: @escaping @MainActor () -> Void) {
    if isLocked { reentered = true }
    if isFired { callback() } else { callbacks.append(callback) }
  }

  func fire(mended: Bool) {
    isLocked = true
    isFired = true
    let all = callbacks
    callbacks = []
    if mended { isLocked = false }
    for callback in all { callback() }
    isLocked = false
  }
}

/// Counts how often it is resumed, where a continuation would trap.
@MainActor private final class Reply {
  private(set) var isDone = false
  private(set) var resumes = 0
  func resume() {
    isDone = true
    resumes += 1
  }
  func resumeOnce() {
    if !isDone { resume() }
  }
}

private actor Resources {
  private(set) var free = 1
  func acquire() -> Bool {
    guard free > 0 else { return false }
    free -= 1
    return true
  }
  func release() { free += 1 }
}

/// A semaphore whose cancellation is a signal, which somebody else may take.
@MainActor private final class Semaphore {
  private var signals = 0
  private let line = WaitingLine()
  private var cancelled = false

  func signal() {
    signals += 1
    line.resumeFirst()
  }

  func cancel(mended: Bool) {
    cancelled = true
    if mended { line.resumeAll() } else { signal() }
  }

  func tryAcquire() -> Bool {
    guard signals > 0 else { return false }
    signals -= 1
    return true
  }

  func acquire(mended: Bool) async {
    while !tryAcquire() {
      if mended, cancelled { return }
      await line.wait()
    }
  }
}

@MainActor private final class Periodic {
  private var waiter: CheckedContinuation<Void, Never>?
  private(set) var isCancelled = false

  func wait() async {
    if isCancelled { return }
    await withCheckedContinuation { waiter = $0 }
  }

  func reschedule(mended: Bool) async {
    if mended { return }
    let old = waiter
    waiter = nil
    await Task.detached { think() }.value
    waiter = old
  }

  func cancel() {
    isCancelled = true
    waiter?.resume()
    waiter = nil
  }
}

let waitPairs: [Pair] = [
  Pair(17, "cancelled while idle, stored after it") { lab, mended in
    let slot = Slot()
    let wait = later(0) { await slot.wait(mended: mended) }
    let cancel = later(3) { await slot.cancel() }
    await cancel.value
    await wait.value
  },
  Pair(20, "resumed while a lock is held") { lab, mended in
    let signal = Signal()
    let subscribe = later(3) {
      await signal.subscribe { signal.subscribe {} }
    }
    let fire = later(0) { await signal.fire(mended: mended) }
    await subscribe.value
    await fire.value
    try lab.require(!signal.reentered, "the lock is not entered again")
  },
  Pair(21, "resumed by the limit and by the delegate") { lab, mended in
    let reply = Reply()
    @Sendable func answer() async {
      if mended { return await reply.resumeOnce() }
      let isDone = await reply.isDone
      think()
      if !isDone { await reply.resume() }
    }
    let delegate = later(0) { await answer() }
    let limit = later(4) { await answer() }
    await delegate.value
    await limit.value
    try lab.require(reply.resumes == 1, "resumed once")
  },
  Pair(24, "time limit between acquire and return") { lab, mended in
    let resources = Resources()
    let user = Task.detached {
      guard await resources.acquire() else { return }
      think()
      await Task.yield()
      if Task.isCancelled {
        if mended { await resources.release() }
        return
      }
      await resources.release()
    }
    let limit = later(8) { user.cancel() }
    await user.value
    await limit.value
    let free = await resources.free
    try lab.require(free == 1, "the resource is free again")
  },
  Pair(25, "a fast path takes the cancellation") { lab, mended in
    let semaphore = Semaphore()
    let waiter = later(0) { await semaphore.acquire(mended: mended) }
    let passer = later(9) { _ = await semaphore.tryAcquire() }
    let cancel = later(4) { await semaphore.cancel(mended: mended) }
    await cancel.value
    await passer.value
    await waiter.value
  },
  Pair(31, "cancelled while being rescheduled") { lab, mended in
    let job = Periodic()
    let waiter = later(0) { await job.wait() }
    let reschedule = later(3) { await job.reschedule(mended: mended) }
    let cancel = later(11) { await job.cancel() }
    await reschedule.value
    await cancel.value
    await waiter.value
  },
]
