// The back end without the experimental interface: the hooks that the runtime has had from the
// beginning, and executors of the public kind. It sees less: sleeps, and yields on an actor, go to
// threads of the platform and come back when those like. It is what there is where the executors cannot
// be replaced; on Linux `RACELAB_BACKEND=hooks` asks for it.

import Dispatch
import RaceLabHooks

struct HookBackend: SchedulerBackend {
  let name = "hooks"
  let promised: Capability = [.pool, .mainActor, .actors, .yield]
  let foreign: Capability = [.sleep, .now, .actorYield]

  private static let main = HookMainExecutor()
  private static let pool = PoolTasksExecutor()
  private static let actors = HookPoolExecutor()

  func install() {
    let main = unsafe Self.main.asUnownedSerialExecutor()
    racelab_hook(
      { job, kind in HookBackend.take(job, kind) },
      unsafe unsafeBitCast(main, to: RaceLabExecutor.self))
  }

  private static func take(_ address: UInt, _ kind: UInt8) -> Bool {
    let job = unsafe unsafeBitCast(address, to: UnownedJob.self)
    if ActorJobs.kinds.contains(kind) {
      let actor = ActorJobs.actor(of: job)
      if let run = CurrentRun.value {
        run.accept(job, of: actor)
        return true
      }
      return ForeignJobs.route(job, as: .actor, on: .actor(actor))
    }
    let form: JobForm = kind == 0 ? .pool : .actor
    if let run = CurrentRun.value {
      run.accept(job, as: form, on: .pool)
      return true
    }
    return ForeignJobs.route(job, as: form, on: .pool)
  }

  func run(_ job: UnownedJob, as form: JobForm) {
    switch form {
    case .main: unsafe job.runSynchronously(on: Self.main.asUnownedSerialExecutor())
    case .pool, .hop: unsafe job.runSynchronously(on: Self.pool.asUnownedSerialExecutor())
    case .actor: unsafe job.runSynchronously(on: Self.actors.asUnownedTaskExecutor())
    }
  }
}

/// Stands for the main actor in the whole process.
private final class HookMainExecutor: SerialExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let run = CurrentRun.value {
      run.accept(job, as: .main, on: .main)
    } else if !ForeignJobs.route(job, as: .main, on: .main) {
      DispatchQueue.main.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  func checkIsolated() {
    if let run = CurrentRun.value {
      precondition(run.isOnMain, "Not on the lab's main actor.")
    } else {
      dispatchPrecondition(condition: .onQueue(.main))
    }
  }
}

/// Runs the jobs of default actors.
private final class HookPoolExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let run = CurrentRun.value {
      run.accept(job, as: .pool, on: .pool)
    } else if !ForeignJobs.route(job, as: .pool, on: .pool) {
      DispatchQueue.global().async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}
