// The back end that owns the executors: it replaces the main and the default executor of the
// process by two that ask which lab the thread works for, and pass through where there is none.

#if os(Linux)
  @_spi(ExperimentalScheduling) @_spi(ExperimentalCustomExecutors) import _Concurrency
  import Dispatch

  struct ExecutorBackend: SchedulerBackend {
    let name = "executors"

    func install() {
      _createExecutors(factory: LabExecutorFactory.self)
    }

    func run(_ job: UnownedJob, on lane: Lane) {
      switch lane {
      case .main:
        unsafe job.runSynchronously(on: LabExecutorFactory.main.asUnownedSerialExecutor())
      case .pool, .actor:
        unsafe job.runSynchronously(on: LabExecutorFactory.pool.asUnownedTaskExecutor())
      }
    }
  }

  private struct LabExecutorFactory: ExecutorFactory {
    static let main = LabMainExecutor()
    static let pool = LabPoolExecutor()
    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { pool }
  }

  private final class LabMainExecutor: MainExecutor {
    private let platform = PlatformExecutorFactory.mainExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if let run = CurrentRun.value {
        run.accept(job, on: .main)
      } else if !ForeignJobs.route(job, on: .main) {
        // Not handed to the platform's executor: it would run the job as its own, and a call from
        // one main-actor function to another would look like a hop between two executors.
        DispatchQueue.main.async {
          unsafe job.runSynchronously(on: LabExecutorFactory.main.asUnownedSerialExecutor())
        }
      }
    }

    func checkIsolated() {
      if let run = CurrentRun.value, run.lane == .main { return }
      platform.checkIsolated()
    }

    func run() throws { try platform.run() }
    func stop() { platform.stop() }
  }

  private final class LabPoolExecutor: TaskExecutor, SchedulingExecutor {
    private let platform = PlatformExecutorFactory.defaultExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      let kind = job.kind
      let job = UnownedJob(job)
      // A job that is no task is a default actor's, which runs what waits for that actor.
      let lane: Lane = kind == .task ? .pool : .actor(unsafe unsafeBitCast(job, to: UInt.self))
      if let run = CurrentRun.value {
        run.accept(job, on: lane)
      } else if !ForeignJobs.route(job, on: lane) {
        platform.enqueue(ExecutorJob(job))
      }
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
