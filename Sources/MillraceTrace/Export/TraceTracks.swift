// What a recording tells of each flow and operation: when it began, ended and was quiet, and what
// stopped it. Put together once, for all exports. A trace may begin or end in the middle.

import Millrace

struct TraceTracks {
  struct Flow {
    let id: FlowID
    var name: String
    var owner: FlowID?
    var presentation: Presentation?
    var began: Duration
    var ended: Duration?
    var kind: EndingKind?
    var told: Duration?
  }

  struct Operation {
    let id: OperationID
    var name: String
    var owner: FlowID?
    var began: Duration
    var ended: Duration?
    var outcome: OutcomeKind?
    var quiet: Duration?
    /// Index of the end that cancelled it.
    var end: Int?
  }

  struct End {
    let flow: FlowID?
    let name: String
    let kind: EndingKind
    let began: Duration
    var applied: Duration?
    var flows = 0
  }

  private(set) var flows: [Flow] = []
  private(set) var operations: [Operation] = []
  private(set) var ends: [End] = []
  /// Key: an id. Value: its index above.
  private var flowIndex: [FlowID: Int] = [:]
  private var operationIndex: [OperationID: Int] = [:]
  private var open: [Int] = []

  init(_ recording: TraceRecording) {
    let start = recording.events.first?.time ?? .zero
    for timed in recording.events { add(timed.event, at: timed.time, start) }
  }

  func flow(_ id: FlowID) -> Flow? { flowIndex[id].map { flows[$0] } }
  func operation(_ id: OperationID) -> Operation? { operationIndex[id].map { operations[$0] } }

  private mutating func add(_ event: TraceEvent, at time: Duration, _ start: Duration) {
    switch event {
    case .flowStarted(let id, let name, let owner, let presentation):
      flowIndex[id] = flows.count
      flows.append(
        Flow(id: id, name: name, owner: owner, presentation: presentation, began: time))
    case .flowEnded(let id, let name, let kind):
      let index = known(id, name, start)
      flows[index].ended = time
      flows[index].kind = kind
      if let end = open.last { ends[end].flows += 1 }
    case .flowTold(let id, let name): flows[known(id, name, start)].told = time
    case .operationStarted(let id, let name, let owner):
      operationIndex[id] = operations.count
      operations.append(Operation(id: id, name: name, owner: owner, began: time))
    case .operationEnded(let id, let name, let outcome):
      let index = known(id, name, start)
      operations[index].ended = time
      operations[index].outcome = outcome
      if case .cancelled = outcome { operations[index].end = open.last }
    case .operationQuiet(let id, let name): operations[known(id, name, start)].quiet = time
    case .endBegan(let flow, let name, let kind):
      open.append(ends.count)
      ends.append(End(flow: flow, name: name, kind: kind, began: time))
    case .endApplied:
      if let end = open.popLast() { ends[end].applied = time }
    default: break
    }
  }

  private mutating func known(_ id: FlowID, _ name: String, _ start: Duration) -> Int {
    if let index = flowIndex[id] { return index }
    flowIndex[id] = flows.count
    flows.append(Flow(id: id, name: name, began: start))
    return flows.count - 1
  }

  private mutating func known(_ id: OperationID, _ name: String, _ start: Duration) -> Int {
    if let index = operationIndex[id] { return index }
    operationIndex[id] = operations.count
    operations.append(Operation(id: id, name: name, owner: nil, began: start))
    return operations.count - 1
  }
}
