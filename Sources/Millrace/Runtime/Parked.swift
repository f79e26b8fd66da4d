// One who waits on the main actor. A continuation that counts how often it was resumed costs an
// allocation for each wait; here the type sees to that.

/// Someone who waits until this is let go of.
///
/// Safe: it cannot be copied, nothing else has the continuation, and the one place that resumes it is
/// the end of its life: that comes, and comes once.
@safe struct Parked: ~Copyable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Unsafe as far as the continuation is: it must be resumed by nobody else.
  @unsafe init(_ continuation: UnsafeContinuation<Void, Never>) {
    unsafe self.continuation = continuation
  }

  deinit { unsafe continuation.resume() }
}
