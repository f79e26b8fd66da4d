// What the trace tells, counted: the tour compares these counts with the runtime's own and with
// what it expects. Those who wait for something look again after each event.

import Millrace

/// Counts trace events.
@MainActor
final class TourLedger: TraceSink {
  /// Totals from the trace.
  struct Counts {
    var flowsStarted = 0
    var flowsEnded = 0
    var flowsTold = 0
    var tasksStarted = 0
    var tasksSettled = 0
    var tasksQuiet = 0
    var valuesSent = 0
    var valuesDropped = 0
    var problems: [String] = []

    var flowsAlive: Int { flowsStarted - flowsEnded }
    var tasksAlive: Int { tasksStarted - tasksQuiet }
  }

  private(set) var counts = Counts()
  /// All refusals, oldest first.
  private(set) var refusals: [(kind: RefusalKind, who: String)] = []
  /// How each flow ended.
  private(set) var endings: [FlowID: EndingKind] = [:]
  /// What each operation came to, by name, oldest first.
  private(set) var outcomes: [(name: String, kind: OutcomeKind)] = []
  /// Tasks that were started and are not quiet. One that the runtime started before it had a sink
  /// is counted when it is quiet.
  private var running: Set<OperationID> = []
  /// Called after each event.
  var onEvent: () -> Void = {}

  func record(_ event: TraceEvent) {
    switch event {
    case .flowStarted: counts.flowsStarted += 1
    case .flowEnded(let id, _, let kind):
      counts.flowsEnded += 1
      endings[id] = kind
    case .flowTold: counts.flowsTold += 1
    case .output: counts.valuesSent += 1
    case .outputsDropped(_, _, let count): counts.valuesDropped += count
    case .operationStarted(let id, _, _):
      counts.tasksStarted += 1
      running.insert(id)
    case .operationEnded(_, let name, let kind):
      counts.tasksSettled += 1
      outcomes.append((name, kind))
    case .operationQuiet(let id, _):
      if running.remove(id) == nil { counts.tasksStarted += 1 }
      counts.tasksQuiet += 1
    case .refused(let kind, let name, let flow, let operation):
      let number = operation.map { " \($0)" } ?? flow.map { " \($0)" } ?? ""
      refusals.append((kind, name + number))
    case .problem(let text): counts.problems.append(text)
    case .endBegan, .endApplied, .overflow, .session, .sessionClosed, .write, .command, .report,
      .leak, .requestDropped, .hostTimeout, .gestureTimeout, .navigated:
      break
    }
    onEvent()
  }
}

extension RefusalKind {
  /// Why a call of this kind changes nothing, for a reader of the tour.
  var reason: String {
    switch self {
    case .emitAfterEnd: "told something after its flow had ended"
    case .endAfterEnd: "was to end a flow that had ended already"
    case .startAfterEnd: "was to start a child under a flow that had ended"
    case .workAfterEnd: "was to start work of a flow that had ended"
    case .staleResult: "answered a run that is no longer the current one"
    case .noSession: "asked something of a session that is closed"
    case .alreadyRunning: "was asked for while the first one ran"
    case .overflow: "told more than the buffer holds"
    case .alreadyAttached: "was read by a second reader"
    case .secondAnswer: "was answered a second time"
    case .unknownFlow: "reported a flow that is not on display"
    case .closed: "came after closing"
    case .foreignScope: "was built with a scope that is not its own"
    case .foreignSlot: "used the slot of another flow"
    case .commandRefused: "asked for a change of what is shown that cannot be made"
    case .requestDropped: "waited for its turn when the flow that asked for it ended"
    case .unknownButton: "chose a button that is not there"
    case .noService: "was a write for a runtime that takes none"
    case .intentInUse: "was a write under the intent of another"
    case .journalReadOnly: "was a write to be withdrawn while the journal cannot be written"
    case .alreadySettled: "was a write whose intent was done with"
    case .alreadySent: "was to take back a write that was sent"
    case .unknownWrite: "named a write that the session does not have"
    }
  }
}
