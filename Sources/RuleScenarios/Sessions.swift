// R18 and R20: a session is an epoch, a sign-out is local and at once, undetermined is not signed out.

import Millrace
import MillraceTesting
import RaceLab

/// A store that answers when it is told to, and notes the order of its calls.
private actor SlowStore: SessionStore {
  private let gate: Gate<Void>
  private(set) var stored: StoredSession?
  private var isBusy = false
  private(set) var overlaps = 0

  init(_ stored: StoredSession?, _ gate: Gate<Void>) {
    self.stored = stored
    self.gate = gate
  }

  private func alone(_ body: () async throws -> Void) async throws {
    if isBusy { overlaps += 1 }
    isBusy = true
    defer { isBusy = false }
    try await body()
  }

  func load() async throws -> StoredSession? {
    try await alone { try await gate.wait() }
    return stored
  }

  func save(_ session: StoredSession) async throws {
    try await alone { await Task.yield() }
    stored = session
  }

  func clear() async throws {
    try await alone { await Task.yield() }
    stored = nil
  }
}

/// Hears that a session is closed, while it is.
@MainActor
private final class ClosingSink: TraceSink {
  private let hear: () -> Void
  init(_ hear: @escaping () -> Void) { self.hear = hear }

  func record(_ event: TraceEvent) { if case .sessionClosed = event { hear() } }
}

extension RuleScenarios {
  @ScenarioList static var sessions: [Scenario] {
    // Fault: something of a session goes on after the sign-out, or the next sign-in has to wait.
    rule("a sign-out is done when it returns, and holds no sign-in up", 18) { lab in
      let store = MemorySessionStore()
      let stage = try Stage(lab, store: store)
      await lab.settle()
      stage.runtime.signIn(Account("A"))
      let before = try found(stage.runtime.session)
      let old = try found(stage.window.rootFlow as? Step)
      let deaf = lab.gate("revocation", .deaf)
      let child = old.scope.step(
        as: .push,
        start: { step in
          step.scope.task { while true { try await step.scope.sleep(for: .seconds(1)) } }
        })
      let told = Guarded(0)
      var signedOut = false
      let isSame = lab.flip()
      lab.adversary("sign out") {
        guard stage.runtime.session == before else { return }
        signedOut = true
        let answer = stage.runtime.signOut {
          told.withLock { $0 += 1 }
          try await deaf.wait()
        }
        lab.check(answer == .accepted && stage.runtime.session == nil, "it is closed at once")
        lab.check(!old.scope.isCurrent && !child.isCurrent, "its flows have ended")
        lab.check(stage.runtime.counts.flows == 1, "nothing but the next root is alive")
        lab.check(stage.runtime.signOut() == .refused(.noSession), "it is closed once")
      }
      lab.adversary("sign in") {
        let session = stage.runtime.signIn(Account(isSame ? "A" : "B"))
        lab.check(session != nil && session == stage.runtime.session, "a sign-in waits for nobody")
        lab.check(session != before, "an epoch is used again")
        lab.check(!old.scope.isCurrent && !child.isCurrent, "the old flows have ended")
        let root = stage.window.rootFlow as? Step
        lab.check(root?.scope.session == session, "the root is of the new session")
      }
      lab.adversary("late refresh") {
        let isOpen = stage.runtime.session == before
        lab.check(old.scope.updateCredential([7]).isAccepted == isOpen, "a late refresh is kept")
        lab.check((old.scope.credential != nil) == isOpen, "a credential is seen after the end")
        lab.check(old.scope.signOut().isAccepted == isOpen, "an old flow signs the next one out")
      }
      await lab.settle()
      let last = stage.runtime.session
      let stored = await store.stored
      try lab.require(stored?.account == last?.account, "the store has \(stored as Any)")
      try lab.require(child.isCurrent == false)
      try lab.require(told.withLock { $0 } == (signedOut ? 1 : 0), "the server is not told")
      await lab.advance(by: .seconds(11))
      try lab.require(
        stage.runtime.unfinished.allSatisfy { $0.name == "revoke" || $0.cancelledAgo == nil })
      deaf.open()
      try await stage.close()
    }

    // Fault: who hears that a session was closed signs in, and what the old one refreshes then becomes the
    // new one's credential, and is stored.
    rule("a refresh in the midst of a sign-out is not that of the next session", 19, 18) { lab in
      let store = MemorySessionStore()
      let stage = try Stage(lab, store: store)
      await lab.settle()
      stage.runtime.signIn(Account("A"))
      let old = try found(stage.window.rootFlow as? Step)
      var closed = 0
      let sink = ClosingSink {
        closed += 1
        guard closed == 1 else { return }
        stage.runtime.signIn(Account("B"))
        lab.check(
          old.scope.updateCredential([7]) == .refused(.noSession), "a late refresh is kept")
      }
      stage.runtime.addSink(sink)
      lab.adversary("refresh") { old.scope.updateCredential([6]) }
      lab.adversary("sign out") { if closed == 0 { stage.runtime.signOut() } }
      await lab.settle()
      if closed == 0 { stage.runtime.signOut() }
      await lab.settle()
      let stored = await store.stored
      try lab.require(stored == StoredSession(account: Account("B")), "\(stored as Any)")
      try lab.require(stage.runtime.session?.account == Account("B") && old.scope.credential == nil)
      try await stage.close()
    }

    // Fault: the sign-in screen flashes before the store has answered, or a late answer undoes
    // what the user did meanwhile.
    rule("undetermined is not signed out, and a late answer of the store is stale", 20) { lab in
      let gate = lab.gate("store")
      let kind = lab.choose(3)
      let store = SlowStore(kind == 0 ? nil : StoredSession(account: Account("A")), gate)
      let oracle = TraceOracle(lab)
      let runtime = FlowRuntime(clock: lab.clock, store: store, sinks: [oracle])
      var states: [SessionState] = []
      var acts = 0
      lab.always("the root is of the state") {
        states.isEmpty || states.last == runtime.sessionState
      }
      let window = runtime.openWindow { state in
        states.append(state)
        return Root { Step($0) }
      }
      try lab.require(states == [.undetermined] && runtime.session == nil, "\(states)")
      lab.adversary("the store answers") {
        if kind == 2 { gate.fail(Oops()) } else { gate.open() }
      }
      lab.adversary("sign in") {
        acts += 1
        runtime.signIn(Account("B"))
      }
      if lab.flip() {
        lab.adversary("sign out") {
          acts += 1
          runtime.signOut()
        }
      }
      await lab.settle()
      try lab.require(zip(states, states.dropFirst()).allSatisfy { $0 != $1 }, "\(states)")
      try lab.require(!states.dropFirst().contains(.undetermined), "\(states)")
      let last = try found(states.last)
      try lab.require(last == .signedOut || last.session?.account == Account("B"), "\(last)")
      if states.count > 1, states[1] == .signedOut {
        try lab.require(acts > 0 && (kind != 1 || acts > 1), "signed out before the store said so")
      }
      if kind == 1, states.count > 1, case .signedIn(let session) = states[1] {
        try lab.require(session.account == Account("A") || session.account == Account("B"))
      }
      gate.open()
      await lab.settle()
      let stored = await store.stored
      let overlaps = await store.overlaps
      try lab.require(overlaps == 0, "the store is asked for one thing at a time")
      try lab.require(stored?.account == runtime.session?.account, "\(stored as Any)")
      try oracle.atRest(runtime)
      try lab.require(window.rootFlow != nil && runtime.counts.operations == 0)
    }

    // Fault: a store that answers first is not heard.
    rule("who is stored is signed in, and nobody without a store", 20) { lab in
      let kind = lab.choose(3)
      let gate = lab.gate("store")
      let store = SlowStore(kind == 0 ? nil : StoredSession(account: Account("A")), gate)
      let runtime =
        kind == 2 ? FlowRuntime(clock: lab.clock) : FlowRuntime(clock: lab.clock, store: store)
      var states: [SessionState] = []
      let window = runtime.openWindow { state in
        states.append(state)
        return Root { Step($0) }
      }
      let fixed = runtime.openWindow(fixedRoot: Root { Step($0) })
      let stays = try found(fixed.rootFlow as? Step)
      lab.adversary("the store answers") { gate.open() }
      await lab.settle()
      switch kind {
      case 0: try lab.require(states == [.undetermined, .signedOut], "\(states)")
      case 1: try lab.require(states.count == 2 && states.last?.session?.account == Account("A"))
      default: try lab.require(states == [.signedOut], "\(states)")
      }
      try lab.require(runtime.sessionState == states.last)
      runtime.signIn(Account("C"))
      try lab.require(stays.scope.isCurrent && stays.scope.session == nil, "a fixed root stays")
      // A child of it can be put into the session, and ends with that.
      let inside = stays.scope.step(in: runtime.session)
      let session = try found(runtime.session)
      try lab.require(inside.isCurrent && inside.flow?.scope.session == session)
      runtime.signOut()
      try lab.require(!inside.isCurrent && stays.scope.isCurrent, "it ends with its session alone")
      let late = stays.scope.step(in: session)
      try lab.require(!late.isCurrent && (runtime.refusals[.noSession] ?? 0) == 1)
      fixed.close()
      fixed.close()
      try lab.require(!stays.scope.isCurrent && window.rootFlow != nil)
    }
  }
}
