// One run: a closure and all that it starts, executed job by job on one thread, in an order that
// a chooser decides. This is its state and what captures its jobs; the loop is in RunLoop.swift.
// A search makes many runs one after another with the same object.

import RaceLabHooks

/// Limits of a run.
struct RunLimits: Sendable {
  /// Jobs before the run counts as endless.
  var steps = 1_000_000
  /// How long nothing may happen before a body that waits for something unknown counts as stuck.
  var patience: Duration = .seconds(1)
  /// How long work that is known to be outside is waited for.
  var outside: Duration = .seconds(10)
  /// How many tasks may be cancelled by decision.
  var cancels = 0
}

/// A condition that holds after every step.
struct Invariant {
  /// What is told where it does not.
  let error: LabError
  let holds: @MainActor () -> Bool
}

// Sendable by confinement: what is not a `let` is touched by one thread at a time. That is the
// thread that creates the run and its root task, until it starts the run's own thread; then that
// one, the only one for which `CurrentRun.value` is this run, until the loop returns; then whoever
// was told so. Other threads reach `inbox` and `parkings` only, which have locks.
//
// Exclusive access is not checked at run time, which is a tenth of a run's time: nothing that is called
// while one of these properties is being changed changes the same one. `queue.next` asks the chooser,
// which reads `trace` and `footprints`; `append` and `step` change one property after the other.
final class LabRun: @unchecked Sendable {
  let inbox = Inbox()
  /// All places at which tasks wait on purpose.
  let parkings = Guarded<[any Parking]>([])
  let backend: any SchedulerBackend
  @safe @exclusivity(unchecked) var limits: RunLimits
  @safe @exclusivity(unchecked) var chooser: Chooser
  /// Keeps the decisions of the run at hand on disk.
  @safe @exclusivity(unchecked) var record: Record?
  /// Whether the monotonic clocks show virtual time.
  let clockIsVirtual: Bool

  /// What the current closure sees of this run. A cycle, broken when the run is over.
  @safe @exclusivity(unchecked) var lab: Lab?
  @safe @exclusivity(unchecked) var queue: RunQueue
  @safe @exclusivity(unchecked) var timers = Timers()
  @safe @exclusivity(unchecked) var trace = Trace()
  /// Virtual time since the start.
  @safe @exclusivity(unchecked) var now = VirtualTime()
  /// The job that runs now is on the main actor.
  @safe @exclusivity(unchecked) var isOnMain = false
  /// Jobs run so far.
  @safe @exclusivity(unchecked) var steps = 0
  @safe @exclusivity(unchecked) private var arrivals = 0
  /// Ids in the process of the run's tasks; a task's number is its index.
  @safe @exclusivity(unchecked) private var taskIDs: [UInt64] = []
  /// How many of them the inbox knows: all that have run.
  @safe @exclusivity(unchecked) private var owned = 0
  /// The same as a table, once there are many.
  @safe @exclusivity(unchecked) private var taskNumbers: [UInt64: Int] = [:]
  /// How often each task, by number, has become ready.
  @safe @exclusivity(unchecked) private(set) var wakeUps: [Int] = []
  @safe @exclusivity(unchecked) private var actors: [UInt] = []
  @safe @exclusivity(unchecked) private var settling: [Resumption<Void>] = []
  /// A hop is being carried out: the next job of an actor belongs to it.
  @safe @exclusivity(unchecked) private var isHopping = false
  @safe @exclusivity(unchecked) private var hopped: UnownedJob?
  /// The next job belongs to an adversary.
  @safe @exclusivity(unchecked) private var striking = false
  /// Jobs are the search's own: kept for it, in order.
  @safe @exclusivity(unchecked) var driving = false
  @safe @exclusivity(unchecked) var driverJobs: [UnownedJob] = []

  /// The decision that picked the job about to run, or -1.
  @safe @exclusivity(unchecked) var lastPick = -1
  @safe @exclusivity(unchecked) var rootDone = false
  @safe @exclusivity(unchecked) var rootError: (any Error)?
  @safe @exclusivity(unchecked) var cancelsLeft = 0
  @safe @exclusivity(unchecked) var invariants: [Invariant] = []
  @safe @exclusivity(unchecked) var watched: [Watched] = []
  /// Tasks that must have ended at the end, and have not yet, by name.
  @safe @exclusivity(unchecked) var expectedEnds: [String] = []
  /// What went wrong in a way that no caller could be told.
  @safe @exclusivity(unchecked) var failures: [LabError] = []
  /// Faults that the scenario reported, whoever caught the error.
  @safe @exclusivity(unchecked) var reported: [Failure] = []
  /// Task names are looked up, for a report.
  @safe @exclusivity(unchecked) var recordsNames = false
  /// The place in the code at which each step goes on is kept.
  @safe @exclusivity(unchecked) var keepsPlaces = false
  /// Tasks are watched, so that it can be told what they wait for.
  @safe @exclusivity(unchecked) var watchesTasks = false
  @safe @exclusivity(unchecked) var watch = TaskWatch()
  /// It is kept what each step had to do with.
  @safe @exclusivity(unchecked) var keepsFootprints = false
  @safe @exclusivity(unchecked) var footprints = FootprintWriter()
  /// The run fails if a task is left over.
  @safe @exclusivity(unchecked) var refusesLeftovers = false
  /// Streams that were finished, if that is watched.
  @safe @exclusivity(unchecked) var finishedStreams: [FinishedStream]?
  /// Calls seen on streams while that is watched.
  @safe @exclusivity(unchecked) var streamCalls = 0
  @safe @exclusivity(unchecked) var cancelCalls = 0
  /// The platform shows where tasks wait.
  let canLook: Bool
  /// The platform shows enough to tell which steps have to do with each other.
  let canReduce: Bool

  /// An object that must be gone at the end.
  struct Watched {
    let name: String
    weak var object: AnyObject?
  }

  init(
    backend: any SchedulerBackend, limits: RunLimits, capability: Capability = .all,
    isPlain: Bool = true
  ) {
    self.backend = backend
    canLook = capability.contains(.places)
    canReduce = capability.isSuperset(of: .reduction)
    self.limits = limits
    chooser = Chooser()
    queue = RunQueue(isPlain: isPlain)
    clockIsVirtual = capability.contains(.now)
    cancelsLeft = limits.cancels
  }

  /// Makes it ready for the next run. Nothing of the last one may be left to run.
  func reset() {
    record?.begin()
    queue.removeAll()
    timers.removeAll()
    trace.removeAll()
    now = VirtualTime()
    steps = 0
    lastPick = -1
    arrivals = 0
    taskIDs.removeAll(keepingCapacity: true)
    owned = 0
    if !taskNumbers.isEmpty { taskNumbers.removeAll(keepingCapacity: true) }
    wakeUps.removeAll(keepingCapacity: true)
    actors.removeAll(keepingCapacity: true)
    settling.removeAll(keepingCapacity: true)
    rootDone = false
    rootError = nil
    cancelsLeft = limits.cancels
    invariants.removeAll(keepingCapacity: true)
    watched.removeAll(keepingCapacity: true)
    expectedEnds.removeAll(keepingCapacity: true)
    failures.removeAll(keepingCapacity: true)
    reported.removeAll(keepingCapacity: true)
    releaseWatched()
    watchesTasks = keepsPlaces || keepsFootprints
    footprints.removeAll()
    streamCalls = 0
    refusesLeftovers = false
    finishedStreams = nil
    parkings.withLock { $0.removeAll(keepingCapacity: true) }
    inbox.reset()
  }

  // MARK: What executors call

  func accept(_ job: UnownedJob, as form: JobForm, on lane: Lane) {
    if driving { return driverJobs.append(job) }
    append(job, as: form, on: lane)
  }

  /// A default actor's own job.
  func accept(_ job: UnownedJob, of actor: UInt) {
    if isHopping {
      isHopping = false
      hopped = job
    } else {
      append(job, as: .actor, on: .actor(actor))
    }
  }

  func accept(_ job: UnownedJob, after delay: Duration) {
    let sleeper = CurrentTask.id.map { number(of: $0) }
    timers.insert(
      Timer(
        deadline: now.advanced(by: delay, rounded: !clockIsVirtual), job: job, sleeper: sleeper,
        wakeUps: sleeper.map { wakeUps[$0] } ?? 0))
  }

  func append(_ job: UnownedJob, as form: JobForm, on lane: Lane, sleeper: Int = -1) {
    arrivals += 1
    if recordsNames, !canLook { recordName() }
    let id = ForeignJobs.taskID(of: job)
    var task = sleeper
    if id != 0 {
      task = number(of: id)
      wakeUps[task] += 1
      if watchesTasks {
        watch.see(job, id: id, number: task, parent: trace.parents[task])
        if recordsNames, trace.names[task] == nil { trace.names[task] = watch.name(of: task) }
      }
    } else if lane == .pool, task < 0, let current = CurrentTask.id {
      // Part of a yield or a sleep, which the task at hand makes.
      task = number(of: current)
    }
    if case .actor(let actor) = lane { _ = number(ofActor: actor) }
    if keepsFootprints {
      if task >= 0 { footprints.add(task: task) }
      footprints.add(readyOn: lane)
    }
    let ready = Ready(
      job: job, form: form, lane: lane, task: task, order: arrivals, cause: steps, rank: arrivals)
    queue.append(ready, strike: striking)
  }

  private func number(of id: UInt64) -> Int {
    if let known = knownNumber(of: id) { return known }
    let number = taskIDs.count
    taskIDs.append(id)
    if !taskNumbers.isEmpty { taskNumbers[id] = number }
    wakeUps.append(0)
    trace.parents.append(CurrentTask.id.flatMap(knownNumber) ?? -1)
    return number
  }

  /// Looks through a few tasks, and looks up many.
  private func knownNumber(of id: UInt64) -> Int? {
    if taskIDs.count < 16 { return taskIDs.lastIndex(of: id) }
    if taskNumbers.isEmpty {
      for (number, id) in taskIDs.enumerated() { taskNumbers[id] = number }
    }
    return taskNumbers[id]
  }

  /// Keeps the name of the task at hand, if it has one.
  private func recordName() {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
      let number = CurrentTask.id.flatMap(knownNumber), let name = Task.name
    else { return }
    trace.names[number] = name
  }

  func number(ofActor actor: UInt) -> Int {
    if let known = actors.firstIndex(of: actor) { return known }
    actors.append(actor)
    inbox.own(actor: actor)
    return actors.count - 1
  }

  // MARK: What the lab calls

  /// Suspends until nothing is left to run.
  func settle(isolation: isolated (any Actor)? = #isolation) async {
    // Never throws: it is only ever resumed with success.
    try? await Resumption<Void>.suspend { resumption in
      if keepsFootprints { footprints.use(lab: ()) }
      settling.append(resumption)
      return nil
    }
  }

  var isSettling: Bool { !settling.isEmpty }

  func wakeSettling() {
    let settled = settling
    settling = []
    for resumption in settled { resumption(.success(())) }
  }

  /// Creates the run's first task: in the caller's task, so that it inherits its task-local values;
  /// but captured by this run, because the thread works for it meanwhile.
  @discardableResult
  func startRoot(_ body: @escaping @MainActor () async throws -> Void) -> Task<Void, Never> {
    CurrentRun.with(self) {
      Task { @MainActor in
        do { try await body() } catch { self.rootError = error }
        self.rootDone = true
      }
    }
  }

  /// Creates a task whose first job may run between any two steps.
  func strike(_ name: String, _ body: @escaping @MainActor () async -> Void) {
    let number = taskIDs.count
    striking = true
    defer { striking = false }
    Task(name: name) { @MainActor in await body() }
    trace.names[number] = name
  }

  /// Decides between `count` ways, for the scenario.
  func choose(count: Int) -> Int {
    guard count > 1 else { return 0 }
    let value = min(max(chooser.data(count: count), 0), count - 1)
    if keepsFootprints { footprints.open() }
    take(Pick(kind: .data, count: UInt16(clamping: count), value: UInt16(clamping: value)))
    trace.mix(UInt64(value) &+ 0x9e37)
    return value
  }

  /// Keeps a decision that was made.
  func take(_ pick: Pick) {
    if pick.value > 0 { record?.add(Deviation(index: trace.picks.count, pick: pick)) }
    trace.picks.append(pick)
  }

  func fail(_ error: LabError) { failures.append(error) }

  // MARK: Running one job

  /// Runs a job to its next suspension, on the lane it belongs to.
  func run(_ ready: Ready) {
    // Who has not run yet cannot be woken by another thread.
    if owned < taskIDs.count {
      inbox.own(tasks: taskIDs[owned...])
      owned = taskIDs.count
    }
    racelab_enter(now.nanoseconds)
    defer {
      racelab_leave()
      if watchesTasks, ready.task >= 0 { releaseIfEnded(ready.task) }
    }
    isOnMain = ready.form == .main
    defer { isOnMain = false }
    guard ready.form == .hop else { return backend.run(ready.job, as: ready.form) }
    isHopping = true
    backend.run(ready.job, as: .hop)
    isHopping = false
    // If there is none, the actor has a job waiting already, which will run this task too.
    if let hopped { backend.run(hopped, as: .actor) }
    hopped = nil
  }
}

/// The task that runs on this thread.
enum CurrentTask {
  /// Its number in the process. A task is a job, so its id is read as any job's is.
  static var id: UInt64? {
    let task = racelab_current_task()
    return task == 0 ? nil : ForeignJobs.taskID(of: unsafe unsafeBitCast(task, to: UnownedJob.self))
  }
}
