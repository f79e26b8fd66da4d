// The back end that owns the executors: it replaces the main and the default executor of the
// process by two that ask which lab the thread works for, and pass through where there is none.

#if os(Linux)
  @_spi(ExperimentalScheduling) @_spi(ExperimentalCustomExecutors) import _Concurrency
  import Dispatch
  import RaceLabHooks

  struct ExecutorBackend: SchedulerBackend {
    let name = "executors"
    let promised: Capability = [
      .pool, .mainActor, .actors, .yield, .actorYield, .sleep, .immediate,
    ]
    let foreign: Capability = []

    func install() {
      _createExecutors(factory: LabExecutorFactory.self)
      racelab_install(
        unsafe reference(LabExecutorFactory.poolTasks.asUnownedSerialExecutor()),
        unsafe reference(LabExecutorFactory.hops.asUnownedSerialExecutor()))
    }

    func run(_ job: UnownedJob, as form: JobForm) {
      switch form {
      case .main: unsafe job.runSynchronously(on: LabExecutorFactory.mainReference)
      case .pool: unsafe job.runSynchronously(on: LabExecutorFactory.poolTasksReference)
      case .hop: unsafe job.runSynchronously(on: LabExecutorFactory.hopsReference)
      case .actor: unsafe job.runSynchronously(on: LabExecutorFactory.poolReference)
      }
    }

    private func reference(_ executor: UnownedSerialExecutor) -> RaceLabExecutor {
      unsafe unsafeBitCast(executor, to: RaceLabExecutor.self)
    }
  }

  private struct LabExecutorFactory: ExecutorFactory {
    static let main = LabMainExecutor()
    static let pool = LabPoolExecutor()
    static let poolTasks = PoolTasksExecutor()
    static let hops = HopsExecutor()
    static let mainReference = unsafe main.asUnownedSerialExecutor()
    static let poolReference = unsafe pool.asUnownedTaskExecutor()
    static let poolTasksReference = unsafe poolTasks.asUnownedSerialExecutor()
    static let hopsReference = unsafe hops.asUnownedSerialExecutor()
    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { pool }
  }

  private final class LabMainExecutor: MainExecutor {
    private let platform = PlatformExecutorFactory.mainExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if let run = CurrentRun.value {
        run.accept(job, as: .main, on: .main)
      } else if !ForeignJobs.route(job, as: .main, on: .main) {
        // Not handed to the platform's executor: it would run the job as its own, and a call from
        // one main-actor function to another would look like a hop between two executors.
        DispatchQueue.main.async {
          unsafe job.runSynchronously(on: LabExecutorFactory.mainReference)
        }
      }
    }

    func checkIsolated() {
      if let run = CurrentRun.value, run.isOnMain { return }
      platform.checkIsolated()
    }

    func run() throws { try platform.run() }
    func stop() { platform.stop() }
  }

  /// Takes tasks that are about to hop to an actor. Only a lab's thread hops by way of it.
  private final class HopsExecutor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let actor = racelab_take_target()
      CurrentRun.value?.accept(job, as: .hop, on: .actor(actor))
    }
  }

  private final class LabPoolExecutor: TaskExecutor, SchedulingExecutor {
    private let platform = PlatformExecutorFactory.defaultExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      let kind = job.kind
      let job = UnownedJob(job)
      if !ActorJobs.kinds.contains(kind.rawValue) {
        let form: JobForm = kind == .task ? .pool : .actor
        if let run = CurrentRun.value { return run.accept(job, as: form, on: .pool) }
        if ForeignJobs.route(job, as: form, on: .pool) { return }
      } else {
        let actor = ActorJobs.actor(of: job)
        if let run = CurrentRun.value { return run.accept(job, of: actor) }
        if ForeignJobs.route(job, as: .actor, on: .actor(actor)) { return }
      }
      platform.enqueue(ExecutorJob(job))
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      if let run = CurrentRun.value {
        run.accept(UnownedJob(job), after: VirtualTime.duration(delay))
      } else if let platform = platform as? any SchedulingExecutor {
        platform.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
      } else {
        platform.enqueue(job)
      }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      if let run = CurrentRun.value {
        let delay = clock.now.duration(to: instant)
        run.accept(UnownedJob(job), after: VirtualTime.duration(delay))
      } else if let platform = platform as? any SchedulingExecutor {
        platform.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
      } else {
        platform.enqueue(job)
      }
    }
  }
#endif
