// Reads the trace for what must never happen, whatever the scenario: two ends of one flow, an owner
// that is told before its child, a result of a flow that has ended, a number that is used again.

import Millrace
import MillraceTesting
import RaceLab

@MainActor
final class TraceOracle: TraceSink {
  private(set) var events: [TraceEvent] = []
  private let lab: Lab
  private var numbers: Set<UInt64> = []
  private var owners: [FlowID: FlowID] = [:]
  private var started: [FlowID] = []
  private var ended: Set<FlowID> = []
  private var told: Set<FlowID> = []
  private var operations: [OperationID: FlowID?] = [:]
  private var settled: Set<OperationID> = []
  private var quiet: Set<OperationID> = []
  private var open = 0

  init(_ lab: Lab) { self.lab = lab }

  func record(_ event: TraceEvent) {
    events.append(event)
    switch event {
    case .flowStarted(let id, _, let owner, _):
      check(numbers.insert(id.rawValue).inserted, "a number is used again (R1)")
      owners[id] = owner
      started.append(id)
    case .operationStarted(let id, _, let owner):
      check(numbers.insert(id.rawValue).inserted, "a number is used again (R1)")
      operations[id] = owner
    case .session(.signedIn(let session)):
      check(numbers.insert(session.epoch.rawValue).inserted, "an epoch is used again (R18)")
    case .flowEnded(let id, _, _):
      check(ended.insert(id).inserted, "a flow has ended twice (R2)")
      let above = owners.filter { $0.value == id && !ended.contains($0.key) }
      check(above.isEmpty, "a flow has ended before its child (R3)")
    case .flowTold(let id, _):
      check(ended.contains(id), "an end is told before it is there (R3)")
      check(told.insert(id).inserted, "an end is told twice (R4)")
      let above = owners.filter { $0.value == id && !told.contains($0.key) }
      check(above.isEmpty, "an end is told before that of a child (R3)")
    case .output(let id, _), .overflow(let id, _, _):
      check(!ended.contains(id), "a flow that has ended tells something (R5)")
    case .operationEnded(let id, _, let kind): settle(id, kind)
    case .operationQuiet(let id, _):
      check(quiet.insert(id).inserted, "a task has finished twice (R6)")
    case .endBegan: open += 1
    case .endApplied: open -= 1
    case .command(.show(let id, _, _)), .command(.replace(_, let id, _, _, _)):
      check(!ended.contains(id), "a flow is shown that has ended (R26)")
    case .outputsDropped(_, _, let count): check(count > 0, "nothing is told as dropped (R11)")
    default: break
    }
  }

  private func settle(_ id: OperationID, _ kind: OutcomeKind) {
    check(settled.insert(id).inserted, "an operation has two outcomes (R15)")
    if case .cancelled = kind { return }
    if let owner = operations[id] ?? nil {
      check(!ended.contains(owner), "a result of a flow that has ended is accepted (R15)")
    }
  }

  private func check(_ condition: Bool, _ message: String) {
    if !condition { lab.fail(message) }
  }

  /// How a flow ended: one element, or none while it runs.
  func endings(of id: FlowID) -> [EndingKind] { events.endings(of: id) }

  /// The flows that have ended, first to last.
  var endedInOrder: [FlowID] { events.endedInOrder }

  /// How the operations of this name came out, in order.
  func outcomes(of name: String) -> [OutcomeKind] { events.outcomes(of: name) }

  /// How often a result of operations of this name was refused as stale.
  func stale(_ name: String) -> Int { events.stale(name) }

  /// What holds when nothing is left to run.
  func atRest(_ runtime: FlowRuntime) throws {
    try lab.require(open == 0, "an end was begun and not applied (R3)")
    try lab.require(ended.isSubset(of: told), "an end was not told (R4)")
    try lab.require(quiet.isSubset(of: settled), "a task without an outcome has finished (R6)")
    let refused = events.count { if case .refused = $0 { true } else { false } }
    let counted = runtime.refusals.values
    try lab.require(counted.allSatisfy { $0 > 0 }, "a refusal that never was is counted")
    try lab.require(counted.reduce(0, +) == refused, "a refusal is not traced, or not counted")
    let alive = started.filter { !ended.contains($0) }
    try lab.require(runtime.counts.flows == alive.count, "flows are miscounted")
    let running = operations.keys.filter { !quiet.contains($0) }
    try lab.require(runtime.counts.operations == running.count, "tasks are miscounted")
  }
}
