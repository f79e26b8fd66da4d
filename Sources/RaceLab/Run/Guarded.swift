// A value behind a lock. Not `Synchronization.Mutex`: the thread sanitizer does not see that one on
// Linux, and would report races in every test that is run under it and uses a gate.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Sendable: `state` is touched by `withLock` only, under the lock. Safe: the lock is initialized
// before anyone can reach it, never moved, and destroyed when nobody can reach it any more. Exclusive
// access need not be checked again: who would come back while the state is being changed, waits for
// the lock.
/// A value that is only reached under a lock.
@safe package final class Guarded<State>: @unchecked Sendable {
  @safe @exclusivity(unchecked) private var state: State
  private let lock: UnsafeMutablePointer<pthread_mutex_t>

  /// Keeps this value.
  package init(_ state: sending State) {
    self.state = state
    unsafe lock = .allocate(capacity: 1)
    unsafe lock.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(lock, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe lock.deinitialize(count: 1)
    unsafe lock.deallocate()
  }

  /// Runs `body` under the lock. No foreign code may run in it, and no continuation be resumed.
  package func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return try body(&state)
  }
}
