// A default actor's own job lies inside the actor, at the same distance in every one. The distance
// is measured when a hop is seen whose actor is known; before that a job's own address stands for
// its actor.

import Synchronization

enum ActorJobs {
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
