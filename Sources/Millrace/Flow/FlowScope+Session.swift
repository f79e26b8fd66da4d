// What a flow can ask of its session. A flow of a closed epoch can ask nothing any more (R19).

extension FlowScope {
  /// Leaves a record to the session, to be delivered whatever becomes of this flow. Also while the
  /// end of the flow is told, in `willEnd`; not after.
  ///
  /// It is delivered at least once: one whose delivery had begun when the session was closed with
  /// `keep` is delivered again when the account is back.
  ///
  /// - Returns: refused when the end has been told, outside a session, after a sign-out that
  ///   discards, and in a runtime that was made without a delivery.
  @discardableResult
  public func handOver(_ record: Handover) -> Acceptance {
    guard node.phase != .told else { return core.refuse(.noSession, node) }
    if let held = heldBy, node.isRunning {
      let (core, node) = (core, node)
      held.hold(nil) { _ = core.handOver(record, from: node) }
      return .accepted
    }
    return core.handOver(record, from: node)
  }

  /// Opens a session for this account, after closing the one that is open; `unsent` says what becomes
  /// of its unsent writes.
  ///
  /// - Returns: the session, or nil if the flow has ended.
  @discardableResult
  public func signIn(
    _ account: Account, credential: [UInt8] = [], unsent: UnsentWrites = .keep
  ) -> Session? {
    guard node.isRunning else {
      core.refuse(.endAfterEnd, node)
      return nil
    }
    return core.signIn(
      StoredSession(account: account, credential: credential), handovers: .keep,
      writes: UnsentFate(unsent))
  }

  /// Opens a session for an account that the guest of this flow's session signs in to, and takes the
  /// guest's unsent writes along; see `FlowRuntime.upgrade`.
  ///
  /// - Returns: the session, or nil if the flow has ended or its session is not the open one.
  @discardableResult
  public func upgrade(to account: Account, credential: [UInt8] = []) -> Session? {
    guard node.isRunning, let session = node.session, session.isOpen else {
      core.refuse(.noSession, node)
      return nil
    }
    return core.signIn(
      StoredSession(account: account, credential: credential), reason: .upgraded,
      handovers: .keep, writes: .takeAlong(account))
  }

  /// Closes this flow's session, see `FlowRuntime.signOut`. Refused if it is not the open one.
  @discardableResult
  public func signOut(
    _ reason: SignOutReason = .requested, handovers: HandoverPolicy = .keep,
    unsent: UnsentWrites = .keep,
    revoke: (@concurrent @Sendable () async throws -> Void)? = nil
  ) -> Acceptance {
    guard node.isRunning, let session = node.session, session.isOpen else {
      return core.refuse(.noSession, node)
    }
    return core.signOut(
      reason, handovers: handovers, writes: UnsentFate(unsent), revoke: revoke)
  }

  /// The credential of this flow's session, as signed in, restored or updated; nil outside a session
  /// and once it is closed.
  public var credential: [UInt8]? {
    guard let session = node.session, session.isOpen else { return nil }
    return session.credential
  }

  /// Keeps a new credential for this flow's session. Refused if it is not the open one: a refresh
  /// that lands after the sign-out stores nothing.
  @discardableResult
  public func updateCredential(_ credential: [UInt8]) -> Acceptance {
    guard node.isRunning, let session = node.session?.value else {
      return core.refuse(.noSession, node)
    }
    return core.update(credential, of: session)
  }
}
