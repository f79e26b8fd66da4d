// What all operations share: identity, ownership, and the way from waiting to quiet.
// Keeps R14 to R16.
//
//             ┌──────────── cancel ────────────┐
//   waiting ──┴▶ begun ── result ──▶ answered ─┴▶ settled ─ ─ ▶ quiet
//
// waiting   registered with its owner; the task, if there is one, has not run a line
// begun     the body runs
// answered  the body is done, and the task that waits for the value has not taken it yet
// settled   the outcome is fixed and never changes; the body may still run, unheard
// quiet     the task has really finished, and the owner no longer lists the run; of an answered run
//           that may be so before the value is taken
//
// A result is accepted in the same synchronous step that checks `isSettled`: staleness rests on
// the identity of the run, never on `Task.isCancelled`.

import Synchronization

/// One run of a task that a flow, a session or the runtime owns.
///
/// Releasing it changes nothing.
@MainActor
public class AnyOperation {
  /// Which run this is.
  public final let id: OperationID
  /// The key, or the name that was given.
  public final let name: String

  final let core: RuntimeCore
  /// Nil once the run is quiet.
  final var owner: Owner?
  final var previous: AnyOperation?
  final var next: AnyOperation?
  final var task: Task<Void, Never>?
  final var cancelledAt: Duration?
  /// True for the runtime's own work, which goes on when its owner ends.
  final var survivesEnd = false
  final var isBegun = false
  /// True while calls of `drained` wait for this run, see `RuntimeCore.drains`.
  final var isAwaited = false
  /// Readable from any thread, so that a cancellation that comes too late costs nothing.
  nonisolated let settledFlag = Atomic<Bool>(false)
  /// True once the task that waits for the value was cancelled: asked here, a task is not counted.
  nonisolated let readerFlag = Atomic<Bool>(false)

  init(name: borrowing String, owner: borrowing Owner) {
    core = owner.core
    id = OperationID(rawValue: owner.core.nextNumber())
    self.name = copy name
    self.owner = copy owner
    owner.append(self)
    core.unfinishedOperations += 1
    core.trace { .operationStarted(id, name: self.name, owner: self.owner?.flowID) }
  }

  /// True until the operation has its outcome.
  public final var isCurrent: Bool { !isSettled }

  final var isSettled: Bool { settledFlag.load(ordering: .relaxed) }

  /// Cancels the run. Refused once it has its outcome: a settled run stays as it is.
  @discardableResult
  public final func cancel() -> Acceptance {
    guard !isSettled else { return core.refuse(.endAfterEnd, owner, operation: self) }
    cancel(.requested)
    core.drain()
    return .accepted
  }

  // What depends on the kind.
  func launch() {}
  func settleCancelled(_ cause: CancellationCause) {}
  /// The task that waits for the value was cancelled.
  func readerCancelled() { cancel(.requested) }
  /// Releases the closures that hear the outcome.
  func dropListener() {}
  /// Leaves the lane without telling it: the owner has ended.
  func forgetLane() {}
  /// Starts the operation again when its flow is shown again (lifetime `.appearance`).
  var restart: (@MainActor () -> Void)? { nil }

  /// Fixes the outcome as cancelled, then cancels the task. Too late: changes nothing.
  final func cancel(_ cause: CancellationCause, at time: Duration? = nil) {
    guard !isSettled else { return }
    settleCancelled(cause)
    if let task {
      cancelledAt = time ?? core.timers.now
      // Runs cancellation handlers: what they ask for is told when the caller drains.
      core.turnDepth += 1
      task.cancel()
      core.turnDepth -= 1
    } else {
      finish()
    }
  }

  /// What every way to an outcome does, before anybody hears of it.
  final func settled(_ kind: OutcomeKind) {
    settledFlag.store(true, ordering: .relaxed)
    core.trace { .operationEnded(id, name: name, kind) }
  }

  /// The task has really finished, or there never was one.
  final func finish() {
    guard let owner = owner.take() else { return }
    task = nil
    owner.remove(self)
    core.unfinishedOperations -= 1
    core.trace { .operationQuiet(id, name: name) }
    if owner.lastRun == nil, owner.phase == .told { owner.leaveIfQuiet() }
    if isAwaited { tellDrains() }
  }

  /// Kept apart, as it is seldom called: what it needs would be made ready at each end.
  @inline(never)
  private final func tellDrains() {
    core.drains.removeValue(forKey: id)?.forEach { $0.finished() }
  }

  /// After each await of a closure that was given from outside: still on the main actor.
  @inline(__always)
  final func checkIsolation() {
    #if DEBUG
      MainActor.preconditionIsolated("an awaited closure has come back on another executor")
    #endif
  }

  /// A result of a run that has its outcome already.
  final func refuseStale(_ error: (any Error)?) {
    // A body that was told to stop, and says so, is not a result.
    if let error, error is CancellationError || error is OperationCancelled { return }
    core.refuse(.staleResult, owner, operation: self)
  }

  /// Calls user code as a turn; inside another one it comes after that, and while it is due.
  final func call(_ hearer: Owner?, _ body: @escaping @MainActor () -> Void) {
    if core.turnDepth == 0 {
      core.turn(body)
    } else {
      core.deliver { if hearer?.isRunning ?? false { body() } }
    }
  }
}
