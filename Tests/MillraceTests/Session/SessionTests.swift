import Millrace
import RaceLab
import Testing

/// R18 to R20: a session is an epoch, closed in the call, and nothing crosses it.
@Suite struct SessionTests {
  // R20: "not known yet" must not look like "signed out" at launch.
  @Test func withAStore_isUndeterminedUntilItAnswers() async throws {
    try await Lab.run { lab in
      let log = Log()
      let store = GateStore(lab)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      let window = runtime.openWindow { state in
        log(state)
        return Root { Step($0) }
      }
      #expect(runtime.sessionState == .undetermined)
      #expect(window.rootFlow != nil)
      await lab.settle()
      #expect(runtime.sessionState == .undetermined)
      store.load.open(with: StoredSession(account: Account("a")))
      await lab.settle()
      #expect(runtime.session?.account == Account("a"))
      #expect(log.lines.count == 2)
      #expect(log.lines.first == "undetermined")
      #expect(store.log.lines == ["load"])
    }
  }

  // An empty store and one that cannot be read are both signed out; the fault is told.
  @Test(arguments: [true, false]) func storeWithoutASession_isSignedOut(
    readable: Bool
  ) async throws {
    try await Lab.run { lab in
      let store = GateStore(lab)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      let trace = TraceLog()
      runtime.addSink(trace)
      await lab.settle()
      if readable { store.load.open(with: nil) } else { store.load.fail(Oops()) }
      await lab.settle()
      #expect(runtime.sessionState == .signedOut)
      let problems = trace.count { if case .problem = $0 { true } else { false } }
      #expect(problems == (readable ? 0 : 1))
    }
  }

  // Without a store nobody is signed in, from the first line on.
  @Test func withoutAStore_isSignedOutAtOnce() async throws {
    try await Lab.run { lab in
      #expect(FlowRuntime(clock: lab.clock).sessionState == .signedOut)
    }
  }

  // A sign-in while the store is read must not be undone by the store's late answer.
  @Test func signInBeforeTheStoreAnswers_wins() async throws {
    try await Lab.run { lab in
      let store = GateStore(lab)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      await lab.settle()
      let session = runtime.signIn(Account("b"))
      store.load.open(with: StoredSession(account: Account("a")))
      await lab.settle()
      #expect(runtime.session == session)
      #expect(session?.account == Account("b"))
    }
  }

  // A sign-out while the store is read must not end in the old user's session.
  @Test func signOutBeforeTheStoreAnswers_wins() async throws {
    try await Lab.run { lab in
      let store = GateStore(lab)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      await lab.settle()
      #expect(runtime.signOut() == .accepted)
      store.load.open(with: StoredSession(account: Account("a")))
      store.clear.open()
      await lab.settle()
      #expect(runtime.sessionState == .signedOut)
      #expect(store.log.lines.last == "clear done")
    }
  }

  // R18: also the same account gets a new epoch, and two sign-ins are never equal.
  @Test func signInOfTheSameAccount_isANewEpoch() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let first = stage.runtime.session
      let second = stage.runtime.signIn(Account("a"))
      #expect(first != second)
      #expect(first?.account == second?.account)
      #expect(!stage.scope.isCurrent)
      #expect(stage.window.rootFlow !== stage.root)
      let closed = stage.trace.events.contains {
        if case .sessionClosed(let epoch, .switchedAccount) = $0 {
          epoch == first?.epoch
        } else {
          false
        }
      }
      #expect(closed)
    }
  }

  // R18: when sign-out returns, the epoch is closed and all of it has ended. No network needed.
  @Test func signOut_endsTheEpochInTheCall() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab, signedInAs: Account("a"), onEnding: { log("root \($0.kind)") })
      let deaf = lab.gate("revoke", .deaf)
      let child = stage.scope.step(willEnd: { _, ending in log("child \(ending.kind)") })
      let flow = try #require(child.flow)
      #expect(stage.runtime.signOut(revoke: { try await deaf.wait() }) == .accepted)
      #expect(stage.runtime.sessionState == .signedOut)
      #expect(!child.isCurrent)
      #expect(!stage.scope.isCurrent)
      #expect(log.lines == ["child sessionEnded", "root sessionEnded"])
      #expect(stage.runtime.signOut() == .refused(.noSession))
      #expect(flow.scope.signOut() == .refused(.noSession))
      // The next sign-in does not wait for the revocation either.
      await lab.settle()
      #expect(stage.runtime.signIn(Account("b")) != nil)
      await lab.advance(by: .seconds(10))
      let problems = stage.trace.count { if case .problem = $0 { true } else { false } }
      #expect(problems == 1)
      deaf.open()
      await lab.settle()
      #expect(stage.runtime.session?.account == Account("b"))
    }
  }

  // A sign-out from within a handler ends all in the call, and tells after the turn.
  @Test func signOutInsideATurn_endsInTheCallAndTellsAfterIt() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab, signedInAs: Account("a"))
      let runtime = stage.runtime
      let scope = stage.scope
      let child = scope.step(
        willEnd: { _, ending in log("told \(ending.kind)") },
        onOutput: { _ in
          scope.signOut()
          log("state \(runtime.sessionState) current \(scope.isCurrent)")
          scope.step()
        })
      child.scope?.emit(1)
      #expect(log.lines == ["state signedOut current false", "told sessionEnded"])
      #expect(stage.refused(.startAfterEnd) == 1)
      #expect(stage.window.rootFlow !== stage.root)
    }
  }

  // Signed in from the login flow: that flow has ended, as replaced, when the new root starts.
  @Test func signInFromAFlow_replacesTheRoot() async throws {
    try await Lab.run { lab in
      let log = Log()
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow { state in
        let name = state.session?.account.id ?? "login"
        return Root({
          Step(
            $0, start: { _ in log("start \(name)") },
            willEnd: { _, ending in log("end \(name) \(ending.kind)") })
        })
      }
      let login = window.rootFlow as? Step
      #expect(login?.scope.signIn(Account("a")) == runtime.session)
      #expect(log.lines == ["start login", "start a", "end login replaced"])
      #expect(login?.scope.isCurrent == false)
      runtime.signIn(Account("b"))
      #expect(log.lines.suffix(2) == ["end a sessionEnded", "start b"])
    }
  }

  // R19: a credential that is refreshed after the sign-out must not bring the session back.
  @Test func credentialAfterTheEpoch_isRefused() async throws {
    try await Lab.run { lab in
      let store = MemorySessionStore()
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      let window = runtime.openWindow { _ in Root { Step($0) } }
      await lab.settle()
      runtime.signIn(Account("a"), credential: [1])
      let root = try #require(window.rootFlow as? Step)
      #expect(root.scope.updateCredential([2]) == .accepted)
      await lab.settle()
      let stored = await store.stored
      #expect(stored == StoredSession(account: Account("a"), credential: [2]))
      runtime.signOut()
      #expect(root.scope.updateCredential([3]) == .refused(.noSession))
      runtime.signIn(Account("a"), credential: [4])
      #expect(root.scope.updateCredential([5]) == .refused(.noSession))
      await lab.settle()
      let last = await store.stored
      #expect(last?.credential == [4])
    }
  }

  // R19: a flow outside any session has none to act for.
  @Test func flowOutsideASession_hasNoSession() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      #expect(stage.scope.session == nil)
      #expect(stage.scope.updateCredential([1]) == .refused(.noSession))
      #expect(stage.scope.signOut() == .refused(.noSession))
      #expect(stage.scope.handOver(Handover(name: "r", body: [])) == .refused(.noSession))
    }
  }

  // A child can be put into the open session only: a closed one would cross its epoch.
  @Test func childInAClosedSession_isRefused() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow(fixedRoot: Root { Step($0) })
      let root = try #require(window.rootFlow as? Step)
      let old = try #require(runtime.signIn(Account("a")))
      let inside = root.scope.start(in: old) { Step($0) }
      #expect(inside.scope?.session == old)
      runtime.signIn(Account("a"))
      #expect(!inside.isCurrent)
      let ending = await inside.ending
      #expect(ending.kind == .sessionEnded)
      var built = 0
      let late = root.scope.start(Step.self, in: old) { scope in
        built += 1
        return Step(scope)
      }
      #expect(!late.isCurrent)
      #expect(built == 0)
      #expect(runtime.refusals == [.noSession: 1])
      #expect(root.scope.isCurrent)
    }
  }

  // Sign-out and sign-in called by code that a closing session runs: one consistent state, one
  // open session at most, and it is the one that the state names.
  @Test(arguments: ["in", "out"], ["in", "out"])
  func sessionChangedWhileItIsClosed_staysConsistent(_ outer: String, _ inner: String) async throws
  {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let runtime = stage.runtime
      let gate = lab.gate("gate")
      stage.scope.task {
        try await withTaskCancellationHandler {
          try await gate.wait()
        } onCancel: {
          MainActor.assumeIsolated {
            if inner == "in" { runtime.signIn(Account("inner")) } else { runtime.signOut() }
          }
        }
      }
      await lab.settle()
      if outer == "in" { runtime.signIn(Account("outer")) } else { runtime.signOut() }
      await lab.settle()
      let open = runtime.tree.split(separator: "\n").filter { $0.contains("session ") }
      #expect(open.count == (runtime.session == nil ? 0 : 1))
      let root = try #require(stage.window.rootFlow as? Step)
      #expect(root.scope.session == runtime.session)
      #expect(runtime.signOut() == (open.isEmpty ? .refused(.noSession) : .accepted))
      #expect(runtime.sessionState == .signedOut)
    }
  }
}

/// A store that does only what the test lets it do.
final class GateStore: SessionStore {
  let log = Log()
  let load: Gate<StoredSession?>
  let save: Gate<Void>
  let clear: Gate<Void>

  init(_ lab: Lab) {
    load = lab.gate(of: StoredSession?.self, "load", .deaf)
    save = lab.gate("save", .deaf)
    clear = lab.gate("clear", .deaf)
  }

  @concurrent func load() async throws -> StoredSession? {
    log("load")
    return try await load.wait()
  }

  @concurrent func save(_ session: StoredSession) async throws {
    log("save \(session.account) \(session.credential)")
    try await save.wait()
    log("save done")
  }

  @concurrent func clear() async throws {
    log("clear")
    try await clear.wait()
    log("clear done")
  }
}
