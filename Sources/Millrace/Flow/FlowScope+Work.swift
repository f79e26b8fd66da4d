// Tasks and operations of a flow. All end with it, whatever they wait for (R14 to R17).

extension FlowScope {
  /// Runs a task on the main actor that ends with the flow.
  ///
  /// The body begins in a later main-actor job. An error that leaves it ends the flow as `failed`,
  /// unless `onError` takes it; the cancellation of something that the body waited for only ends
  /// the task.
  ///
  /// - Returns: the operation; an ended flow returns one that was refused and never begins.
  @discardableResult
  public func task(
    _ name: String = "task", onError: (@MainActor (any Error) -> Void)? = nil,
    _ body: @escaping @MainActor () async throws -> Void
  ) -> TaskOperation {
    guard node.isRunning else { return refuseTask(name) }
    let run = TaskOperation(name: name, owner: node, onError: onError, body: body)
    if let held = heldBy { held.hold(run) { run.launch() } } else { run.launch() }
    return run
  }

  /// Runs an operation off the main actor, and hears its result on it.
  ///
  /// ```swift
  /// scope.perform("eligibility") { [library] in try await library.eligibility(of: id) }
  ///   then: { [self] result in … }
  /// ```
  ///
  /// - Parameters:
  ///   - key: what it is. A policy looks at runs of the same key of this flow only.
  ///   - policy: what to do when one runs already.
  ///   - limit: how long the run may take from its beginning; then it has failed with
  ///     `OperationTimedOut`, whether or not it listens to its cancellation.
  ///   - lifetime: what it ends with.
  ///   - body: the work. Its code cannot touch main-actor state synchronously.
  ///   - then: hears a success or failure, only while this run is the current one.
  ///   - onCancel: hears that the run was cancelled while the flow lives.
  /// - Returns: the operation; an ended flow returns one that was refused and never begins.
  @inlinable @discardableResult
  public func perform<Value: Sendable>(
    _ key: String, _ policy: OperationPolicy = .latest, limit: Duration? = nil,
    lifetime: OperationLifetime = .flow,
    _ body: consuming @escaping @concurrent @Sendable () async throws -> Value,
    then: consuming (@MainActor (Result<Value, any Error>) -> Void)? = nil,
    onCancel: (@MainActor (CancellationCause) -> Void)? = nil
  ) -> Operation<Value> {
    perform(
      Operation.self, key, policy, limit: limit, lifetime: lifetime, consume body,
      then: consume then, teller: { then, answer in then(Result(catching: answer)) },
      onCancel: onCancel)
  }

  /// `perform` behind the part that is compiled into its callers, who know the type of the value.
  /// Owns the closures: each copy would be counted.
  ///
  /// - Parameter again: how to start again when the flow is shown again; nil for the same call.
  @usableFromInline @discardableResult
  func perform<Value: Sendable>(
    _ type: Operation<Value>.Type, _ key: String, _ policy: OperationPolicy, limit: Duration?,
    lifetime: OperationLifetime, _ body: consuming @escaping Operation<Value>.Body,
    then: consuming Operation<Value>.Handler?, teller: Operation<Value>.Teller? = nil,
    onCancel: Operation<Value>.Hook?,
    again: (@MainActor () -> Void)? = nil
  ) -> Operation<Value> {
    guard node.isRunning else { return refuseWork(key) }
    switch lifetime {
    case .flow:
      let run = type.init(
        name: key, owner: node, limit: limit, body: consume body, then: consume then,
        teller: teller, onCancel: onCancel)
      begin(run, node, key, policy)
      return run
    case .session:
      let home = sessionHome
      let run = type.init(
        name: key, owner: home, limit: limit, body: consume body, then: consume then,
        teller: teller, onCancel: onCancel)
      run.borrow(from: node)
      begin(run, home, sessionKey(key), policy)
      return run
    case .appearance:
      return performWhileShown(
        type, key, policy, limit, body, then, teller, onCancel, again: again)
    }
  }

  private func performWhileShown<Value: Sendable>(
    _ type: Operation<Value>.Type, _ key: String, _ policy: OperationPolicy, _ limit: Duration?,
    _ body: @escaping Operation<Value>.Body, _ then: Operation<Value>.Handler?,
    _ teller: Operation<Value>.Teller?, _ onCancel: Operation<Value>.Hook?,
    again: (@MainActor () -> Void)?
  ) -> Operation<Value> {
    let run = type.init(
      name: key, owner: node, limit: limit, body: body, then: then, teller: teller,
      onCancel: onCancel)
    let restart =
      again ?? { [self] in
        perform(
          type, key, policy, limit: limit, lifetime: .appearance, body, then: then,
          teller: teller, onCancel: onCancel)
      }
    node.followAppearance()
    if node.isCovered {
      // The newest wins, as it would among runs; a line keeps all.
      switch policy {
      case .latest, .debounce, .throttle: node.dropRestarts(key)
      case .first, .queue, .concurrent: break
      }
      node.keep(.init(key: key, begin: restart))
      run.cancel(.covered)
      core.drain()
    } else {
      run.restarts(with: restart)
      begin(run, node, key, policy)
    }
    return run
  }

  /// Runs an operation off the main actor and waits for its value, inside a task of this flow.
  ///
  /// - Returns: the value, taken in the caller's own step after the check that the run is current.
  /// - Throws: what the body threw; `OperationTimedOut`; `OperationCancelled` with the cause when
  ///   it was superseded or the flow has ended; `Refused` if the flow had ended before.
  @inlinable
  public func value<Value: Sendable>(
    _ key: String, _ policy: OperationPolicy = .latest, limit: Duration? = nil,
    _ body: consuming @escaping @concurrent @Sendable () async throws -> Value
  ) async throws -> Value {
    let run = try ask(Operation.self, key, policy, limit: limit, consume body)
    // Written out: the same in a function of its own would be a frame and two hops more.
    if run.isWaitedFor {
      await withTaskCancellationHandler {
        unsafe await withUnsafeContinuation { unsafe run.park($0) }
      } onCancel: {
        run.cancelReader()
      }
    }
    return try run.takeAnswer(for: owner)
  }

  @usableFromInline var owner: Owner { node }

  /// `value` behind the part that is compiled into its callers, who know its type.
  @usableFromInline
  func ask<Value: Sendable>(
    _ type: Operation<Value>.Type, _ key: String, _ policy: OperationPolicy, limit: Duration?,
    _ body: consuming @escaping Operation<Value>.Body
  ) throws -> Operation<Value> {
    guard node.isRunning else { throw refusal(key) }
    let run = type.init(name: key, owner: node, limit: limit, isForReader: true, body: consume body)
    begin(run, node, key, policy)
    return run
  }

  /// Waits for work that is shared with all who ask for this key in the same session.
  ///
  /// The work belongs to the session. A waiter that leaves detaches only itself; the work stops
  /// when nobody waits for it.
  ///
  /// - Throws: as `value(_:_:limit:_:)`. With a limit only this waiter gives up.
  public func value<Value: Sendable>(
    _ key: JoinKey<Value>, _ policy: JoinPolicy = .join, limit: Duration? = nil,
    _ body: @escaping @concurrent @Sendable () async throws -> Value
  ) async throws -> Value {
    guard node.isRunning else { throw refusal(key.name) }
    let run = Operation<Value>(name: key.name, owner: node, limit: limit, isForReader: true)
    join(run, key, policy, body)
    return try await run.take()
  }

  /// Hears the result of work that is shared with all who ask for this key in the same session.
  @discardableResult
  public func perform<Value: Sendable>(
    _ key: JoinKey<Value>, _ policy: JoinPolicy = .join, limit: Duration? = nil,
    _ body: @escaping @concurrent @Sendable () async throws -> Value,
    then: @escaping @MainActor (Result<Value, any Error>) -> Void
  ) -> Operation<Value> {
    guard node.isRunning else { return refuseWork(key.name) }
    let run = Operation(name: key.name, owner: node, limit: limit, then: then)
    join(run, key, policy, body)
    return run
  }

  /// Forgets the kept answer of a joined key, and does not keep that of a run in flight.
  public func invalidate<Value>(_ key: JoinKey<Value>) {
    guard node.isRunning else {
      core.refuse(.workAfterEnd, node)
      return
    }
    JoinRun.find(key, .join, in: joins).invalidate()
  }

  /// Runs the body at `interval`, two `interval`s and so on after now, on the main actor. Ticks that
  /// fall due while a body runs are left out. Ends itself with the flow: no body runs after.
  @discardableResult
  public func every(
    _ interval: Duration, _ name: String = "every",
    onError: (@MainActor (any Error) -> Void)? = nil,
    _ body: @escaping @MainActor () async throws -> Void
  ) -> TaskOperation {
    guard node.isRunning else { return refuseTask(name) }
    return core.every(interval, name, owner: node, heldBy: heldBy, onError: onError, body)
  }

  /// Waits on the runtime's clock.
  ///
  /// - Throws: `OperationCancelled` when the flow ends or the task is cancelled; `Refused` after.
  public func sleep(for duration: Duration) async throws {
    guard node.isRunning else { throw refusal("sleep") }
    let run = Operation<Void>(name: "sleep", owner: node, isForReader: true)
    run.answer(after: duration) { run.accept(()) }
    try await run.take()
  }

  /// Cancels what runs and waits under this key in this flow.
  public func cancel(_ key: String) {
    guard node.isRunning else {
      core.refuse(.workAfterEnd, node)
      return
    }
    node.dropRestarts(key)
    node.lanes?.find(key)?.cancelAll(.requested)
    sessionHome.lanes?.find(sessionKey(key))?.cancelAll(.requested)
    core.drain()
  }

  // MARK: - Internals

  /// Who owns what outlives the flow: its session, or the runtime.
  private var sessionHome: Owner { node.session ?? core.root ?? node }

  /// Keys live inside one flow, also for what the session owns.
  private func sessionKey(_ key: String) -> String { "\(node.number)/\(key)" }

  private var joins: JoinTable { node.session?.joins ?? core.joins }

  var heldBy: Provisional? { node.heldBy }

  private func join<Value: Sendable>(
    _ run: Operation<Value>, _ key: JoinKey<Value>, _ policy: JoinPolicy,
    _ body: @escaping @concurrent @Sendable () async throws -> Value
  ) {
    if let held = heldBy {
      held.hold(run) { joinNow(run, key, policy, body) }
    } else {
      joinNow(run, key, policy, body)
    }
  }

  private func joinNow<Value: Sendable>(
    _ run: Operation<Value>, _ key: JoinKey<Value>, _ policy: JoinPolicy,
    _ body: @escaping @concurrent @Sendable () async throws -> Value
  ) {
    let shared = JoinRun.find(key, policy, in: joins)
    if let kept = shared.kept {
      // In a later job, as every result: the caller has its operation by then.
      core.deliverInNextJob(.call(.init { run.accept(kept) }))
    } else {
      run.launch()
      shared.join(run, owner: sessionHome, body: body)
    }
  }

  private func begin<Value>(
    _ run: Operation<Value>, _ owner: Owner, _ key: String, _ policy: OperationPolicy
  ) {
    if let held = heldBy {
      held.hold(run) { run.enter(owner.lane(key), policy) }
    } else {
      run.enter(owner.lane(key), policy)
    }
  }

  private func refuseTask(_ name: String) -> TaskOperation {
    core.refuse(.workAfterEnd, node)
    let run = TaskOperation(name: name, owner: node, body: nil)
    run.cancel(.refused)
    return run
  }

  private func refuseWork<Value>(_ name: String) -> Operation<Value> {
    core.refuse(.workAfterEnd, node)
    return .refused(name: name, owner: node)
  }

  private func refusal(_ name: String) -> Refused {
    core.refuse(.workAfterEnd, node)
    return Refused(.workAfterEnd)
  }
}
