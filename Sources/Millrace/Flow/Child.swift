// The owner's handle on a child. Releasing it changes nothing (R1).

/// A child as its owner sees it.
@MainActor
public struct Child<F: Flow> {
  @usableFromInline let node: FlowNode<F>
  @usableFromInline let owner: Owner

  /// Which flow it is.
  public var id: FlowID { FlowID(rawValue: node.number) }

  /// True until the child has ended. A reader of `outputs.asyncStream` checks it after each value.
  public var isCurrent: Bool { node.isRunning }

  /// The flow itself, or nil after the end.
  public var flow: F? { node.isRunning ? node.flow : nil }

  /// What the child tells: one reader, in order, each value once.
  public var outputs: OutputStream<F.Output> { OutputStream(node: node, owner: owner) }

  /// How the child ends. Waits until the end has been told; answers at once after that, and to an
  /// owner that has ended itself: `ownerEnded` or `sessionEnded`.
  ///
  /// Like `Task.value` it goes on waiting if only the waiting task is cancelled: a child always
  /// ends, with its owner at the latest.
  @inlinable
  public var ending: Ending<F.Output> {
    get async {
      await endingIsTold()
      return node.ending(for: owner)
    }
  }

  /// Waits until the end has been told, or the owner has ended.
  @usableFromInline
  func endingIsTold() async {
    while !node.isFinished(for: owner) {
      unsafe await withUnsafeContinuation { continuation in
        let waiter = EndingWaiter(unsafe Parked(continuation), after: node.lastEndingWaiter)
        node.lastEndingWaiter = waiter
      }
    }
  }

  /// Takes the child away, as the user would. The flow has ended when this returns; its screen may
  /// still be leaving, see `Dismissal.settled`.
  @discardableResult
  public func dismiss() -> Dismissal {
    let core = node.core
    let acceptance = core.end(node, .dismissed)
    var screens = node.screen.map { [$0] } ?? []
    if acceptance.isAccepted {
      screens = core.lastLeft
      core.lastLeft = []
    }
    core.drain()
    return Dismissal(screens: screens, acceptance: acceptance)
  }

  /// Ends the child as cancelled.
  @discardableResult
  public func cancel() -> Acceptance {
    let acceptance = node.core.end(node, .cancelled)
    node.core.drain()
    return acceptance
  }

  /// Waits until every task of the child and below has really finished.
  ///
  /// - Throws: `NotDrained` with the list of what is left at the limit.
  public func drained(limit: Duration) async throws { try await node.drained(limit: limit) }
}

@available(*, unavailable)
extension Child: Sendable {}
