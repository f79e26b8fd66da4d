// Stands for the global pool in labs.

import Dispatch

/// On the generic executor the runtime would run a hop to an idle actor inline, without a job; and a
/// yield there is not seen by the hooks.
final class PoolTasksExecutor: SerialExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let run = CurrentRun.value {
      run.accept(job, as: .pool, on: .pool)
    } else if !ForeignJobs.route(job, as: .pool, on: .pool) {
      // What is left of a run that is over.
      DispatchQueue.global().async {
        unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
      }
    }
  }
}
