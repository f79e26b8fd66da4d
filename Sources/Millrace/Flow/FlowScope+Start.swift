// Starting children. Keeps R9 (registration is complete when `start` returns) and R25 (two starts
// in one `Slot` with the same id are one flow).

extension FlowScope {
  /// Starts a child and returns the owner's handle on it.
  ///
  /// ```swift
  /// scope.start(as: .sheet) { Picker(scope: $0) } onOutput: { [self] output in … }
  /// ```
  ///
  /// Without closures the outputs wait in a buffer, to be read through `Child.outputs`.
  /// If the flow of this scope has ended, `build` is not called and the child returned has ended.
  ///
  /// - Parameters:
  ///   - presentation: how the child is shown.
  ///   - session: a session to put the child in, for an owner outside of it; nil for the owner's.
  ///   - buffer: how many outputs may wait to be heard; at least 1.
  ///   - build: makes the flow, with the scope that is its own.
  ///   - onOutput: hears each output. May capture `self` strongly: it is released at the end.
  ///   - onOverflow: hears, after the buffered outputs, that later ones were refused.
  ///   - onEnding: hears how the child ended, after its last output.
  @inlinable @discardableResult
  public func start<F: Flow>(
    as presentation: Presentation = .inline, in session: Session? = nil, buffer: Int = 64,
    _ build: (FlowScope<F.Output>) -> F,
    onOutput: (@MainActor (F.Output) -> Void)? = nil,
    onOverflow: (@MainActor () -> Void)? = nil,
    onEnding: (@MainActor (Ending<F.Output>) -> Void)? = nil
  ) -> Child<F> {
    start(
      FlowNode.self, as: presentation, in: session, buffer: buffer, build, onOutput: onOutput,
      onOverflow: onOverflow, onEnding: onEnding, endTeller: { $0.willEnd($1.ending) })
  }

  /// `start` behind the part that is compiled into its callers, who know the type of the flow.
  @usableFromInline
  func start<F: Flow>(
    _ type: FlowNode<F>.Type, as presentation: Presentation, in session: Session?, buffer: Int,
    _ build: (FlowScope<F.Output>) -> F, onOutput: (@MainActor (F.Output) -> Void)?,
    onOverflow: (@MainActor () -> Void)?, onEnding: (@MainActor (Ending<F.Output>) -> Void)?,
    endTeller: @escaping FlowNode<F>.EndTeller
  ) -> Child<F> {
    start(
      type, as: presentation, in: session, buffer: buffer, taking: nil, build, onOutput: onOutput,
      onOverflow: onOverflow, onEnding: onEnding, endTeller: endTeller)
  }

  private func start<F: Flow>(
    _ type: FlowNode<F>.Type, as presentation: Presentation, in session: Session?, buffer: Int,
    taking: SlotPlace?, _ build: (FlowScope<F.Output>) -> F,
    onOutput: (@MainActor (F.Output) -> Void)?, onOverflow: (@MainActor () -> Void)?,
    onEnding: (@MainActor (Ending<F.Output>) -> Void)?, endTeller: FlowNode<F>.EndTeller? = nil
  ) -> Child<F> {
    var place = AnyFlowNode.Place(
      presentation: presentation, window: node.window, session: node.sessionOwner)
    switch taking {
    case .vacancy(let vacancy): place.vacancy = vacancy
    case .challenge(let challenge): place.challenge = challenge
    case nil:
      if presentation == .root, node.isRunning { place.vacancy = core.clear(above: node) }
    }
    if let session, session.epoch != node.session?.value.epoch {
      guard let open = core.sessions.open, open.value == session else {
        core.refuse(.noSession, node)
        return core.deadChild(of: node)
      }
      place.session = open
    }
    let child = core.start(
      type, under: node, place: place, buffer: buffer, build: build, onOutput: onOutput,
      onOverflow: onOverflow, onEnding: onEnding, endTeller: endTeller)
    if let vacancy = place.vacancy { node.window?.display?.close(vacancy) }
    return child
  }

  /// The same with the flow's type named, for closures of more than one statement.
  @inlinable @discardableResult
  public func start<F: Flow>(
    _ type: F.Type, as presentation: Presentation = .inline, in session: Session? = nil,
    buffer: Int = 64, _ build: (FlowScope<F.Output>) -> F,
    onOutput: (@MainActor (F.Output) -> Void)? = nil,
    onOverflow: (@MainActor () -> Void)? = nil,
    onEnding: (@MainActor (Ending<F.Output>) -> Void)? = nil
  ) -> Child<F> {
    start(
      as: presentation, in: session, buffer: buffer, build, onOutput: onOutput,
      onOverflow: onOverflow, onEnding: onEnding)
  }

  /// Starts a child in a slot of this flow.
  ///
  /// A running child with the same id is returned as it is; another one is replaced, or kept if
  /// the slot says so. A slot of another flow refuses. What is replaced is replaced on the screen
  /// by one command to the host.
  ///
  /// - Parameters:
  ///   - slot: the place for the child, of this flow.
  ///   - id: what tells this child from others in the slot.
  ///   - presentation: how its screen is shown.
  ///   - interactively: the user's gesture decides about a replacement: until the host reports that it
  ///     was completed, the old child stays, and what the new one asks for is held.
  ///   - buffer: how many outputs may wait to be read.
  ///   - build: makes the flow; called once, before this returns, unless the child is there already.
  ///   - onOutput: hears each output, on the main actor.
  ///   - onOverflow: hears that outputs were refused, since the buffer was full.
  ///   - onEnding: hears the one ending, after the last output.
  @discardableResult
  public func start<F: Flow>(
    in slot: Slot<F>, id: some Hashable & Sendable, as presentation: Presentation = .inline,
    interactively: Bool = false, buffer: Int = 64, _ build: (FlowScope<F.Output>) -> F,
    onOutput: (@MainActor (F.Output) -> Void)? = nil,
    onOverflow: (@MainActor () -> Void)? = nil,
    onEnding: (@MainActor (Ending<F.Output>) -> Void)? = nil
  ) -> Child<F> {
    slot.start(in: node, id: AnyHashable(id), interactively) {
      start(
        FlowNode.self, as: presentation, in: nil, buffer: buffer, taking: $0, build,
        onOutput: onOutput, onOverflow: onOverflow, onEnding: onEnding)
    }
  }

  /// Starts a child in a slot of this flow, as a new one: a running child is replaced, or kept if
  /// the slot says so. See `start(in:id:as:interactively:buffer:_:)`.
  @discardableResult
  public func start<F: Flow>(
    in slot: Slot<F>, as presentation: Presentation = .inline, interactively: Bool = false,
    buffer: Int = 64, _ build: (FlowScope<F.Output>) -> F,
    onOutput: (@MainActor (F.Output) -> Void)? = nil,
    onOverflow: (@MainActor () -> Void)? = nil,
    onEnding: (@MainActor (Ending<F.Output>) -> Void)? = nil
  ) -> Child<F> {
    slot.start(in: node, id: nil, interactively) {
      start(
        FlowNode.self, as: presentation, in: nil, buffer: buffer, taking: $0, build,
        onOutput: onOutput, onOverflow: onOverflow, onEnding: onEnding)
    }
  }
}

extension RuntimeCore {
  /// Puts a flow into the tree. What it sends before this returns comes in the next job.
  func start<F: Flow>(
    _ type: FlowNode<F>.Type = FlowNode<F>.self, under owner: Owner, place: AnyFlowNode.Place,
    buffer: Int, build: (FlowScope<F.Output>) -> F, onOutput: (@MainActor (F.Output) -> Void)?,
    onOverflow: (@MainActor () -> Void)?, onEnding: (@MainActor (Ending<F.Output>) -> Void)?,
    endTeller: FlowNode<F>.EndTeller? = nil
  ) -> Child<F> {
    guard owner.isRunning else {
      refuse(.startAfterEnd, owner)
      return deadChild(of: owner)
    }
    let node = type.init(
      core: self, parent: owner, presentation: place.presentation, window: place.window,
      session: place.session, limit: buffer, onOutput: onOutput, onOverflow: onOverflow,
      onEnding: onEnding)
    node.endTeller = endTeller
    if provisionals > 0 { node.inheritProvisional(place) }
    turnDepth += 1
    let flow = build(FlowScope(node))
    if flow.scope.node !== node { refuse(.foreignScope, node) }
    node.flow = flow
    if node.isRunning {
      let presentation = place.presentation
      node.trace { .flowStarted($0, name: $1, owner: owner.flowID, presentation: presentation) }
      if presentation != .inline { display(node, place) }
      flow.start()
    }
    node.isStarting = false
    turnDepth -= 1
    if !due.isEmpty { drain() }
    return Child(node: node, owner: owner)
  }

  /// The child that a refused start returns: it has ended as its owner has.
  func deadChild<F: Flow>(of owner: Owner) -> Child<F> {
    let node = FlowNode<F>(
      core: self, parent: nil, limit: 1, onOutput: nil, onOverflow: nil, onEnding: nil)
    node.isStarting = false
    node.phase = .told
    node.cause = .cancelled
    liveFlows -= 1
    return Child(node: node, owner: owner)
  }
}
