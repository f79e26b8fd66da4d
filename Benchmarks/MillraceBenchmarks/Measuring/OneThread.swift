// Main actor and pool on one thread, so that a measurement is of the code's own cost: a hand-over
// between threads costs more than all that is measured here, and differs from run to run.

#if os(Linux)
  @_spi(ExperimentalScheduling) @_spi(ExperimentalCustomExecutors) import _Concurrency

  /// The executors of the benchmark process: one queue, drained by the first thread.
  ///
  /// `@unchecked Sendable`: only the first thread ever runs or enqueues jobs here, as there is no
  /// other executor in the process; nothing that is measured leaves it.
  final class OneThread: MainExecutor, TaskExecutor, @unchecked Sendable {
    static let shared = OneThread()
    private var jobs: [UnownedJob] = []
    private var head = 0
    private var stopped = false

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    func run() throws {
      stopped = false
      while !stopped, head < jobs.count {
        let job = jobs[head]
        head += 1
        if head == jobs.count {
          jobs.removeAll(keepingCapacity: true)
          head = 0
        } else if head > 100_000 {
          jobs.removeFirst(head)
          head = 0
        }
        unsafe job.runSynchronously(
          isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
    }

    func stop() { stopped = true }

    func checkIsolated() {}
  }

  private struct OneThreadFactory: ExecutorFactory {
    static var mainExecutor: any MainExecutor { OneThread.shared }
    static var defaultExecutor: any TaskExecutor { OneThread.shared }
  }

  /// Runs the body on the main actor of one thread, and all that it starts, until it returns.
  func runOnOneThread(_ body: @escaping @MainActor () async -> Void) throws {
    _createExecutors(factory: OneThreadFactory.self)
    Task { @MainActor in await body() }
    try OneThread.shared.run()
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
