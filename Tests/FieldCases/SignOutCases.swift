// Sign-out: local, synchronous and first; and what was under way at that moment.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct SignOutCases {
  // Fault: a refresh that was in flight at the sign-out stores its token, and the next launch
  // counts the old user as signed in.
  @Test(arguments: [Hearing.deaf, .shielded], [OperationLifetime.flow, .session])
  func c02_refreshThatLandsAfterTheSignOut(
    _ hearing: Hearing, _ lifetime: OperationLifetime
  ) async throws {
    try await Lab.run { lab in
      let store = MemorySessionStore(StoredSession(account: Account("A"), credential: [1]))
      let stage = Stage(lab, store: store)
      await lab.settle()
      let notes = Notes()
      let remote = Remote<[UInt8]>(lab, "g", hearing)
      let flow = try stage.root()
      #expect(flow.name == "A")
      flow.scope.perform("refresh", lifetime: lifetime) {
        try await remote.call()
      } then: {
        notes.add("refreshed")
        if let token = try? $0.get() { flow.scope.updateCredential(token) }
      }
      await lab.settle()
      stage.runtime.signOut()
      await lab.settle()
      let cleared = await store.stored
      #expect(cleared == nil)
      remote.gate.open(with: [2])
      await lab.settle()
      // The old flow in old hands does not bring the token back either.
      #expect(flow.scope.updateCredential([3]) == .refused(.noSession))
      await lab.settle()
      let stored = await store.stored
      #expect(stored == nil)
      #expect(notes.lines.isEmpty)
      #expect(stage.stale("refresh") == 1)

      let next = Stage(lab, store: store)
      await lab.settle()
      #expect(next.runtime.sessionState == .signedOut)
      stage.expectSound()
      next.expectSound()
    }
  }

  // Fault: local clean-up waits for the server; what was going on is reported as cancelled by the
  // user.
  @Test(arguments: Trial.all)
  func c57_signOutNeedsTheNetwork(_ trial: Trial) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "A")
      let session = try #require(stage.runtime.session)
      let revoke = Remote<Void>(lab, "revoke", .deaf)
      let again = Remote<Int>(lab, "re-authentication", trial.hearing)
      let notes = Notes()
      let hook: @MainActor (Screen, Ending<String>) -> Void = { flow, ending in
        notes.add("\(flow.name) \(ending.kind)")
      }
      let a = try stage.root()
      let b = try #require(a.scope.open("B", onEnd: hook).flow)
      let c = try #require(b.scope.open("C", as: .sheet, onEnd: hook).flow)
      c.scope.load("re-authentication", again, by: trial.way) { _ in notes.add("answered") }
      await lab.settle()

      let flows = [a, b, c].map(\.scope)
      let button = a.scope.open(
        "button", as: .inline,
        onOutput: { _ in
          let answer = stage.runtime.signOut { try await revoke.call() }
          // The same turn: all is closed, and nobody has been told.
          #expect(answer == .accepted)
          #expect(stage.runtime.session == nil)
          #expect(stage.runtime.sessionState == .signedOut)
          #expect(flows.allSatisfy { !$0.isCurrent && $0.session == session })
          #expect(
            flows.map { stage.endings(of: $0.id) } == .init(repeating: [.sessionEnded], count: 3))
          #expect(notes.lines.isEmpty)
        })
      button.flow?.scope.emit("tapped")
      await lab.settle()

      #expect(notes.lines == ["C sessionEnded", "B sessionEnded"])
      #expect(try stage.root().name == "signedOut")
      #expect(stage.outcomes(of: "re-authentication") == [.cancelled(.sessionEnded)])
      #expect(revoke.pending == 1)
      again.gate.open(with: 1)
      await lab.settle()
      #expect(notes.lines.count == 2)
      #expect(stage.stale("re-authentication") == trial.staleResults)

      // A new sign-in does not wait for the revocation, and survives its failure.
      let next = try #require(stage.runtime.signIn(Account("A")))
      await lab.advance(by: .seconds(10))
      #expect(stage.outcomes(of: "revoke") == [.failed])
      #expect(stage.log.events.contains { if case .problem = $0 { true } else { false } })
      #expect(stage.runtime.session == next)
      revoke.gate.open()
      await lab.settle()
      #expect(stage.stale("revoke") == 1)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }
}
