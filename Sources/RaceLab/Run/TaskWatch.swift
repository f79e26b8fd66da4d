// The tasks of a run by address, to tell where they are suspended and what they wait for. Kept only
// where a report needs it.

import RaceLabHooks

/// What a suspended task waits for.
struct Wait: Hashable, Sendable {
  /// Number of the task.
  let task: Int
  let reason: Reason
  /// The address in the user's code at which it would go on; 0 if that is not known.
  let place: UInt

  enum Reason: Hashable, Sendable {
    /// A task, by number; -1 for one that the run does not know.
    case task(Int)
    /// A continuation that somebody has to resume.
    case continuation
    /// The tasks of a group.
    case group
    /// Something of the lab: a gate, its clock, the run's end.
    case lab
    /// Something else.
    case unknown
  }
}

/// Holds tasks until they have ended. Children of `async let` cannot be held: they lie in their
/// parent's memory, and are looked at only while the parent holds them.
struct TaskWatch {
  private struct Seen {
    let address: UInt
    /// Its number in the process: another child may come to lie at the same address.
    let id: UInt64
    /// Number of the parent in whose memory it lies; nil where it is retained.
    let parent: Int?
  }

  /// The tasks by number; nil where one has ended or was never seen.
  private var tasks: [Seen?] = []

  /// Whether the platform lets it look.
  static let isPossible = racelab_can_look()

  /// The name that a task was given.
  func name(of number: Int) -> String? {
    guard let address = address(of: number) else { return nil }
    return unsafe racelab_task_name(address).map { unsafe String(cString: $0) }
  }

  /// Takes in a job that is a task. `parent` is the number of the task that made it, or -1 if that
  /// is not known.
  mutating func see(_ job: UnownedJob, id: UInt64, number: Int, parent: Int) {
    while tasks.count <= number { tasks.append(nil) }
    guard tasks[number] == nil else { return }
    let address = unsafe unsafeBitCast(job, to: UInt.self)
    let lies = racelab_is_async_let(address)
    if !lies { racelab_retain(address) }
    if !lies || parent >= 0 {
      tasks[number] = Seen(address: address, id: id, parent: lies ? parent : nil)
    }
  }

  /// Tasks seen so far.
  var count: Int { tasks.count }

  /// Forgets a task if it has ended. Returns its address if it was held: to be released afterwards, since
  /// what the task has kept may make new tasks when it goes, and those are seen here.
  mutating func takeEnded(_ number: Int) -> UInt? {
    guard tasks.indices.contains(number), let task = tasks[number] else { return nil }
    if let address = address(of: number), !racelab_has_ended(address) { return nil }
    tasks[number] = nil
    return task.parent == nil ? task.address : nil
  }

  /// Forgets all. Returns the addresses of those that were held.
  mutating func takeAll() -> [UInt] {
    defer { tasks.removeAll(keepingCapacity: true) }
    return tasks.compactMap { task in task?.parent == nil ? task?.address : nil }
  }

  /// The address of a task that has not ended, as far as was seen.
  func address(of number: Int) -> UInt? {
    guard tasks.indices.contains(number), let task = tasks[number] else { return nil }
    guard let parent = task.parent else { return task.address }
    guard let holder = address(of: parent), racelab_holds(holder, task.address),
      unsafe ForeignJobs.taskID(of: unsafeBitCast(task.address, to: UnownedJob.self)) == task.id
    else { return nil }
    return task.address
  }

  /// The number of a task that has not ended.
  func number(of address: UInt) -> Int? { tasks.lastIndex { $0?.address == address } }

  /// What all who have not ended wait for.
  func waits() -> [Wait] {
    tasks.indices.compactMap { number in
      guard let address = address(of: number) else { return nil }
      let (place, isInLab) = Code.place(ofTask: address)
      return Wait(task: number, reason: isInLab ? .lab : reason(of: address), place: place)
    }
  }

  /// What a suspended task waits for, as the runtime sees it.
  func reason(of address: UInt) -> Wait.Reason {
    let wait = racelab_waits_for(address)
    return switch wait.kind {
    case 1: .task(number(of: wait.on) ?? -1)
    case 2: .continuation
    case 3: .group
    default: .unknown
    }
  }
}

extension LabRun {
  /// Lets a task go if it has ended.
  func releaseIfEnded(_ number: Int) {
    if let address = watch.takeEnded(number) { racelab_release(address) }
  }

  /// Lets all go that have ended.
  func releaseEnded() {
    for number in 0..<watch.count { releaseIfEnded(number) }
  }

  /// Lets all go.
  func releaseWatched() {
    for address in watch.takeAll() { racelab_release(address) }
  }
}
