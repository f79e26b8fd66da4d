// Makes runs of one scenario, one after another, on one thread.

/// The scenario as a search sees it.
typealias ScenarioBody = @MainActor (Lab) async throws -> Void

/// What a run showed.
struct Trial {
  let failure: Failure?
  /// What tasks waited for at the end, where that was watched.
  let waits: [Wait]
  /// The run's replay did not follow its token.
  let misfit: ReplayChooser.Misfit?
}

// Sendable as LabRun is: used by the thread that makes it until that starts the search's own
// thread, and by that one from then on.
final class Trials: @unchecked Sendable {
  let core: LabRun
  private let body: ScenarioBody
  /// Goes on when more root tasks are needed.
  private var driver: Resumption<Void>?
  /// Root tasks of the next runs, which wait for their first step.
  private var roots: [UnownedJob] = []
  private var isOver = false
  /// Asked after each run for a fault that was seen elsewhere, such as a test library's issue.
  var elsewhere: (() -> Failure?)?

  init(core: LabRun, body: @escaping ScenarioBody) {
    self.core = core
    self.body = body
  }

  /// Creates the task that creates the root task of each run. It is created in the caller's task,
  /// so that all runs inherit its task-local values.
  func prepare() {
    core.driving = true
    CurrentRun.with(core) {
      _ = Task { @MainActor in await self.drive() }
    }
  }

  /// Creates root tasks when asked, a few at once, since to be woken costs as much as one of them.
  @MainActor private func drive() async {
    while !isOver {
      for _ in 0..<16 {
        Task { @MainActor in
          if self.isOver { return }
          do { try await self.body(Lab(core: self.core)) } catch { self.core.rootError = error }
          self.core.rootDone = true
        }
      }
      try? await Resumption<Void>.suspend { resumption in
        driver = resumption
        return nil
      }
    }
  }

  /// Makes one run as `chooser` decides. The course is in `core.trace` afterwards.
  func run(_ chooser: Chooser) -> Trial {
    core.reset()
    core.chooser = chooser
    chooser.begin()
    if roots.isEmpty { makeRoots() }
    core.accept(roots.removeLast(), as: .main, on: .main)
    let end = core.execute()
    let failure = judge(end)
    let waits = failure == nil ? [] : core.waits()
    core.windUp()
    return Trial(
      failure: failure, waits: waits, misfit: (chooser as? ReplayChooser)?.misfit)
  }

  /// Ends the task that creates root tasks, and those that no run has used.
  func finish() {
    isOver = true
    core.reset()
    core.driving = true
    wakeDriver()
    for root in roots { run(root) }
    roots = []
    core.driving = false
  }

  private func makeRoots() {
    core.driving = true
    wakeDriver()
    core.driving = false
    // Now its job has run: the jobs that it leaves are the roots.
    roots = core.driverJobs
    core.driverJobs.removeAll(keepingCapacity: true)
  }

  private func wakeDriver() {
    if let driver {
      self.driver = nil
      driver(.success(()))
    }
    if !core.driverJobs.isEmpty { run(core.driverJobs.removeFirst()) }
  }

  private func run(_ job: UnownedJob) {
    core.isOnMain = true
    core.backend.run(job, as: .main)
    core.isOnMain = false
  }

  private func judge(_ end: LabError?) -> Failure? {
    if let failure = core.reported.first { return failure }
    if let end { return Failure(end) }
    if let error = core.rootError { return Failure(thrown: error) }
    if let failure = elsewhere?() { return failure }
    if let error = core.failures.first { return Failure(error) }
    if !core.expectedEnds.isEmpty { return Failure(LabError.notEnded(core.expectedEnds)) }
    if let error = core.leftoverError { return Failure(error) }
    let alive = core.watched.filter { $0.object != nil }.map(\.name)
    if !alive.isEmpty { return Failure(LabError.notFreed(alive)) }
    return nil
  }
}
