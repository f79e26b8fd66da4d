// The jobs by which a default actor runs what waits for it.

import RaceLabHooks

enum ActorJobs {
  /// Their kinds. A job of another kind that is no task ends a sleep.
  static let kinds: ClosedRange<UInt8> = 192...194

  /// The address of the actor that a job belongs to: the same for all jobs of one actor, which are
  /// made and freed as messages come.
  static func actor(of job: UnownedJob) -> UInt {
    racelab_actor_of(unsafe unsafeBitCast(job, to: UInt.self))
  }
}
