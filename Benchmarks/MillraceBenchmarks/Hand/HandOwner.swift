// The hand-written twins of operations: plain Swift concurrency as one would write it without a
// library, with a task table, identity guards and cancellation, and nothing more.

/// An owner with a table of its tasks.
@MainActor
final class HandOwner {
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var values: [Int: Task<Int, Never>] = [:]
  private var last = 0
  /// The run whose answer counts.
  private(set) var current = 0
  private var inFlight: (id: Int, waiters: [Int: @MainActor (Int) -> Void])?

  /// Starts a main-actor task.
  func task(_ body: @escaping @MainActor () async -> Void) {
    last += 1
    let id = last
    tasks[id] = Task {
      await body()
      self.ended(id)
    }
  }

  /// The same, begun in the caller's job.
  func taskImmediate(_ body: @escaping @MainActor () async -> Void) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
      return task(body)
    }
    last += 1
    let id = last
    var isOver = false
    let task = Task.immediate {
      await body()
      isOver = true
      self.ended(id)
    }
    if !isOver { tasks[id] = task }
  }

  /// Starts work off the main actor after the caller's job, unless it is cancelled in that, and takes
  /// its answer if it still counts.
  func perform(
    _ body: @escaping @concurrent @Sendable () async -> Int,
    then: @escaping @MainActor (Int) -> Void
  ) {
    last += 1
    let id = last
    current = id
    tasks[id] = Task {
      guard self.tasks[id] != nil else { return }
      let value = await body()
      if self.current == id, self.tasks[id] != nil { then(value) }
      self.ended(id)
    }
  }

  /// The same, after cancelling the run before.
  func replace(
    _ body: @escaping @concurrent @Sendable () async -> Int,
    then: @escaping @MainActor (Int) -> Void
  ) {
    tasks.removeValue(forKey: current)?.cancel()
    perform(body, then: then)
  }

  /// Does work off the main actor, and answers nil if another one has been asked for meanwhile.
  func value(_ body: @escaping @concurrent @Sendable () async -> Int) async -> Int? {
    last += 1
    let id = last
    current = id
    let task = Task {
      guard self.values[id] != nil else { return 0 }
      return await body()
    }
    values[id] = task
    let value = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    let isOwned = values.removeValue(forKey: id) != nil
    return isOwned && current == id ? value : nil
  }

  /// Waits for work that is shared by all who ask while it runs.
  func join(
    _ body: @escaping @concurrent @Sendable () async -> Int,
    then: @escaping @MainActor (Int) -> Void
  ) {
    last += 1
    let waiter = last
    if inFlight != nil {
      inFlight?.waiters[waiter] = then
      return
    }
    inFlight = (waiter, [waiter: then])
    tasks[waiter] = Task {
      guard self.tasks[waiter] != nil else { return }
      let value = await body()
      if let inFlight = self.inFlight, inFlight.id == waiter {
        self.inFlight = nil
        for (_, then) in inFlight.waiters.sorted(by: { $0.key < $1.key }) { then(value) }
      }
      self.ended(waiter)
    }
  }

  /// Cancels all tasks.
  func cancelAll() {
    for task in tasks.values { task.cancel() }
    for task in values.values { task.cancel() }
    tasks.removeAll()
    values.removeAll()
  }

  /// Cancels all main-actor tasks. Each leaves the table when it has ended, so that the owner can tell
  /// when it is quiet.
  func stop() { for task in tasks.values { task.cancel() } }

  /// True if no task is left.
  var isQuiet: Bool { tasks.isEmpty }

  private func ended(_ id: Int) { tasks[id] = nil }
}
