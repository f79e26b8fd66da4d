// One who waits on the main actor. A continuation that knows how often it was resumed costs an
// allocation for each wait; here the type knows it.

/// Someone who waits until this is let go of.
///
/// Safe: it cannot be copied, nothing else has the continuation, and the one place that resumes it is
/// the end of its life: that comes once, and it comes.
@safe struct Parked: ~Copyable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Waits until what the closure was given is let go of. The closure runs before the caller
  /// suspends, in the caller's job.
  @inline(__always)
  static func wait(
    isolation: isolated (any Actor)? = #isolation, _ park: (consuming Parked) -> Void
  ) async {
    unsafe await withUnsafeContinuation { unsafe park(Parked(continuation: $0)) }
  }

  deinit { unsafe continuation.resume() }
}
