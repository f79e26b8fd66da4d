import Millrace
import RaceLab
import Testing

@Suite struct CredentialTests {
  // Fault: after a restore the app knows who is signed in, and has nothing to sign its calls with.
  @Test func restoredCredential_isThereForTheFlowsOfTheSession() async throws {
    try await Lab.run { lab in
      let store = MemorySessionStore(StoredSession(account: Account("ada"), credential: [1, 2]))
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      var roots: [Step] = []
      let window = runtime.openWindow { _ in
        Root(Step.self) { scope in
          let step = Step(scope)
          roots.append(step)
          return step
        }
      }
      await lab.settle()
      #expect(roots.map { $0.scope.credential } == [nil, [1, 2]])

      roots.last?.scope.updateCredential([3])
      #expect(roots.last?.scope.credential == [3])
      await lab.settle()
      #expect(await store.stored?.credential == [3])

      runtime.signOut()
      #expect(roots.map { $0.scope.credential } == [nil, nil, nil])
      #expect(!roots[1].scope.updateCredential([4]).isAccepted)
      await lab.settle()
      #expect(await store.stored == nil)
      window.close()
    }
  }

  // Fault: the first thing that a runtime does is never traced.
  @Test func sinkGivenAtTheStart_seesTheRestore() async throws {
    try await Lab.run { lab in
      let log = TraceLog()
      let runtime = FlowRuntime(clock: lab.clock, store: MemorySessionStore(), sinks: [log])
      await lab.settle()
      let began = log.events.contains {
        if case .operationStarted(_, name: "restore session", owner: nil) = $0 {
          true
        } else {
          false
        }
      }
      #expect(began)
      #expect(runtime.sessionState == .signedOut)
    }
  }
}
