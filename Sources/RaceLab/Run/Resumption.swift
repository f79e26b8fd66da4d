// A suspended task, to be resumed once. A checked continuation would do, but costs an allocation
// for each wait, and complains when a run ends with a deaf task that nobody may wake.

/// Resumes one suspended task. Safe as used here: each value is taken out of the only list that
/// holds it before it is resumed, so none is resumed twice.
@safe struct Resumption<Value: Sendable>: Sendable {
  private let continuation: UnsafeContinuation<Value, any Error>

  /// Suspends the task, and hands the means to resume it to `body`; if that returns a result, the
  /// task goes on with it at once.
  static func suspend(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Resumption) -> Result<Value, any Error>?
  ) async throws -> Value {
    unsafe try await withUnsafeThrowingContinuation { continuation in
      let resumption = unsafe Resumption(continuation: continuation)
      if let result = body(resumption) { resumption(result) }
    }
  }

  func callAsFunction(_ result: Result<Value, any Error>) {
    unsafe continuation.resume(with: result)
  }
}
