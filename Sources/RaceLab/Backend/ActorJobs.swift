// A default actor's own job lies inside the actor, at the same distance in every one. The distance
// is measured when a hop is seen whose actor is known; before that a job's own address stands for
// its actor.

import Synchronization

enum ActorJobs {
  /// Kinds of the jobs by which a default actor runs what waits for it. A job of another kind that
  /// is no task ends a sleep.
  static let kinds: ClosedRange<UInt8> = 192...194

  private static let distance = Atomic<UInt>(0)

  /// Says that a job at `address` belongs to `actor`.
  static func learn(jobAt address: UInt, of actor: UInt) {
    distance.store(address &- actor, ordering: .relaxed)
  }

  /// The address of the actor to which a job belongs.
  static func actor(ofJobAt address: UInt) -> UInt {
    address &- distance.load(ordering: .relaxed)
  }
}
