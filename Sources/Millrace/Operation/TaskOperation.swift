// A main-actor task of a flow: what `FlowScope.task` and `every` run. An error that leaves it ends
// the flow. Not generic, so that starting one looks up no types.

/// A task that runs on the main actor and ends with its flow.
@MainActor
public final class TaskOperation: AnyOperation {
  typealias Body = @MainActor () async throws -> Void
  typealias ErrorHandler = @MainActor (any Error) -> Void

  /// How it came out, or nil while it has not.
  public var outcome: Outcome<Void>? {
    guard isSettled else { return nil }
    if let cause { return .cancelled(cause) }
    return error.map { .failed($0) } ?? .succeeded(())
  }

  private var cause: CancellationCause?
  private var error: (any Error)?
  private var body: Body?
  private var onError: ErrorHandler?
  /// Called when the run is cancelled: wakes the timer of `every`.
  var onCancelled: (@MainActor () -> Void)?

  init(name: String, owner: Owner, onError: ErrorHandler? = nil, body: Body?) {
    self.body = body
    self.onError = onError
    super.init(name: name, owner: owner)
  }

  override func launch() {
    // All in the closure: one more asynchronous function would be one more frame for each task.
    task = Task {
      if let body = self.takeBody() {
        do {
          try await body()
          self.accept(nil)
        } catch {
          self.accept(error)
        }
      }
      self.finish()
    }
  }

  private func takeBody() -> Body? {
    guard let body = body.take() else { return nil }
    isBegun = true
    return body
  }

  private func accept(_ error: (any Error)?) {
    checkIsolation()
    guard !isSettled else {
      // A task that was told to stop and returns is no result of anything.
      if let error { refuseStale(error) }
      return
    }
    guard let error else {
      onError = nil
      return settled(.succeeded)
    }
    let owner = owner
    let onError = onError.take()
    if let error = error as? OperationCancelled {
      // What the body waited for was cancelled, and the body let that end it.
      cause = error.cause
      return settled(.cancelled(error.cause))
    }
    self.error = error
    settled(.failed)
    if let onError {
      call(owner) { onError(error) }
    } else if let owner {
      core.end(owner, .failed(error))
    }
    core.drain()
  }

  override func settleCancelled(_ cause: CancellationCause) {
    body = nil
    onError = nil
    self.cause = cause
    settled(.cancelled(cause))
    if let onCancelled {
      self.onCancelled = nil
      onCancelled()
    }
  }
}
