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
  /// The newest child. Weak: the tree holds it while it runs, and nobody after its end.
  private weak var node: FlowNode<F>?
  private var id: AnyHashable?
  private weak var owner: Owner?

  /// Makes an empty slot.
  public init(_ policy: Policy = .replace) { self.policy = policy }

  /// The running child, or nil.
  public var child: Child<F>? {
    guard let node, node.isRunning, let owner else { return nil }
    return Child(node: node, owner: owner)
  }

  func start(in node: Owner, id: AnyHashable?, _ start: () -> Child<F>) -> Child<F> {
    if let owner, owner !== node {
      node.core.refuse(.foreignSlot, node)
      return node.core.deadChild(of: node)
    }
    owner = node
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
    self.node = child.node
    self.id = id
    return child
  }
}
