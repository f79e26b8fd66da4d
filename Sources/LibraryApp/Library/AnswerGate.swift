// A gate that holds one answer of the library until somebody opens it: the order of answers is then
// decided by the one who opens gates, and by no clock.

/// Holds an answer back.
///
/// A cooperative gate lets go with `CancellationError` when the waiting task is cancelled; a deaf one
/// does not hear that, like a call into a library that knows nothing of tasks.
package final class AnswerGate: Sendable {
  /// Which call is held.
  package let call: LibraryCall
  /// Whether the waiting task's cancellation is ignored.
  package let isDeaf: Bool

  private let state = Locked(State())

  private struct State {
    var hasArrived = false
    var arrivalWatchers: [CheckedContinuation<Void, Never>] = []
    var verdict: Result<Void, any Error>?
    var waiter: CheckedContinuation<Void, any Error>?
  }

  init(call: LibraryCall, isDeaf: Bool) {
    self.call = call
    self.isDeaf = isDeaf
  }

  /// Whether the call has reached the gate.
  package var hasArrived: Bool { state.withLock(\.hasArrived) }

  /// Returns when the call has reached the gate.
  package func arrival() async {
    await withCheckedContinuation { watcher in
      let isHere = state.withLock { state in
        if !state.hasArrived { state.arrivalWatchers.append(watcher) }
        return state.hasArrived
      }
      if isHere { watcher.resume() }
    }
  }

  /// Lets the answer through. The first of `open` and ``fail(_:)`` counts.
  package func open() { settle(.success(())) }

  /// Puts an error in the answer's place.
  package func fail(_ error: any Error) { settle(.failure(error)) }

  /// Waits at the gate. Called once, by the library.
  func pass() async throws {
    let watchers = state.withLock { state in
      state.hasArrived = true
      defer { state.arrivalWatchers = [] }
      return state.arrivalWatchers
    }
    for watcher in watchers { watcher.resume() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let verdict = state.withLock { state in
          if state.verdict == nil { state.waiter = waiter }
          return state.verdict
        }
        if let verdict { waiter.resume(with: verdict) }
      }
    } onCancel: {
      if !isDeaf { settle(.failure(CancellationError())) }
    }
  }

  // The waiter is resumed outside the lock: resuming runs foreign code.
  private func settle(_ verdict: Result<Void, any Error>) {
    let waiter = state.withLock { state in
      guard state.verdict == nil else { return nil as CheckedContinuation<Void, any Error>? }
      state.verdict = verdict
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: verdict)
  }
}
