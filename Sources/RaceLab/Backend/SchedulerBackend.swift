// How the lab gets hold of the scheduler. A back end captures every job of a lab's tasks and runs
// one when the lab says so; what it really captures is found out by a self-test, not believed.

/// What a back end was seen to control. A job that is not controlled runs on the platform's own
/// threads, outside the lab.
struct Capability: OptionSet, Sendable {
  let rawValue: UInt16

  /// Work of the global pool: `Task {}`, detached tasks, groups, `async let`.
  static let pool = Capability(rawValue: 1 << 0)
  /// Main-actor jobs.
  static let mainActor = Capability(rawValue: 1 << 1)
  /// Jobs of default actors.
  static let actors = Capability(rawValue: 1 << 2)
  /// `Task.yield`.
  static let yield = Capability(rawValue: 1 << 3)
  /// `Task.sleep` in all its forms; time is virtual.
  static let sleep = Capability(rawValue: 1 << 4)
  /// What a `Task.immediate` does after its first suspension.
  static let immediate = Capability(rawValue: 1 << 5)
  /// Each hop to a default actor is a job of its own, on an idle actor too.
  static let everyHop = Capability(rawValue: 1 << 6)
  /// The monotonic clocks' now is virtual.
  static let now = Capability(rawValue: 1 << 7)

  /// It can be seen where in the code a task is suspended, and what it waits for.
  static let places = Capability(rawValue: 1 << 8)
  /// It can be seen what happens to standard streams.
  static let streams = Capability(rawValue: 1 << 9)

  /// It can be seen who cancels whom.
  static let cancels = Capability(rawValue: 1 << 10)

  /// `Task.yield` on a default actor, after a hop from another.
  static let actorYield = Capability(rawValue: 1 << 11)

  /// What a search needs that leaves out orders which make no difference.
  static let reduction: Capability = [.places, .streams, .cancels]

  static let all: Capability = [
    .pool, .mainActor, .actors, .yield, .sleep, .immediate, .everyHop, .now, .places, .streams,
    .cancels, .actorYield,
  ]

  /// Names for messages, in a fixed order.
  var names: [String] {
    let table: [(Capability, String)] = [
      (.pool, "global pool"), (.mainActor, "main actor"), (.actors, "actors"),
      (.yield, "yield"), (.sleep, "sleep"), (.immediate, "immediate"),
      (.everyHop, "hops to idle actors"), (.now, "the clocks' now"),
      (.places, "where tasks wait"), (.streams, "streams"), (.cancels, "who cancels"),
      (.actorYield, "yields on actors"),
    ]
    return table.filter { contains($0.0) }.map(\.1)
  }
}

/// Captures the jobs of labs and runs them.
protocol SchedulerBackend: Sendable {
  /// For reports.
  var name: String { get }

  /// What it controls wherever it works. If the self-test sees less, no run can be trusted.
  var promised: Capability { get }

  /// What goes through threads of the platform. A self-test may see it come back in time by luck,
  /// which is no control.
  var foreign: Capability { get }

  /// Starts capturing, for the whole process. Called once. Jobs of threads without a current run
  /// must go on as if the back end were not there.
  func install()

  /// Runs one job to its next suspension on the calling thread, as its executor would.
  func run(_ job: UnownedJob, as form: JobForm)
}

/// Where a job may run: the unit that keeps an order of its own.
enum Lane: Hashable, Sendable {
  /// The main actor: first in, first out.
  case main
  /// The global pool: any order.
  case pool
  /// A default actor, by its address: first in, first out. The address is only compared, within
  /// one run.
  case actor(UInt)
}

/// What kind of job it is, which says how it has to be run.
enum JobForm: Sendable {
  /// A task on the main actor.
  case main
  /// A task on the pool.
  case pool
  /// A task that is about to hop to an actor: running it only brings it there.
  case hop
  /// A default actor's own job, which runs what waits for that actor; or the end of a sleep.
  case actor
}
