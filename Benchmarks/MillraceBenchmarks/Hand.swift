// The hand-written twins: plain Swift concurrency as one would write it without a library, with a
// task table, identity guards and cancellation, and nothing more.

/// An owner with a table of its tasks.
@MainActor
final class HandOwner {
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var last = 0
  /// The run whose answer counts.
  private(set) var current = 0

  /// Starts a main-actor task.
  func task(_ body: @escaping @MainActor () async -> Void) {
    last += 1
    let id = last
    tasks[id] = Task {
      await body()
      self.ended(id)
    }
  }

  /// Starts work off the main actor after the caller's job, and takes its answer if it still counts.
  func perform(
    _ body: @escaping @concurrent @Sendable () async -> Int,
    then: @escaping @MainActor (Int) -> Void
  ) {
    last += 1
    let id = last
    current = id
    tasks[id] = Task {
      let value = await body()
      if self.current == id, self.tasks[id] != nil { then(value) }
      self.ended(id)
    }
  }

  /// Cancels all tasks.
  func cancelAll() {
    for task in tasks.values { task.cancel() }
    tasks.removeAll()
  }

  private func ended(_ id: Int) { tasks[id] = nil }
}

/// A child with synchronous callbacks and an identity guard.
@MainActor
final class HandChild {
  var onOutput: ((Int) -> Void)?
  func emit(_ value: Int) { onOutput?(value) }
}

/// A parent that takes outputs of the child that is current.
@MainActor
final class HandParent {
  private var children: [Int: HandChild] = [:]
  private var last = 0
  var sum = 0

  func attach() -> (Int, HandChild) {
    last += 1
    let id = last
    let child = HandChild()
    child.onOutput = { [weak self] value in
      guard let self, self.children[id] != nil else { return }
      self.sum += value
    }
    children[id] = child
    return (id, child)
  }

  func dismiss(_ id: Int) { children.removeValue(forKey: id)?.onOutput = nil }
}

/// Waits until the task is cancelled.
func waitForCancellation() async {
  let box = CancelBox()
  await withTaskCancellationHandler {
    await withCheckedContinuation { box.park($0) }
  } onCancel: {
    box.cancel()
  }
}
