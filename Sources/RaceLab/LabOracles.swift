// Faults that a scenario asks the lab to look for: things that must be gone or have ended at the
// end, streams, stale values.

extension Lab {
  /// Makes the run fail if `task` has not ended when it is over: a task that outlives its owner.
  /// Sleeping counts as not having ended.
  public func expectEnded<Value, Failure>(_ task: Task<Value, Failure>, _ name: String) {
    guard CurrentRun.value === core else { return }
    core.expectedEnds.append(name)
    let core = core
    Task { @MainActor in
      _ = await task.result
      if let index = core.expectedEnds.firstIndex(of: name) { core.expectedEnds.remove(at: index) }
    }
  }

  /// Makes the run fail if `object` is still there when it is over.
  public func expectFreed(_ object: AnyObject, _ name: String) {
    guard CurrentRun.value === core else { return }
    core.watched.append(.init(name: name, object: object))
  }

  /// Makes the run fail if, when it is over, a task is still suspended that was started after this
  /// call: one that waits at a gate, sleeps, or waits for a continuation that nobody has resumed.
  /// The report says who waits for what, and in which function.
  ///
  /// Where ``uncontrolled`` names "where tasks wait", only gates, clocks and sleeps count.
  public func expectNoLeftovers() {
    guard CurrentRun.value === core else { return }
    core.refusesLeftovers = true
    core.watchesTasks = core.canLook
  }

  /// Makes the run fail if from now on a value is sent to an `AsyncStream` or `AsyncThrowingStream`
  /// that its owner has finished, or if one is finished twice.
  ///
  /// It holds for all code of the program that works with the standard streams, unchanged. What it
  /// cannot see: calls from another library, such as an asynchronous algorithm in a package that is
  /// linked dynamically; an end by `yield(with: .failure)`; streams of other kinds; and whether a
  /// stream was finished before this call. A stream that ended because its reader was cancelled is
  /// not finished by its owner: values sent to it are no fault. Where ``uncontrolled`` names
  /// "streams", it sees nothing.
  public func watchStreams() {
    guard CurrentRun.value === core, core.finishedStreams == nil else { return }
    core.finishedStreams = []
  }

  /// Makes the run fail as soon as `accepted` becomes something else than `current` is: a value was
  /// accepted that is not the one now wanted. Both are read after every step, on the main actor.
  ///
  /// ```swift
  /// lab.neverStale("results", accepted: { model.shownQuery }, current: { model.query })
  /// ```
  ///
  /// - Parameters:
  ///   - name: what the report calls it.
  ///   - accepted: what the value in place belongs to: a query, a version, an epoch. Whatever it is
  ///     at the call does not count.
  ///   - current: what is wanted now.
  public func neverStale<Version: Equatable & Sendable>(
    _ name: String, accepted: @escaping @MainActor () -> Version,
    current: @escaping @MainActor () -> Version
  ) {
    guard CurrentRun.value === core else { return }
    let last = Guarded<Version?>(nil)
    core.invariants.append(
      Invariant(error: .stale(name)) {
        let value = accepted()
        let before = last.withLock { last in
          defer { last = value }
          return last
        }
        return before == nil || before == value || value == current()
      })
  }
}
