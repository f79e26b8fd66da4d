// An operation with a value: what `FlowScope.perform` and `FlowScope.value` run. Keeps R14 to R16.

import Synchronization

/// A keyed task with an outcome.
///
/// Each type that is made of `Value` is looked up at run time, and a field of it at every use. So a
/// value is kept in the closure that answers it: the type of a closure is known.
@MainActor
public final class Operation<Value: Sendable>: AnyOperation {
  @usableFromInline typealias Body = @concurrent @Sendable () async throws -> Value
  @usableFromInline typealias Hook = @MainActor (CancellationCause) -> Void
  /// Returns the value, or throws the error.
  @usableFromInline typealias Answer = @Sendable () throws -> Value
  @usableFromInline typealias Handler = @MainActor (Result<Value, any Error>) -> Void
  /// Makes the `Result` and hands it over.
  @usableFromInline typealias Teller = @MainActor (Handler, Answer) -> Void

  private var body: Body?
  /// What hears a result. Given by the flow, or by the runtime.
  private var then: Handler?
  /// How `then` is told, from where the type of a `Result` is known; nil where it is not.
  private let teller: Teller?
  /// True if a task waits for the value, and takes it in a step of its own (R15).
  private let isForReader: Bool
  /// True while the body waits for its reader to wait.
  private var beginsWithReader = false
  /// The task that waits for the value.
  private var reader: Parked?
  /// True while the body has answered and the reader has not taken it yet.
  private var isAnswered = false
  /// What was answered, once there is an answer; and whether it throws.
  private var answer: Answer?
  private var isFailure = false
  private var cause: CancellationCause?
  var lane: Lane?
  /// What few operations have.
  private var ties: Ties?

  private final class Ties {
    /// What hears a cancellation.
    var onCancel: Hook?
    /// How long the run may take, from its beginning.
    var limit: Duration?
    /// The flow that gave the closures which hear the outcome, if it is not the owner.
    var lender: AnyFlowNode?
    /// The joined run that this one waits for, or that it is the work of.
    var awaited: JoinRun<Value>?
    /// Who waits for the same.
    var before: Operation?
    var after: Operation?
    var worksFor: JoinRun<Value>?
    var again: (@MainActor () -> Void)?
    var timer: RuntimeTimer?
  }

  /// Required, so that the type can be handed in by who knows it.
  required init(
    name: borrowing String, owner: borrowing Owner, limit: Duration? = nil,
    isForReader: Bool = false, body: consuming Body? = nil, then: consuming Handler? = nil,
    teller: Teller? = nil, onCancel: Hook? = nil
  ) {
    self.body = consume body
    self.then = consume then
    self.teller = teller
    self.isForReader = isForReader
    if limit != nil || onCancel != nil {
      let ties = Ties()
      ties.limit = limit
      ties.onCancel = onCancel
      self.ties = ties
    }
    super.init(name: name, owner: owner)
  }

  private func tie() -> Ties {
    if let ties { return ties }
    let made = Ties()
    ties = made
    return made
  }

  /// How it came out, or nil while it has not.
  public var outcome: Outcome<Value>? {
    guard isSettled else { return nil }
    if let cause { return .cancelled(cause) }
    guard let answer else { return nil }
    do { return .succeeded(try answer()) } catch { return .failed(error) }
  }

  /// An operation that was refused: it has ended, and nobody owns it.
  static func refused(name: String, owner: Owner) -> Operation {
    let run = Operation(name: name, owner: owner)
    run.cancel(.refused)
    return run
  }

  // MARK: - Running

  /// Takes its place under its key, unless it is turned away or its flow ends meanwhile.
  func enter(_ lane: consuming Lane, _ policy: OperationPolicy) {
    lane.add(self, policy)
    if !isSettled { self.lane = consume lane }
    if !core.due.isEmpty { core.drain() }
  }

  override func launch() {
    if let limit = ties?.limit { startLimit(limit) }
    guard body != nil || ties?.worksFor != nil else { return }
    if isForReader, reader == nil {
      beginsWithReader = true
    } else {
      begin()
    }
  }

  private func begin() {
    // All in the closure: one more asynchronous function would be one more frame for each task.
    task = Task {
      if let body = self.takeBody() {
        do { self.accept(try await body()) } catch { self.accept(failure: error) }
      }
      self.finish()
    }
  }

  /// Begins off the main actor: the caller's job is over, since its reader waits (R14).
  private func beginNow() {
    guard let body = takeBody() else { return }
    task = Task { @concurrent in
      // Cancelled before it could begin: not one line runs.
      if self.settledFlag.load(ordering: .relaxed) { return await self.finish() }
      let answer: Answer
      let failure: (any Error)?
      do {
        let value = try await body()
        answer = { value }
        failure = nil
      } catch {
        answer = { throw error }
        failure = error
      }
      await self.finish(consume answer, consume failure)
    }
  }

  private func takeBody() -> Body? {
    guard !isSettled, let body = body ?? ties?.worksFor?.bodyOfFirstWaiter() else { return nil }
    isBegun = true
    self.body = nil
    return body
  }

  // MARK: - Accepting

  /// Takes a value, if the run is still the current one.
  func accept(_ value: Value) { accept({ value }, nil) }

  /// The same for an error.
  func accept(failure error: any Error) { accept({ throw error }, error) }

  /// From the check to the effect there is no suspension.
  @inline(__always)
  private func accept(_ answer: consuming @escaping Answer, _ failure: (any Error)?) {
    checkIsolation()
    guard !isSettled, !isAnswered else { return refuseStale(failure) }
    self.answer = consume answer
    isFailure = failure != nil
    answered()
  }

  /// Owns what it is given: a task that had to let go of it would go back to the pool for that.
  private func finish(_ answer: consuming @escaping Answer, _ failure: consuming (any Error)?) {
    accept(answer, failure)
    finish()
  }

  private func answered() {
    if isForReader {
      isAnswered = true
      if let ties {
        ties.timer?.cancel()
        ties.timer = nil
      }
      reader = nil
    } else {
      settle()
      if !core.due.isEmpty { core.drain() }
    }
  }

  /// Fixes the answer as the outcome, and tells it.
  private func settle() {
    if core.turnDepth > 0 || ties != nil { return settleLater() }
    leave(isFailure ? .failed : .succeeded)
    core.turnDepth = 1
    tell(then)
    core.turnDepth = 0
    dropListener()
    if task == nil { finish() }
  }

  /// Inside a turn, or for more than one who hears of it.
  @inline(never)
  private func settleLater() {
    let hearer = ties?.lender ?? owner
    let then = then
    let worksFor = ties?.worksFor
    leave(isFailure ? .failed : .succeeded)
    dropListener()
    if core.turnDepth > 0 {
      if then != nil { core.deliver { if hearer?.isRunning ?? false { self.tell(then) } } }
    } else {
      core.turnDepth = 1
      tell(then)
      core.turnDepth = 0
    }
    if let worksFor, let answer { worksFor.finished(self, answer) }
    if task == nil { finish() }
  }

  @inline(__always)
  private func tell(_ then: Handler?) {
    guard let then, let answer else { return }
    if let teller { teller(then, answer) } else { tellUnknown(then, answer) }
  }

  /// Kept apart: the type of the `Result` is looked up.
  @inline(never)
  private func tellUnknown(_ then: Handler, _ answer: Answer) { then(Result(catching: answer)) }

  /// What every way to an outcome does, before anybody hears of it.
  private func leave(_ kind: OutcomeKind) {
    body = nil
    if let ties {
      self.ties = nil
      ties.timer?.cancel()
      ties.lender?.belongings?.loans[id.rawValue] = nil
    }
    settled(kind)
    if let lane {
      self.lane = nil
      lane.settled(self)
    }
  }

  override func settleCancelled(_ cause: CancellationCause) {
    if ties != nil || isAnswered { return settleCancelledHeard(cause) }
    self.cause = cause
    leave(.cancelled(cause))
    dropListener()
    reader = nil
  }

  /// After an answer, or for more than one who hears of it.
  @inline(never)
  private func settleCancelledHeard(_ cause: CancellationCause) {
    let ties = ties
    let hearer = ties?.lender ?? owner
    let onCancel = ties?.onCancel
    if isAnswered {
      answer = nil
      core.refuse(.staleResult, hearer, operation: self)
    }
    self.cause = cause
    let awaited = ties?.awaited
    awaited?.unlink(self)
    leave(.cancelled(cause))
    dropListener()
    awaited?.stopIfNobodyWaits()
    ties?.worksFor?.cancelled(self)
    if let onCancel, let hearer, hearer.isRunning {
      core.deliver { if hearer.isRunning { onCancel(cause) } }
    }
    reader = nil
  }

  /// Once there is an answer its reader has been woken, and finds out why it was cancelled.
  override func readerCancelled() { if !isAnswered { super.readerCancelled() } }

  override func dropListener() {
    then = nil
    ties?.onCancel = nil
  }

  override func forgetLane() { lane = nil }

  override var restart: (@MainActor () -> Void)? { ties?.again }

  /// Says how to start again what is cancelled because its flow is covered.
  func restarts(with again: @escaping @MainActor () -> Void) { tie().again = again }

  /// The listener belongs to a flow that is not the owner, and goes when that flow ends.
  func borrow(from lender: AnyFlowNode) {
    guard then != nil || ties?.onCancel != nil else { return }
    tie().lender = lender
    lender.own().loans[id.rawValue] = self
  }

  /// Waits for work that others wait for too, behind the one who asked last. The body is the work, if
  /// it is this one's turn to give it.
  func await(_ run: JoinRun<Value>, after last: Operation?, body: @escaping Body) {
    let ties = tie()
    ties.awaited = run
    ties.before = last
    last?.ties?.after = self
    self.body = body
  }

  /// The work of a joined run.
  var lentBody: Body? { body }

  /// The joined run no longer counts this one. Returns who waits before and after it.
  func leaveJoin() -> (before: Operation?, after: Operation?) {
    guard let ties, ties.awaited != nil else { return (nil, nil) }
    let (before, after) = (ties.before, ties.after)
    ties.awaited = nil
    ties.before = nil
    ties.after = nil
    body = nil
    before?.ties?.after = after
    after?.ties?.before = before
    return (before, after)
  }

  /// Gives the answer when this time has passed.
  func answer(after time: Duration, _ answer: @escaping @MainActor () -> Void) {
    tie().timer = core.timers.after(time, answer)
  }

  /// Fails the run when its time has passed; the task is told, and not waited for.
  private func startLimit(_ limit: Duration) {
    answer(after: limit) {
      guard !self.isSettled else { return }
      self.cancelledAt = self.core.timers.now
      let run = self.ties?.awaited
      run?.unlink(self)
      self.accept(failure: OperationTimedOut(limit: limit))
      run?.stopIfNobodyWaits()
      self.task?.cancel()
    }
  }

  /// This is the work of a joined run.
  func works(for run: JoinRun<Value>) { tie().worksFor = run }

  // MARK: - Waiting for the value

  /// Waits for the answer and takes it in the caller's own step.
  func take() async throws -> Value {
    let flow = owner
    if isWaitedFor {
      await withTaskCancellationHandler {
        unsafe await withUnsafeContinuation { unsafe park($0) }
      } onCancel: {
        cancelReader()
      }
    }
    return try takeAnswer(for: flow)
  }

  /// True while there is an answer to wait for.
  @usableFromInline var isWaitedFor: Bool {
    if !isAnswered, !isSettled { return true }
    if Task.isCancelled { readerFlag.store(true, ordering: .relaxed) }
    return false
  }

  /// The reader waits until the continuation is resumed, which may be now.
  @usableFromInline
  @unsafe func park(_ continuation: UnsafeContinuation<Void, Never>) {
    let parked = unsafe Parked(continuation)
    // Looked at again: the task may have been cancelled before the handler was there.
    if isAnswered || isSettled || readerFlag.load(ordering: .relaxed) { return }
    reader = consume parked
    if beginsWithReader { beginNow() }
  }

  /// The task that waits for the value was cancelled; from any thread.
  @usableFromInline
  nonisolated func cancelReader() {
    guard !settledFlag.load(ordering: .relaxed) else { return }
    readerFlag.store(true, ordering: .relaxed)
    core.ingress.post(.operationCancelled(self), to: core)
  }

  /// Takes the answer after the check that the run is current and that the flow it belongs to has not
  /// ended.
  @usableFromInline
  func takeAnswer(for flow: Owner?) throws -> Value {
    if !isSettled {
      if let flow, !flow.isRunning {
        cancel(flow.cause?.operationCause ?? .flowEnded)
      } else if isAnswered, !readerFlag.load(ordering: .relaxed) {
        isAnswered = false
        settle()
      } else {
        cancel(.requested)
      }
      if !core.due.isEmpty { core.drain() }
    }
    guard cause == nil, let answer else { throw OperationCancelled(cause ?? .requested) }
    return try answer()
  }
}
