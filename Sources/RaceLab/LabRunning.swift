// Starting a lab from an ordinary asynchronous test.

/// What becomes of tasks that are still suspended when a run is over.
public enum Leftovers: Sendable {
  /// Nothing: a deaf gate may stay closed.
  case allow
  /// The run fails with ``LabError/leftovers(_:)``, which names gates, clocks and sleeps; and where
  /// the platform shows it, tasks that wait for a continuation that nobody has resumed, for each
  /// other or for a group, with the function in which they do.
  case fail
}

extension Lab {
  /// What the lab was seen not to control on this platform, by name: "the clocks' now" under the
  /// thread sanitizer, for example. Where something is named, a search may miss faults that depend
  /// on it. Tests the platform at the first call.
  public static var uncontrolled: [String] {
    guard let installed = try? InstalledBackend.shared() else { return Capability.all.names }
    return Capability.all.subtracting(installed.capability).names
  }

  /// Runs `body` on the main actor of a new lab, and returns or throws what it does.
  ///
  /// Callable from Swift Testing and XCTest. `body` inherits the caller's task-local values, so
  /// expectations in it, and in the tasks that it starts, belong to the calling test; if the
  /// caller is cancelled, so is `body`.
  ///
  /// When `body` has returned, what can still run is run; time does not move any more. Then the
  /// run is judged, and after that everything that still waits at a gate or at the manual clock is
  /// let go with ``LabError/ended``, and sleeps end, so that no task is left over; what such a task
  /// does then, has no effect on the result.
  ///
  /// - Parameters:
  ///   - leftovers: whether tasks may still be suspended at the end.
  ///   - patience: how long, in real time, `body` may wait for something unknown while nothing can
  ///     run, before that counts as a deadlock.
  ///   - outsideLimit: how long, in real time, ``outside(_:isolation:_:)`` is waited for.
  ///   - stepLimit: jobs after which the run counts as endless.
  ///   - isolation: where it is called; leave it as it is.
  ///   - body: the test.
  /// - Throws: what `body` throws, or else a ``LabError``.
  @discardableResult
  public static func run<R: Sendable>(
    leftovers: Leftovers = .allow,
    patience: Duration = .seconds(1),
    outsideLimit: Duration = .seconds(10),
    stepLimit: Int = 1_000_000,
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @MainActor (Lab) async throws -> R
  ) async throws -> R {
    let backend = try InstalledBackend.shared()
    let limits = RunLimits(steps: stepLimit, patience: patience, outside: outsideLimit)
    let core = LabRun(
      backend: backend.backend, limits: limits, capability: backend.capability)
    core.watchesTasks = core.canLook
    core.recordsNames = true
    let lab = Lab(core: core)
    let outcome = Outcome<R>()
    let root = core.startRoot {
      let result: Result<R, any Error>
      do { result = .success(try await body(lab)) } catch { result = .failure(error) }
      outcome.value.withLock { $0 = result }
    }
    // Inside another lab, this is work on another thread.
    let outer = CurrentRun.value?.inbox
    let entry = outer?.enterOutside("Lab.run")
    defer { if let outer, let entry { outer.leaveOutside(entry) } }
    return try await withTaskCancellationHandler {
      try await start(core, outcome, leftovers)
    } onCancel: {
      root.cancel()
    }
  }

  private static func start<R: Sendable>(
    _ core: LabRun, _ outcome: Outcome<R>, _ leftovers: Leftovers,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> R {
    let verdict: Result<R, any Error> = await withCheckedContinuation { continuation in
      let started = LabThread.start {
        let (stuck, failure) = CurrentRun.with(core) {
          ForeignJobs.add(core.inbox)
          defer { core.close() }
          var stuck = core.execute()
          // What waits in the lab is named by its gates and clocks.
          let waits = core.waits().filter { $0.reason != .lab }
          if case .deadlock(let waiting) = stuck {
            stuck = .deadlock(waiting: waiting + WaitNames(core.trace, waits).lines)
          }
          let waiting =
            leftovers == .fail
            ? core.waiting + WaitNames(core.trace, waits).lines : []
          let leftover = waiting.isEmpty ? nil : LabError.leftovers(waiting)
          let freed = core.watched.filter { $0.object != nil }.map(\.name)
          let alive: LabError? =
            if !core.expectedEnds.isEmpty {
              .notEnded(core.expectedEnds)
            } else if !freed.isEmpty {
              .notFreed(freed)
            } else {
              nil
            }
          let failure: (any Error)? =
            core.reported.first ?? stuck ?? core.failures.first ?? leftover ?? core.leftoverError
            ?? alive
          core.windUp()
          return (stuck, failure)
        }
        let returned = outcome.value.withLock { $0 }
        switch (returned, failure) {
        case (.failure(let error), _) where stuck == nil:
          continuation.resume(returning: .failure(error))
        case (_, let failure?): continuation.resume(returning: .failure(failure))
        case (let returned?, nil): continuation.resume(returning: returned)
        case (nil, nil): continuation.resume(returning: .failure(LabError.deadlock(waiting: [])))
        }
      }
      if !started { core.lab = nil }
      if !started { continuation.resume(returning: .failure(LabError.noThread)) }
    }
    return try verdict.get()
  }
}

/// What the body returned or threw.
private final class Outcome<R: Sendable>: Sendable {
  let value = Guarded<Result<R, any Error>?>(nil)
}
