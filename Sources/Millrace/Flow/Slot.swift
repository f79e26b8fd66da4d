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

  func start(
    in node: Owner, id: AnyHashable?, _ interactively: Bool, _ start: (SlotPlace?) -> Child<F>
  ) -> Child<F> {
    let runtime = ObjectIdentifier(node.core)
    if let ownerNumber, ownerNumber != node.number || self.runtime != runtime {
      node.core.refuse(.foreignSlot, node)
      return node.core.deadChild(of: node)
    }
    ownerNumber = node.number
    self.runtime = runtime
    var place: SlotPlace?
    if node.isRunning, let running = self.child {
      if policy == .keep || (id != nil && self.id == id) { return running }
      if interactively, let screen = running.node.screen {
        return challenge(screen, id, start)
      }
      place = replace(running)
      // What was called meanwhile may have filled the slot: it would be under what comes now, and
      // take it along.
      if let other = self.child { place = replace(other) }
    }
    let child = start(place)
    // What was called meanwhile may have filled the slot as well: the outermost start holds it.
    if let other = self.child, other.id != child.id {
      node.core.end(other.node, .replaced)
      node.core.drain()
    }
    hold(child, id)
    return child
  }

  /// Ends a child, and returns the place that it leaves.
  private func replace(_ child: Child<F>) -> SlotPlace? {
    let place = child.node.screen.map { SlotPlace.vacancy($0.display.vacate($0)) }
    child.node.core.end(child.node, .replaced)
    child.node.core.drain()
    return place
  }

  /// Starts a child that takes the place of the running one when the user's gesture is completed.
  private func challenge(
    _ screen: Screen, _ id: AnyHashable?, _ start: (SlotPlace?) -> Child<F>
  ) -> Child<F> {
    let core = screen.display.core
    if let other = screen.challenger?.node { core.end(other, .replaced) }
    let challenge = Provisional(old: screen)
    let child = start(.challenge(challenge))
    let commit: @MainActor () -> Void = { [weak self] in self?.hold(child, id) }
    if challenge.isHeld { challenge.onCommit = commit } else if child.isCurrent { commit() }
    return child
  }

  private func hold(_ child: Child<F>, _ id: AnyHashable?) {
    self.id = id
    guard child.node.isRunning else { return }
    node = child.node
    child.node.holder = self
  }
}

/// What the child of a slot replaces, as far as it is on the screen.
enum SlotPlace {
  case vacancy(Vacancy)
  case challenge(Provisional)
}

extension Slot: NodeHolder {
  func forget(_ node: AnyFlowNode) { if self.node === node { self.node = nil } }
}

/// What holds a node until its end.
@MainActor
protocol NodeHolder: AnyObject {
  func forget(_ node: AnyFlowNode)
}
