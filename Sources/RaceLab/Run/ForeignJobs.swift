// Wake-ups from threads that the lab does not own: a Dispatch callback that resumes a task of a
// lab. The job is routed to the run that owns the task, and run there.

import Dispatch
import Synchronization

/// A job that another thread enqueued.
struct ForeignJob {
  let job: UnownedJob
  let form: JobForm
  let lane: Lane
}

/// Where other threads leave jobs for a run, and what is known to be under way on them.
final class Inbox: Sendable {
  private struct State {
    /// Ids of the run's tasks, and addresses of its actors' jobs: what makes a job ours.
    /// Lists, as they are added to at every new task and searched only when a job comes in.
    var tasks: [UInt64] = []
    var actors: [UInt] = []
    var jobs: [ForeignJob] = []
    /// Name by number of what runs outside and will come back.
    var outside: [Int: String] = [:]
    var nextOutside = 0
    /// The run is over and takes no jobs any more.
    var closed = false
  }

  private let state = Guarded(State())
  private let arrivals = DispatchSemaphore(value: 0)
  /// Jobs that wait. Read on every turn of the loop, so that the lock need not be taken.
  private let waiting = Atomic<Int>(0)
  private let total = Atomic<Int>(0)

  /// Jobs that ever came from other threads.
  var wakeUps: Int { total.load(ordering: .relaxed) }

  func own(tasks: some Sequence<UInt64>) { state.withLock { $0.tasks += tasks } }
  func own(actor: UInt) { state.withLock { $0.actors.append(actor) } }

  /// Leaves a job of another thread, if it is one of this run's.
  func offer(_ job: ForeignJob, task: UInt64) -> Bool {
    let taken = state.withLock { state in
      let actor =
        if case .actor(let id) = job.lane { state.actors.contains(id) } else { false }
      guard !state.closed, actor || state.tasks.contains(task) else { return false }
      state.jobs.append(job)
      waiting.add(1, ordering: .releasing)
      total.add(1, ordering: .relaxed)
      return true
    }
    if taken { arrivals.signal() }
    return taken
  }

  func takeAll() -> [ForeignJob] {
    guard waiting.load(ordering: .acquiring) > 0 else { return [] }
    return state.withLock { state in
      waiting.subtract(state.jobs.count, ordering: .relaxed)
      defer { state.jobs = [] }
      return state.jobs
    }
  }

  /// Forgets what belonged to the last run.
  func reset() {
    state.withLock { state in
      state.tasks.removeAll(keepingCapacity: true)
      state.actors.removeAll(keepingCapacity: true)
    }
  }

  /// Refuses jobs from now on, and returns those that still waited.
  func close() -> [ForeignJob] {
    state.withLock { $0.closed = true }
    return takeAll()
  }

  /// Blocks until something happens outside. Returns false at the limit.
  func wait(until limit: DispatchTime) -> Bool {
    if waiting.load(ordering: .acquiring) > 0 { return true }
    return arrivals.wait(timeout: limit) == .success
  }

  func enterOutside(_ name: String) -> Int {
    state.withLock { state in
      state.nextOutside += 1
      state.outside[state.nextOutside] = name
      return state.nextOutside
    }
  }

  func leaveOutside(_ number: Int) {
    state.withLock { _ = $0.outside.removeValue(forKey: number) }
    arrivals.signal()
  }

  /// What is outside, oldest first.
  var outside: [String] {
    state.withLock { state in state.outside.sorted { $0.key < $1.key }.map(\.value) }
  }
}

@_silgen_name("swift_task_getJobTaskId")
private func swiftTaskGetJobTaskId(_ job: UnownedJob) -> UInt64

/// All runs that a foreign job could belong to.
enum ForeignJobs {
  private static let runs = Guarded<[ObjectIdentifier: Inbox]>([:])
  private static let count = Atomic<Int>(0)

  /// The number that the process gave to a job's task; 0 if the job is no task.
  static func taskID(of job: UnownedJob) -> UInt64 { swiftTaskGetJobTaskId(job) }

  static func add(_ inbox: Inbox) {
    runs.withLock { $0[ObjectIdentifier(inbox)] = inbox }
    count.add(1, ordering: .sequentiallyConsistent)
  }

  static func remove(_ inbox: Inbox) {
    count.subtract(1, ordering: .sequentiallyConsistent)
    runs.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(inbox)) }
  }

  /// Hands a job that a foreign thread enqueued to the run that owns it. False if none does.
  static func route(_ job: UnownedJob, as form: JobForm, on lane: Lane) -> Bool {
    guard count.load(ordering: .sequentiallyConsistent) > 0 else { return false }
    let task = taskID(of: job)
    let foreign = ForeignJob(job: job, form: form, lane: lane)
    let inboxes = runs.withLock { Array($0.values) }
    return inboxes.contains { $0.offer(foreign, task: task) }
  }
}
