// Main actor and pool on one thread, so that a measurement is of the code's own cost: a hand-over
// between threads costs more than all that is measured here, and differs from run to run.

import Foundation

#if os(Linux)
  @_spi(ExperimentalScheduling) @_spi(ExperimentalCustomExecutors) import _Concurrency

  /// The jobs of the benchmark process: one queue, drained by the first thread.
  ///
  /// A job of the pool is run as such, not as one of the main actor: else the way from the pool to the
  /// main actor would cost nothing, and the way from the pool to the pool a job.
  ///
  /// `@unchecked Sendable`: only the first thread ever runs or enqueues jobs here, as there is no
  /// other executor in the process; nothing that is measured leaves it.
  final class OneThread: MainExecutor, @unchecked Sendable {
    private static let main = OneThread()
    private let pool = Pool()
    private var jobs: [(job: UnownedJob, isOfPool: Bool)] = []
    private var head = 0
    private var stopped = false

    private final class Pool: TaskExecutor {
      func enqueue(_ job: consuming ExecutorJob) {
        OneThread.main.jobs.append((UnownedJob(job), true))
      }
    }

    struct Factory: ExecutorFactory {
      static var mainExecutor: any MainExecutor { OneThread.main }
      static var defaultExecutor: any TaskExecutor { OneThread.main.pool }
    }

    func enqueue(_ job: consuming ExecutorJob) { jobs.append((UnownedJob(job), false)) }

    func run() {
      let pool = unsafe pool.asUnownedTaskExecutor()
      let main = unsafe asUnownedSerialExecutor()
      stopped = false
      while !stopped, head < jobs.count {
        let (job, isOfPool) = jobs[head]
        head += 1
        if head == jobs.count {
          jobs.removeAll(keepingCapacity: true)
          head = 0
        } else if head > 100_000 {
          jobs.removeFirst(head)
          head = 0
        }
        if isOfPool {
          unsafe job.runSynchronously(on: pool)
        } else {
          unsafe job.runSynchronously(on: main)
        }
      }
    }

    func stop() { stopped = true }

    func checkIsolated() {}

    static func drain() { main.run() }
  }

  /// Runs the body on the main actor of one thread, and all that it starts, until it returns.
  func runOnOneThread(_ body: @escaping @MainActor () async -> Void) throws {
    _createExecutors(factory: OneThread.Factory.self)
    Task { @MainActor in await body() }
    OneThread.drain()
  }
#else
  /// Elsewhere the platform's executors are used: ratios are rougher there.
  func runOnOneThread(_ body: @escaping @MainActor () async -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    Task { @MainActor in
      await body()
      exit(0)
    }
    dispatchMain()
  }
#endif

/// Runs the body on the main actor as the platform has it, with its clocks, and ends the process with
/// what the body returns.
func runOnPlatform(_ body: @escaping @MainActor () async -> Int32) -> Never {
  Task { @MainActor in exit(await body()) }
  dispatchMain()
}
