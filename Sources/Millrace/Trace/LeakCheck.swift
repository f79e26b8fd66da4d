// Ended flows that stay in memory. Armed when an end has been told (R4).

/// A flow that has ended and is still in memory.
public struct Leak: Sendable, Equatable, CustomStringConvertible {
  /// Which flow.
  public let id: FlowID
  /// Its type.
  public let name: String
  /// What holds it as far as the runtime knows: cancelled tasks that run on, a parked reader.
  public let holders: [String]

  /// What is held by what, and what to look for.
  public var description: String {
    let held =
      holders.isEmpty
      ? "by something outside the runtime: look for a stored reference to the flow"
      : "by " + holders.joined(separator: ", ")
    return "\(name) \(id) has ended and is still in memory, held \(held)"
  }
}

/// One ended flow that is watched until it is gone. It holds nothing: a node keeps its ending.
struct LeakWatch {
  weak var flow: AnyObject?
  weak var node: AnyFlowNode?
  let id: FlowID
}

extension RuntimeCore {
  func watch(_ flow: AnyObject, of node: AnyFlowNode) {
    // Those that are gone leave in passing, so that the list stays as long as what is alive.
    if watches.count >= 64, watches.count.nonzeroBitCount == 1 {
      watches.removeAll { $0.flow == nil }
    }
    watches.append(LeakWatch(flow: flow, node: node, id: FlowID(rawValue: node.number)))
  }

  func findLeaks() -> [Leak] {
    watches.removeAll { $0.flow == nil }
    let leaks = watches.compactMap { watch in
      watch.flow.map {
        Leak(
          id: watch.id, name: String(describing: type(of: $0)),
          holders: watch.node?.knownHolders() ?? [])
      }
    }
    for leak in leaks { trace { .leak(leak.id, name: leak.name, heldBy: leak.holders) } }
    return leaks
  }
}

extension AnyFlowNode {
  fileprivate func knownHolders() -> [String] {
    var holders = unfinishedRuns().map { run, _ in "the deaf operation \(run.name) \(run.id)" }
    if hasReader { holders.append("a reader of its outputs") }
    return holders
  }
}
