// An operation with a value: what `FlowScope.perform` and `FlowScope.value` run. Keeps R14 to R16.

import Synchronization

/// A keyed task with an outcome.
@MainActor
public final class Operation<Value: Sendable>: AnyOperation {
  typealias Body = @concurrent @Sendable () async throws -> Value
  typealias Hook = @MainActor (CancellationCause) -> Void

  /// How it came out, or nil while it has not.
  public private(set) var outcome: Outcome<Value>?

  private var body: Body?
  /// What hears a result, and what hears a cancellation. Given by the flow, or by the runtime.
  private var then: (@MainActor (Result<Value, any Error>) -> Void)?
  private var onCancel: Hook?
  /// True if a task waits for the value, and takes it in a step of its own (R15).
  private let isForReader: Bool
  /// What the body answered and the reader has not taken yet.
  private var answer: Result<Value, any Error>?
  /// How long the run may take, from its beginning.
  private let limit: Duration?
  var lane: Lane?
  /// The flow that gave the closures which hear the outcome, if it is not the owner.
  var lender: AnyFlowNode?
  /// The joined run that this one waits for.
  var joinedRun: JoinRun<Value>?
  /// The joined run that this one is the work of.
  private let worksFor: JoinRun<Value>?
  private var again: (@MainActor () -> Void)?

  init(
    name: String, owner: Owner, limit: Duration? = nil, isForReader: Bool = false,
    worksFor: JoinRun<Value>? = nil, body: Body? = nil,
    then: (@MainActor (Result<Value, any Error>) -> Void)? = nil, onCancel: Hook? = nil
  ) {
    self.body = body
    self.then = then
    self.onCancel = onCancel
    self.isForReader = isForReader
    self.limit = limit
    self.worksFor = worksFor
    super.init(name: name, owner: owner)
  }

  /// An operation that was refused: it has ended, and nobody owns it.
  static func refused(name: String, owner: Owner) -> Operation {
    let run = Operation(name: name, owner: owner)
    run.cancel(.refused)
    return run
  }

  // MARK: - Running

  override func launch() {
    if let limit { startLimit(limit) }
    guard body != nil || worksFor != nil else { return }
    task = Task {
      if let body = self.takeBody() {
        do { self.accept(.success(try await body())) } catch { self.accept(.failure(error)) }
      }
      self.finish()
    }
  }

  private func takeBody() -> Body? {
    guard !isSettled, let body = body ?? worksFor?.bodyOfFirstWaiter() else { return nil }
    isBegun = true
    self.body = nil
    return body
  }

  // MARK: - Accepting

  /// Takes a result, if the run is still the current one. From the check to the effect there is
  /// no suspension.
  func accept(_ result: Result<Value, any Error>) {
    checkIsolation()
    guard !isSettled, answer == nil else {
      if case .failure(let error) = result { refuseStale(error) } else { refuseStale(nil) }
      return
    }
    if isForReader {
      timer?.cancel()
      timer = nil
      answer = result
      wakeReader()
    } else {
      settle(result)
      core.drain()
    }
  }

  private func settle(_ result: Result<Value, any Error>) {
    let hearer = lender ?? owner
    let then = then
    switch result {
    case .success(let value):
      outcome = .succeeded(value)
      settle(.succeeded)
    case .failure(let error):
      outcome = .failed(error)
      settle(.failed)
    }
    if let then { call(hearer) { then(result) } }
    worksFor?.finished(self, result)
    if task == nil { finish() }
  }

  private func settle(_ kind: OutcomeKind) {
    body = nil
    then = nil
    onCancel = nil
    again = nil
    if let lender {
      lender.belongings?.loans[id.rawValue] = nil
      self.lender = nil
    }
    settled(kind)
    if let lane {
      self.lane = nil
      lane.settled(self)
    }
  }

  override func settleCancelled(_ cause: CancellationCause) {
    let hearer = lender ?? owner
    let onCancel = onCancel
    if answer != nil {
      answer = nil
      core.refuse(.staleResult, hearer, operation: self)
    }
    outcome = .cancelled(cause)
    settle(.cancelled(cause))
    if let run = joinedRun {
      joinedRun = nil
      run.detach(self)
    }
    worksFor?.cancelled(self)
    if let onCancel, let hearer, hearer.isRunning {
      core.deliver { if hearer.isRunning { onCancel(cause) } }
    }
    wakeReader()
  }

  override func dropListener() {
    then = nil
    onCancel = nil
  }

  override func forgetLane() { lane = nil }

  override var restart: (@MainActor () -> Void)? { again }

  /// Says how to start again what is cancelled because its flow is covered.
  func restarts(with again: @escaping @MainActor () -> Void) { self.again = again }

  /// The listener belongs to a flow that is not the owner, and goes when that flow ends.
  func borrow(from lender: AnyFlowNode) {
    guard then != nil || onCancel != nil else { return }
    self.lender = lender
    lender.own().loans[id.rawValue] = self
  }

  /// Fails the run when its time has passed; the task is told, and not waited for.
  private func startLimit(_ limit: Duration) {
    timer = core.timers.after(limit) {
      guard !self.isSettled else { return }
      self.cancelledAt = self.core.timers.now
      let run = self.joinedRun
      self.joinedRun = nil
      self.accept(.failure(OperationTimedOut(limit: limit)))
      run?.detach(self)
      self.task?.cancel()
    }
  }

  // MARK: - Waiting for the value

  /// Waits for the answer and takes it in the caller's own step, after the check that the run is
  /// current and that the flow it belongs to has not ended.
  func take() async throws -> Value {
    let flow = owner
    if answer == nil, !isSettled { await park() }
    if !isSettled {
      if let flow, !flow.isRunning {
        cancel(flow.cause?.operationCause ?? .flowEnded)
      } else if let result = answer, !Task.isCancelled {
        answer = nil
        settle(result)
      } else {
        cancel(.requested)
      }
      core.drain()
    }
    switch outcome {
    case .succeeded(let value): return value
    case .failed(let error): throw error
    case .cancelled(let cause): throw OperationCancelled(cause)
    case nil: throw OperationCancelled(.requested)
    }
  }

  private func park() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Looked at again: the task may have been cancelled before the handler was there.
        if answer != nil || isSettled || Task.isCancelled {
          continuation.resume()
        } else {
          reader = continuation
        }
      }
    } onCancel: {
      if !self.settledFlag.load(ordering: .relaxed) {
        self.core.ingress.post(.operationCancelled(self), to: self.core)
      }
    }
  }
}
