// How the lab gets hold of the scheduler. A back end captures every job of a lab's tasks and runs
// one when the lab says so; what it really captures is found out by a self-test, not believed.

/// What a back end was seen to control. A job that is not controlled runs on the platform's own
/// threads, outside the lab.
struct Capability: OptionSet, Sendable {
  let rawValue: UInt8

  /// Work of the global pool: `Task {}`, detached tasks, groups, `async let`.
  static let pool = Capability(rawValue: 1 << 0)
  /// Main-actor jobs.
  static let mainActor = Capability(rawValue: 1 << 1)
  /// Hops to a default actor.
  static let actorHop = Capability(rawValue: 1 << 2)
  /// `Task.yield`.
  static let yield = Capability(rawValue: 1 << 3)
  /// `Task.sleep` in all its forms; time is virtual.
  static let sleep = Capability(rawValue: 1 << 4)
  /// What a `Task.immediate` does after its first suspension.
  static let immediate = Capability(rawValue: 1 << 5)

  static let all: Capability = [.pool, .mainActor, .actorHop, .yield, .sleep, .immediate]

  /// Names for messages, in a fixed order.
  var names: [String] {
    let table: [(Capability, String)] = [
      (.pool, "global pool"), (.mainActor, "main actor"), (.actorHop, "actor hop"),
      (.yield, "yield"), (.sleep, "sleep"), (.immediate, "immediate"),
    ]
    return table.filter { contains($0.0) }.map(\.1)
  }
}

/// Captures the jobs of labs and runs them.
protocol SchedulerBackend: Sendable {
  /// For reports.
  var name: String { get }

  /// Starts capturing, for the whole process. Called once. Jobs of threads without a current run
  /// must go on as if the back end were not there.
  func install()

  /// Runs one job to its next suspension on the calling thread, as the lane's executor would.
  func run(_ job: UnownedJob, on lane: Lane)
}

/// Where a job may run: the unit that keeps an order of its own.
enum Lane: Hashable, Sendable {
  /// The main actor: first in, first out.
  case main
  /// The global pool: any order.
  case pool
  /// A default actor, by the address of its processing job: its own order. The address is only
  /// compared, within one run.
  case actor(UInt)
}
