// One run of a keyed task with an outcome. Keeps R14 to R16.
//
//             ┌──────────── cancel ────────────┐
//   waiting ──┴▶ begun ── result ──▶ answered ─┴▶ settled ─ ─ ▶ quiet
//
// waiting   registered with its owner; the task, if there is one, has not run a line
// begun     the body runs
// answered  the body is done, and the task that waits for the value has not taken it yet
// settled   the outcome is fixed and never changes; the body may still run, unheard
// quiet     the task has really finished, and the owner no longer lists the run
//
// A result is accepted in the same synchronous step that checks `isSettled`: staleness rests on
// the identity of the run, never on `Task.isCancelled`.

import Synchronization

/// What all operations share. `Operation` adds the value.
@MainActor
public class AnyOperation {
  /// Which run this is.
  public final let id: OperationID
  /// The key, or the name that was given.
  public final let name: String

  final let core: RuntimeCore
  final var owner: Owner?
  final var previous: AnyOperation?
  final var next: AnyOperation?
  final var task: Task<Void, Never>?
  final var lane: Lane?
  /// The flow that gave the closures which hear the outcome, if it is not the owner.
  final var lender: AnyFlowNode?
  /// Starts the operation again when its flow is shown again (lifetime `.appearance`).
  final var restart: (@MainActor () -> Void)?
  final var timer: RuntimeTimer?
  final var reader: CheckedContinuation<Void, Never>?
  final var drains: [DrainWait] = []
  final var cancelledAt: Duration?
  /// True for the runtime's own work, which goes on when its owner ends.
  final var survivesEnd = false
  final var isBegun = false
  final var isQuiet = false
  /// Readable from any thread, so that a cancellation that comes too late costs nothing.
  nonisolated let settledFlag = Atomic<Bool>(false)

  init(name: String, owner: Owner) {
    core = owner.core
    id = OperationID(rawValue: core.nextNumber())
    self.name = name
    self.owner = owner
    owner.runs.append(self)
    core.unfinishedOperations += 1
    core.trace { .operationStarted(id, name: name, owner: owner.flowID) }
  }

  /// True until the operation has its outcome.
  public final var isCurrent: Bool { !isSettled }

  final var isSettled: Bool { settledFlag.load(ordering: .relaxed) }

  /// Cancels the run. Returns whether that was in time: a settled run stays as it is.
  @discardableResult
  public final func cancel() -> Acceptance {
    guard !isSettled else { return core.refuse(.endAfterEnd, owner, operation: self) }
    cancel(.requested)
    core.drain()
    return .accepted
  }

  // What depends on the value.
  func settleCancelled(_ cause: CancellationCause) {}
  func launch() {}
  /// Releases the closures that hear the outcome.
  func dropListener() {}

  /// Fixes the outcome as cancelled, then cancels the task. Too late: changes nothing.
  final func cancel(_ cause: CancellationCause) {
    guard !isSettled else { return }
    cancelledAt = core.timers.now
    settleCancelled(cause)
    if let task { task.cancel() } else { finish() }
  }

  /// What every way to an outcome does, before anybody hears of it.
  final func leaveLane(_ kind: OutcomeKind) {
    settledFlag.store(true, ordering: .relaxed)
    timer?.cancel()
    timer = nil
    restart = nil
    if let lender {
      lender.loans.removeAll { $0 === self }
      self.lender = nil
    }
    core.trace { .operationEnded(id, name: name, kind) }
    if let lane {
      self.lane = nil
      lane.settled(self)
    }
  }

  /// The task has really finished, or there never was one.
  final func finish() {
    guard !isQuiet, let owner else { return }
    isQuiet = true
    task = nil
    owner.runs.remove(self)
    self.owner = nil
    core.unfinishedOperations -= 1
    core.trace { .operationQuiet(id, name: name) }
    owner.leaveIfQuiet()
    let waiting = drains
    drains = []
    for drain in waiting { drain.finished() }
  }

  final func wakeReader() {
    guard let reader else { return }
    self.reader = nil
    reader.resume()
  }
}

/// A keyed task with an outcome: what `FlowScope.perform` and `FlowScope.task` return.
///
/// Releasing it changes nothing.
@MainActor
public final class Operation<Value: Sendable>: AnyOperation {
  enum Body {
    case main(@MainActor () async throws -> Value)
    case concurrent(@concurrent @Sendable () async throws -> Value)
    /// The body of the first one who still waits, see `JoinRun`.
    case joined(JoinRun<Value>)
    /// Somebody else answers: a timer, a reply, a joined run.
    case external
  }

  /// Who hears the outcome.
  enum Listener {
    case none
    /// The flow's closures.
    case closures(then: (@MainActor (Result<Value, any Error>) -> Void)?, cancelled: CancelHook?)
    /// A task that waits for the value, and takes it in a step of its own (R15).
    case reader
    /// The flow itself: an error ends it, unless the closure takes it.
    case flow(onError: (@MainActor (any Error) -> Void)?)
    /// The run that others have joined.
    case joined(JoinRun<Value>)
  }
  typealias CancelHook = @MainActor (CancellationCause) -> Void

  /// How it came out, or nil while it has not.
  public private(set) var outcome: Outcome<Value>?

  private var body: Body
  private var listener: Listener
  /// What the body answered and the reader has not taken yet.
  private var answer: Result<Value, any Error>?
  /// The joined run that this one waits for.
  var joinedRun: JoinRun<Value>?
  /// How long the run may take, from its beginning.
  private let limit: Duration?

  init(name: String, owner: Owner, body: Body, listener: Listener, limit: Duration? = nil) {
    self.body = body
    self.listener = listener
    self.limit = limit
    super.init(name: name, owner: owner)
  }

  /// An operation that was refused: it has ended, and nobody owns it.
  static func refused(name: String, owner: Owner) -> Operation {
    let run = Operation(name: name, owner: owner, body: .external, listener: .none)
    run.cancel(.refused)
    return run
  }

  // MARK: - Running

  override func launch() {
    if let limit { startLimit(limit) }
    switch body {
    case .main: task = Task { await self.runOnMain() }
    case .concurrent, .joined: task = Task { await self.runConcurrently() }
    case .external: break
    }
  }

  private func runOnMain() async {
    if !isSettled, case .main(let body) = body {
      begin()
      do { accept(.success(try await body())) } catch { accept(.failure(error)) }
    }
    finish()
  }

  private func runConcurrently() async {
    if !isSettled, let body = concurrentBody() {
      begin()
      do { accept(.success(try await body())) } catch { accept(.failure(error)) }
    }
    finish()
  }

  private func concurrentBody() -> (@concurrent @Sendable () async throws -> Value)? {
    switch body {
    case .concurrent(let body): body
    case .joined(let run): run.bodyOfFirstWaiter()
    case .main, .external: nil
    }
  }

  private func begin() {
    isBegun = true
    body = .external
  }

  // MARK: - Accepting

  /// Takes a result, if the run is still the current one. From the check to the effect there is
  /// no suspension.
  func accept(_ result: Result<Value, any Error>) {
    MainActor.assertIsolated("an awaited closure has come back on another executor")
    guard !isSettled, answer == nil else { return refuseStale(result) }
    switch listener {
    case .reader:
      timer?.cancel()
      timer = nil
      answer = result
      wakeReader()
    case .none, .closures, .flow, .joined:
      settle(result)
      core.drain()
    }
  }

  private func refuseStale(_ result: Result<Value, any Error>) {
    // A body that was told to stop, and says so, is not a result.
    if case .failure(let error) = result, error is CancellationError || error is OperationCancelled
    {
      return
    }
    core.refuse(.staleResult, owner, operation: self)
  }

  private func settle(_ result: Result<Value, any Error>) {
    let heard = listener
    let hearer = lender ?? owner
    listener = .none
    body = .external
    switch result {
    case .success(let value):
      outcome = .succeeded(value)
      leaveLane(.succeeded)
    case .failure(let error as OperationCancelled) where isTaskOfFlow(heard):
      // What the body waited for was cancelled, and the body let that end it.
      outcome = .cancelled(error.cause)
      leaveLane(.cancelled(error.cause))
    case .failure(let error):
      outcome = .failed(error)
      leaveLane(.failed)
    }
    tell(heard, hearer, result)
    if task == nil { finish() }
  }

  private func isTaskOfFlow(_ listener: Listener) -> Bool {
    if case .flow = listener { true } else { false }
  }

  private func tell(_ heard: Listener, _ hearer: Owner?, _ result: Result<Value, any Error>) {
    switch heard {
    case .closures(let then?, _): call(hearer) { then(result) }
    case .joined(let run): run.finished(self, result)
    case .flow(let onError):
      guard case .failed(let error) = outcome, let hearer else { return }
      if let onError { call(hearer) { onError(error) } } else { core.end(hearer, .failed(error)) }
    case .none, .reader, .closures(nil, _): break
    }
  }

  /// Calls user code as a turn; inside another one it comes after that, and while it is due.
  private func call(_ hearer: Owner?, _ body: @escaping @MainActor () -> Void) {
    if core.turns.depth == 0 {
      core.turn(body)
    } else {
      core.turns.due.append(.call { if hearer?.isRunning ?? false { body() } })
    }
  }

  override func settleCancelled(_ cause: CancellationCause) {
    let heard = listener
    listener = .none
    body = .external
    let owner = lender ?? owner
    if answer != nil {
      answer = nil
      core.refuse(.staleResult, owner, operation: self)
    }
    outcome = .cancelled(cause)
    leaveLane(.cancelled(cause))
    if let run = joinedRun {
      joinedRun = nil
      run.detach(self)
    }
    if case .joined(let run) = heard { run.cancelled(self) }
    if case .closures(_, let hook?) = heard, let owner, owner.isRunning {
      core.turns.due.append(.call { if owner.isRunning { hook(cause) } })
    }
    wakeReader()
  }

  override func dropListener() {
    if case .closures = listener { listener = .none }
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
    if answer == nil, !isSettled {
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
}

/// The runs of an owner, oldest first: an intrusive list, so that leaving it is O(1).
struct RunChain {
  private(set) var first: AnyOperation?
  private(set) var last: AnyOperation?
  var isEmpty: Bool { first == nil }

  @MainActor
  mutating func append(_ run: AnyOperation) {
    run.previous = last
    if let last { last.next = run } else { first = run }
    last = run
  }

  @MainActor
  mutating func remove(_ run: AnyOperation) {
    if let previous = run.previous { previous.next = run.next } else { first = run.next }
    if let next = run.next { next.previous = run.previous } else { last = run.previous }
    run.previous = nil
    run.next = nil
  }
}
