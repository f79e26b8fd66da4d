import Synchronization

/// One continuation that a cancellation resumes, in whichever order they come.
final class CancelBox: Sendable {
  private struct State {
    var isCancelled = false
    var continuation: CheckedContinuation<Void, Never>?
  }
  private let state = Mutex(State())

  func park(_ continuation: CheckedContinuation<Void, Never>) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return state.isCancelled
    }
    if isCancelled { continuation.resume() }
  }

  func cancel() {
    let continuation = state.withLock { state in
      state.isCancelled = true
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume()
  }
}

/// Waits until the task is cancelled.
func waitForCancellation() async {
  let box = CancelBox()
  await withTaskCancellationHandler {
    await withCheckedContinuation { box.park($0) }
  } onCancel: {
    box.cancel()
  }
}
