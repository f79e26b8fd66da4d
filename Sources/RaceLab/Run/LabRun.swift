// One run: a closure and all that it starts, executed job by job on one thread, in an order that
// a chooser picks. This is the loop; `Lab` is what the closure sees of it.

import Dispatch

/// Limits of a run.
struct RunLimits: Sendable {
  /// Jobs before the run counts as endless.
  var steps = 1_000_000
  /// How long nothing may happen before a body that waits for something unknown counts as stuck.
  var patience: Duration = .seconds(1)
  /// How long work that is known to be outside is waited for.
  var outside: Duration = .seconds(10)
}

// Sendable by confinement: what is not a `let` is touched by one thread at a time. That is the
// thread that creates the run and its root task, until it starts the run's own thread; then that
// one, the only one for which `CurrentRun.value` is this run, until `execute` returns; then
// whoever was told so. Other threads reach `inbox` and `parkings` only, which have locks.
final class LabRun: @unchecked Sendable {
  let inbox = Inbox()
  /// All places at which tasks wait on purpose.
  let parkings = Guarded<[any Parking]>([])
  private let backend: any SchedulerBackend
  private let limits: RunLimits
  private var chooser: any Chooser

  private var queue = RunQueue()
  private var timers = Timers()
  /// Virtual time since the start.
  private(set) var now = VirtualTime()
  /// Lane of the job that runs now.
  private(set) var lane: Lane?
  /// Jobs run so far.
  private(set) var steps = 0
  private var arrivals = 0
  /// Number in the run by id in the process.
  private var taskNumbers: [UInt64: Int] = [:]
  /// How often each task, by number, has become ready.
  private var wakeUps: [Int] = []
  private var actors: Set<UInt> = []
  private var settling: [Resumption<Void>] = []
  private var rootDone = false
  /// What went wrong in a way that no caller could be told.
  private(set) var failures: [LabError] = []

  init(backend: any SchedulerBackend, limits: RunLimits, chooser: any Chooser = PlainOrder()) {
    self.backend = backend
    self.limits = limits
    self.chooser = chooser
  }

  // MARK: What executors call

  func accept(_ job: UnownedJob, on lane: Lane) {
    append(job, on: lane)
  }

  func accept(_ job: UnownedJob, after delay: Duration) {
    arrivals += 1
    let sleeper = CurrentTask.id.map { number(of: $0) }
    timers.insert(
      Timer(
        deadline: now.advanced(by: delay), order: arrivals, job: job, lane: .pool,
        sleeper: sleeper, steps: sleeper.map { wakeUps[$0] } ?? 0))
  }

  private func append(_ job: UnownedJob, on lane: Lane) {
    arrivals += 1
    let id = ForeignJobs.taskID(of: job)
    var task: Int?
    if id != 0 {
      let number = number(of: id)
      wakeUps[number] += 1
      task = number
    } else if case .actor(let actor) = lane, actors.insert(actor).inserted {
      inbox.own(actor: actor)
    }
    queue.append(Ready(job: job, candidate: Candidate(lane: lane, task: task, order: arrivals)))
  }

  private func number(of id: UInt64) -> Int {
    if let known = taskNumbers[id] { return known }
    let number = wakeUps.count
    taskNumbers[id] = number
    wakeUps.append(0)
    inbox.own(task: id)
    return number
  }

  // MARK: What the lab calls

  /// Suspends until nothing is left to run.
  func settle(isolation: isolated (any Actor)? = #isolation) async {
    // Never throws: it is only ever resumed with success.
    try? await Resumption<Void>.suspend { resumption in
      settling.append(resumption)
      return nil
    }
  }

  /// Creates the run's first task: in the caller's task, so that it inherits its task-local values;
  /// but captured by this run, because the thread works for it meanwhile.
  @discardableResult
  func startRoot(_ body: @escaping @MainActor () async -> Void) -> Task<Void, Never> {
    CurrentRun.with(self) {
      Task { @MainActor in
        await body()
        self.rootDone = true
      }
    }
  }

  func fail(_ error: LabError) { failures.append(error) }

  /// Places at which something waits: gates, clocks, sleeps.
  var waiting: [String] {
    let parked = parkings.withLock { $0 }.flatMap(\.waiting)
    let asleep = timers.all.filter { timer in
      timer.sleeper.map { wakeUps[$0] == timer.steps } ?? false
    }
    return parked + (asleep.isEmpty ? [] : ["\(asleep.count) in Task.sleep"])
  }

  // MARK: The loop

  /// Runs to the end. Returns the lab's own verdict: nil if the root has returned.
  func execute() -> LabError? {
    ForeignJobs.add(inbox)
    return CurrentRun.with(self) {
      while true {
        if let ready = next() {
          steps += 1
          if steps > limits.steps { return .stepLimit(limits.steps) }
          step(ready)
        } else if !settling.isEmpty {
          awaitOutside()
          guard queue.isEmpty else { continue }
          wakeSettling()
        } else if rootDone {
          return nil
        } else if let (deadline, due) = timers.popEarliest() {
          now = deadline
          for timer in due { append(timer.job, on: timer.lane) }
        } else if let stuck = awaitAnything() {
          return stuck
        }
      }
    }
  }

  /// Lets go of all that still waits, once the run has been judged, so that its memory is freed.
  /// What then happens concerns nobody; a task that still goes on for ever is dropped.
  func windUp() {
    CurrentRun.with(self) {
      for parking in parkings.withLock({ $0 }) { parking.end() }
      var left = 10_000
      while left > 0 {
        if let ready = next() {
          left -= 1
          step(ready)
        } else if !settling.isEmpty {
          wakeSettling()
        } else if let (deadline, due) = timers.popEarliest() {
          now = deadline
          for timer in due { append(timer.job, on: timer.lane) }
        } else {
          break
        }
      }
    }
    ForeignJobs.remove(inbox)
    let late = inbox.close()
    CurrentRun.with(self) {
      for (job, lane) in late {
        step(Ready(job: job, candidate: .init(lane: lane, task: nil, order: 0)))
      }
    }
  }

  private func wakeSettling() {
    let settled = settling
    settling = []
    for resumption in settled { resumption(.success(())) }
  }

  private func next() -> Ready? {
    for (job, lane) in inbox.takeAll() { append(job, on: lane) }
    return queue.next(&chooser)
  }

  private func step(_ ready: Ready) {
    lane = ready.candidate.lane
    backend.run(ready.job, on: ready.candidate.lane)
    lane = nil
  }

  /// Waits while something known is outside and nothing comes in.
  private func awaitOutside() {
    let limit = DispatchTime.now() + limits.outside.dispatch
    while queue.isEmpty, !inbox.outside.isEmpty {
      if !inbox.wait(until: limit) {
        fail(.outside(inbox.outside))
        return
      }
      for (job, lane) in inbox.takeAll() { append(job, on: lane) }
    }
  }

  /// Nothing to run, and the root has not returned: waits for other threads. Returns an error if
  /// nothing came.
  private func awaitAnything() -> LabError? {
    let outside = inbox.outside
    let limit = DispatchTime.now() + (outside.isEmpty ? limits.patience : limits.outside).dispatch
    if inbox.wait(until: limit) { return nil }
    return outside.isEmpty ? .deadlock(waiting: waiting) : .outside(inbox.outside)
  }
}

extension Duration {
  fileprivate var dispatch: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(
      Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000).partialValue
        &+ Int(attoseconds / 1_000_000_000))
  }
}

/// The task that runs on this thread.
enum CurrentTask {
  /// Its number in the process. A task is a job, so its id is read as any job's is.
  static var id: UInt64? {
    unsafe withUnsafeCurrentTask { task in
      guard let task = unsafe task else { return nil }
      return ForeignJobs.taskID(of: unsafe unsafeBitCast(task, to: UnownedJob.self))
    }
  }
}
