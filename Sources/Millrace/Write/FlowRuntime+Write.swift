// What an app tells a runtime about writes, and asks of it.

extension FlowRuntime {
  /// The writes of the open session, or nil. Observable, as is the ledger itself.
  @MainActor public var writes: WriteLedger? {
    guard let account = session?.account else { return nil }
    return core.writes?.existing(account)?.view
  }

  /// Whether there is a network, as the app says; online until it says otherwise. Offline, writes are
  /// checked and kept; back online, all that can go out does.
  @MainActor public var connectivity: Connectivity {
    get { core.writes?.connectivity ?? .online }
    set {
      core.writes?.setConnectivity(newValue)
      core.drain()
    }
  }

  /// Takes what a push channel reports of a write. It counts as an answer: whichever comes first is
  /// told, the other changes nothing.
  ///
  /// From any thread, in the order of each sender; applied in a later main-actor job. A report of an
  /// account that is not signed in goes to its journal.
  public func report(_ answer: WriteAnswer, for intent: Intent, of account: Account) {
    let core = core
    core.ingress.post(.call { core.report(intent, of: account, answer) }, to: core)
  }

  /// Opens a session for an account that a guest signs in to: the guest's unsent writes become writes
  /// of the account, with their keys. What the guest has sent stays the guest's, and is finished within
  /// `WriteOptions.finishLimit`. Without an open session it is a sign-in.
  @MainActor @discardableResult
  public func upgrade(to account: Account, credential: [UInt8] = []) -> Session? {
    core.signIn(
      StoredSession(account: account, credential: credential), reason: .upgraded,
      handovers: .keep, writes: .takeAlong(account))
  }
}
