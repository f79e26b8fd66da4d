// Waiting for work to have really finished. Keeps R6: ending never waits, `drained` does, and at
// its limit it says who is still there.

/// Thrown by `drained` when tasks are left at the limit.
public struct NotDrained: Error, Sendable, CustomStringConvertible {
  /// One task that has not finished.
  public struct Leftover: Sendable, Equatable {
    /// The operation's name.
    public let name: String
    /// Which run.
    public let id: OperationID
    /// The name and id of the flow that owns it, or of the session, window or runtime.
    public let owner: String
    /// How long ago it was cancelled; nil if it was not.
    public let cancelledAgo: Duration?
  }

  /// The tasks, oldest first.
  public let leftovers: [Leftover]
  /// The limit that passed.
  public let limit: Duration

  /// The list in words, a line each.
  public var description: String {
    let lines = leftovers.map { leftover in
      let told = leftover.cancelledAgo.map { "cancelled \($0) ago, deaf" } ?? "not cancelled"
      return "\n  \(leftover.name) \(leftover.id) of \(leftover.owner): \(told)"
    }
    return "not drained within \(limit); still running:\(lines.joined())"
  }
}

/// One call of `drained`, over its rounds.
@MainActor
final class DrainWait {
  private var left = 0
  private var continuation: CheckedContinuation<Void, Never>?
  private(set) var timedOut = false

  func add(_ run: AnyOperation) {
    left += 1
    run.isAwaited = true
    run.core.drains[run.id, default: []].append(self)
  }

  func finished() {
    left -= 1
    if left == 0 { wake() }
  }

  func timeOut() {
    timedOut = true
    wake()
  }

  /// Waits until all that was added has finished, or the limit has passed.
  func finishedOrTimedOut() async {
    guard left > 0, !timedOut else { return }
    await withCheckedContinuation { continuation = $0 }
  }

  private func wake() {
    continuation?.resume()
    continuation = nil
  }
}

extension Owner {
  /// The runs of this node and all below whose tasks have not finished, oldest nodes first.
  final func unfinishedRuns() -> [(run: AnyOperation, owner: Owner)] {
    var found: [(run: AnyOperation, owner: Owner)] = []
    var stack: [Owner] = [self]
    while let node = stack.popLast() {
      for run in node.runs { found.append((run, node)) }
      for youngest in [node.youngestChild, node.youngestRemain] {
        var child = youngest
        while let current = child {
          stack.append(current)
          child = current.older
        }
      }
    }
    return found
  }

  /// The same, as values for people.
  final func leftovers() -> [NotDrained.Leftover] { unfinishedRuns().map(leftover) }

  /// Waits until every task here and below has finished, those that start meanwhile included.
  /// With a session: only the tasks that belong to its epoch.
  final func drained(limit: Duration, in session: Session? = nil) async throws {
    let wait = DrainWait()
    let timer = core.timers.after(limit) { wait.timeOut() }
    defer { timer.cancel() }
    while true {
      let left = unfinishedRuns().filter { session == nil || $0.owner.session?.value == session }
      if left.isEmpty { return }
      if wait.timedOut { throw NotDrained(leftovers: left.map(leftover), limit: limit) }
      for (run, _) in left { wait.add(run) }
      await wait.finishedOrTimedOut()
    }
  }

  private func leftover(_ run: AnyOperation, _ owner: Owner) -> NotDrained.Leftover {
    NotDrained.Leftover(
      name: run.name, id: run.id,
      owner: owner.flowID.map { "\(owner.name) \($0)" } ?? owner.name,
      cancelledAgo: run.cancelledAt.map { core.timers.now - $0 })
  }
}
