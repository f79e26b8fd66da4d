// Work that is shared by all who ask for it. Keeps R17.
//
// The run belongs to the session (or the runtime); each who asks has an operation of his own that
// waits for it, owned by his flow. One who leaves detaches himself; the last one stops the run.
// Only the run that holds a slot frees it.

struct JoinID: Hashable {
  let name: String
  let value: ObjectIdentifier
}

@MainActor
class AnyJoin {}

@MainActor
final class JoinTable {
  /// Key: name and value type. Value: the run in flight, or the kept answer.
  var runs: [JoinID: AnyJoin] = [:]

  /// Lets go of all kept answers. What is released may come back here: the table is empty by then.
  func removeAll() {
    let released = runs
    runs = [:]
    withExtendedLifetime(released) {}
  }
}

@MainActor
final class JoinRun<Value: Sendable>: AnyJoin {
  private let id: JoinID
  private let table: JoinTable
  private var run: Operation<Value>?
  private var keepsSuccess: Bool
  private(set) var kept: Value?
  /// Those who wait, in order of asking: a list through the operations, since a table of them would
  /// look up types at each use.
  private var oldest: Operation<Value>?
  private var newest: Operation<Value>?
  typealias WaiterBody = @concurrent @Sendable () async throws -> Value

  private init(id: JoinID, table: JoinTable, keepsSuccess: Bool) {
    self.id = id
    self.table = table
    self.keepsSuccess = keepsSuccess
  }

  /// The run under this key: the one that is there, or a new one.
  static func find(
    _ key: JoinKey<Value>, _ policy: JoinPolicy, in table: JoinTable
  ) -> JoinRun<Value> {
    let id = JoinID(name: key.name, value: ObjectIdentifier(Value.self))
    if let found = table.runs[id] as? JoinRun<Value> {
      if policy.keepsSuccess { found.keepsSuccess = true }
      return found
    }
    let made = JoinRun(id: id, table: table, keepsSuccess: policy.keepsSuccess)
    table.runs[id] = made
    return made
  }

  /// Lets this operation wait for the answer; starts the work if none runs.
  func join(_ waiter: Operation<Value>, owner: Owner, body: @escaping WaiterBody) {
    waiter.await(self, after: newest, body: body)
    if oldest == nil { oldest = waiter }
    newest = waiter
    guard run == nil else { return }
    let shared = Operation<Value>(name: id.name, owner: owner)
    shared.works(for: self)
    run = shared
    shared.launch()
  }

  /// The body to run: one whose giver still waits, since a flow that has ended begins nothing (R5).
  func bodyOfFirstWaiter() -> WaiterBody? { oldest?.lentBody }

  /// One who waited leaves. What follows from that is done when it has its outcome.
  func unlink(_ waiter: Operation<Value>) {
    let (before, after) = waiter.leaveJoin()
    if oldest === waiter { oldest = after }
    if newest === waiter { newest = before }
  }

  /// One who waited has left.
  func stopIfNobodyWaits() {
    guard oldest == nil, let run else { return }
    self.run = nil
    free()
    run.cancel(.noWaiter)
  }

  /// The run has its result.
  func finished(_ run: Operation<Value>, _ answer: @escaping Operation<Value>.Answer) {
    guard run === self.run else { return }
    self.run = nil
    let heard = takeWaiters()
    do {
      let value = try answer()
      if keepsSuccess { kept = value } else { free() }
      for waiter in heard { waiter.accept(value) }
    } catch {
      free()
      for waiter in heard { waiter.accept(failure: error) }
    }
  }

  /// The run was cancelled from above: its session or runtime ended.
  func cancelled(_ run: Operation<Value>) {
    guard run === self.run else { return }
    self.run = nil
    let heard = takeWaiters()
    free()
    for waiter in heard { waiter.cancel(.sessionEnded) }
  }

  /// Forgets the kept answer; a run in flight goes on for those who wait, and is not kept.
  func invalidate() {
    // What is released may come back here, and ask for it again: at the end.
    let released = kept.take()
    free()
    keepsSuccess = false
    withExtendedLifetime(released) {}
  }

  private func takeWaiters() -> [Operation<Value>] {
    var taken: [Operation<Value>] = []
    while let waiter = oldest {
      oldest = waiter.leaveJoin().after
      taken.append(waiter)
    }
    newest = nil
    return taken
  }

  private func free() {
    if table.runs[id] === self { table.runs[id] = nil }
  }
}
