// A typed place in a flow for at most one child. Keeps R25 for children.

/// A place in a flow for at most one child of this type.
///
/// Keep it in a property of the owner, and name it in `FlowScope.start(in:)`.
@MainActor
public final class Slot<F: Flow> {
  /// What a start does while a child is running.
  public enum Policy: Sendable {
    /// The running child ends as replaced, then the new one starts.
    case replace
    /// The running child stays, and is returned.
    case keep
  }

  private let policy: Policy
  /// The newest child, while it runs: its end takes it out. Not weak, nor is the owner below: an
  /// object that was ever held weakly is slower to retain for as long as it lives.
  private var node: FlowNode<F>?
  private var id: AnyHashable?
  /// The flow that the slot belongs to, once it was used.
  private var ownerNumber: UInt64?
  private var runtime: ObjectIdentifier?

  /// Makes an empty slot.
  public init(_ policy: Policy = .replace) { self.policy = policy }

  /// The running child, or nil.
  public var child: Child<F>? {
    guard let node, node.isRunning, let owner = node.parent else { return nil }
    return Child(node: node, owner: owner)
  }

  func start(in node: Owner, id: AnyHashable?, _ start: () -> Child<F>) -> Child<F> {
    let runtime = ObjectIdentifier(node.core)
    if let ownerNumber, ownerNumber != node.number || self.runtime != runtime {
      node.core.refuse(.foreignSlot, node)
      return node.core.deadChild(of: node)
    }
    ownerNumber = node.number
    self.runtime = runtime
    if node.isRunning, let running = self.child {
      if policy == .keep || (id != nil && self.id == id) { return running }
      node.core.end(running.node, .replaced)
      node.core.drain()
    }
    let child = start()
    // What was called meanwhile may have filled the slot as well: the outermost start holds it.
    if let other = self.child, other.id != child.id {
      node.core.end(other.node, .replaced)
      node.core.drain()
    }
    self.id = id
    if child.node.isRunning {
      self.node = child.node
      child.node.holder = self
    }
    return child
  }
}

extension Slot: NodeHolder {
  func forget(_ node: AnyFlowNode) { if self.node === node { self.node = nil } }
}

/// What holds a node until its end.
@MainActor
protocol NodeHolder: AnyObject {
  func forget(_ node: AnyFlowNode)
}
