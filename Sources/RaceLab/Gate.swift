// A gate: the place at which a test holds a task, and lets it go when it wants to.

/// A point at which tasks wait until a test releases them with a value or an error.
///
/// Stubbed services wait at gates, so that the test says when an answer comes:
///
/// ```swift
/// let answer = lab.gate(of: String.self, "answer")
/// let task = Task { try await answer.wait() }
/// await lab.settle()            // the task waits now: answer.waiterCount == 1
/// answer.open(with: "yes")
/// ```
///
/// One release, by ``open(with:)`` or ``fail(_:)``, lets go all that wait at that moment; the gate
/// is closed again after it. If none waits, the release is kept for the next call of ``wait(isolation:)``,
/// one call for each release, in the order of the releases.
///
/// A gate may be used from any isolation and any thread. When its lab's run is over, what still
/// waits, and every later wait, gets ``LabError/ended``.
public final class Gate<Value: Sendable>: Sendable {
  private struct Waiter {
    let number: Int
    let resumption: Resumption<Value>
  }

  private struct State {
    var waiters: [Waiter] = []
    /// Releases that found no waiter.
    var kept: [Result<Value, any Error>] = []
    /// Numbers of waits that were cancelled before their continuation was there.
    var cancelledEarly: Set<Int> = []
    var arrivals = 0
    var ended = false
  }

  /// The name given to it, for messages.
  public let name: String
  /// Whether a wait ends when its task is cancelled.
  public let kind: GateKind
  private let state = Guarded(State())

  init(name: String, kind: GateKind) {
    self.name = name
    self.kind = kind
  }

  /// Number of tasks that wait now.
  public var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Number of calls of ``wait(isolation:)`` so far, whatever became of them.
  public var arrivals: Int { state.withLock { $0.arrivals } }

  /// Waits for a release; returns its value or throws its error. Takes a kept release at once,
  /// without suspending.
  ///
  /// At a cooperative gate it throws `CancellationError` as soon as the task is cancelled, also if
  /// it was cancelled before the call; a deaf gate takes no notice. Stays on the caller's actor.
  public func wait(isolation: isolated (any Actor)? = #isolation) async throws -> Value {
    let number = state.withLock { state in
      state.arrivals += 1
      return state.arrivals
    }
    guard kind == .cooperative else { return try await suspend(number) }
    try Task.checkCancellation()
    return try await withTaskCancellationHandler {
      try await suspend(number)
    } onCancel: {
      cancel(number)
    }
  }

  private func suspend(
    _ number: Int, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Value {
    try await Resumption.suspend { resumption in
      CurrentRun.value?.touch(self)
      return state.withLock { state in
        if state.ended { return .failure(LabError.ended) }
        if state.cancelledEarly.remove(number) != nil { return .failure(CancellationError()) }
        if !state.kept.isEmpty { return state.kept.removeFirst() }
        state.waiters.append(Waiter(number: number, resumption: resumption))
        return nil
      }
    }
  }

  private func cancel(_ number: Int) {
    CurrentRun.value?.touch(self)
    let waiter: Waiter? = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
        state.cancelledEarly.insert(number)
        return nil
      }
      return state.waiters.remove(at: index)
    }
    waiter?.resumption(.failure(CancellationError()))
  }

  /// Releases with a value: all that wait now, or else the next call of ``wait(isolation:)``.
  public func open(with value: Value) { release(.success(value)) }

  /// Releases with an error: all that wait now, or else the next call of ``wait(isolation:)``.
  public func fail(_ error: any Error) { release(.failure(error)) }

  private func release(_ result: Result<Value, any Error>) {
    CurrentRun.value?.touch(self)
    let waiters = state.withLock { state in
      if state.waiters.isEmpty { state.kept.append(result) }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resumption(result) }
  }
}

extension Gate where Value == Void {
  /// Releases: all that wait now, or else the next call of ``wait(isolation:)``.
  public func open() { open(with: ()) }
}

/// How a gate takes cancellation.
public enum GateKind: Sendable {
  /// A cancelled wait throws `CancellationError` at once.
  case cooperative
  /// Cancellation is ignored, as by work that cannot be stopped.
  case deaf
}

extension Gate: Parking {
  var waiting: [String] {
    let count = waiterCount
    guard count > 0 else { return [] }
    return ["gate \"\(name)\"" + (count == 1 ? "" : " (\(count) waiters)")]
  }

  func end() {
    let waiters = state.withLock { state in
      state.ended = true
      state.kept = []
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resumption(.failure(LabError.ended)) }
  }
}
