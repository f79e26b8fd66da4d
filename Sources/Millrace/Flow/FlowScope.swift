// The capability through which a flow acts. It belongs to one instance and dies with it: then
// every call that would act is refused, counted and traced; reads go on working.

/// What a flow acts through.
///
/// Made by `start`, `Root` or `preview()`, and never again: a scope names one instance. All of its
/// methods are called on the main actor. After the flow has ended they change nothing.
@MainActor
public struct FlowScope<Output: Sendable> {
  let node: OutputNode<Output>
  var core: RuntimeCore { node.core }

  init(_ node: OutputNode<Output>) { self.node = node }

  /// Which flow this is.
  public var id: FlowID { FlowID(rawValue: node.number) }

  /// True until the flow has ended.
  public var isCurrent: Bool { node.isRunning }

  /// The session that the flow belongs to, or nil for a flow outside any session. After the end it
  /// is still the session the flow belonged to.
  public var session: Session? { node.session?.value }

  // MARK: - Outputs

  /// Tells the owner a value. After the end, or when the buffer is full, it is refused.
  public func emit(_ value: Output) { _ = node.emit(value) }

  /// `emit` that says whether the value was accepted.
  @discardableResult
  public func tryEmit(_ value: Output) -> Acceptance { node.emit(value) }

  /// Ends the flow with a value. It settles at once: the value is the last output, and what comes
  /// later, a dismissal too, does not undo it. Never overflows.
  public func finish(_ value: Output) { _ = node.finish(value) }

  /// `finish` that says whether it was the first end.
  @discardableResult
  public func tryFinish(_ value: Output) -> Acceptance { node.finish(value) }

  // MARK: - Waiting

  /// Waits until every task of this flow and below has really finished; works after the end too.
  ///
  /// - Parameter limit: how long to wait, on the runtime's clock.
  /// - Throws: `NotDrained` with the list of what is left at the limit.
  /// - Note: a task of this flow that calls this waits for itself: call it from the owner.
  public func drained(limit: Duration) async throws { try await node.drained(limit: limit) }
}

@available(*, unavailable)
extension FlowScope: Sendable {}
