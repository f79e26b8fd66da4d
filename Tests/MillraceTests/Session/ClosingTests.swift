import Millrace
import RaceLab
import Testing

/// What happens in the middle of a change of session.
@MainActor @Suite struct ClosingTests {
  /// Does something when a session is closed.
  private final class ClosingSink: TraceSink {
    var act: (() -> Void)?

    func record(_ event: TraceEvent) {
      guard case .sessionClosed = event, let act else { return }
      self.act = nil
      act()
    }
  }

  // The next session is open before the flows of the last have ended: they close it, or change it.
  @Test func flowOfTheLastSession_cannotChangeTheNext() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let scope = stage.scope
      let sink = ClosingSink()
      stage.runtime.addSink(sink)
      var isAsked = false
      sink.act = {
        stage.runtime.signIn(Account("b"), credential: [2])
        isAsked = true
        #expect(scope.updateCredential([1]) == .refused(.noSession))
        #expect(scope.signOut() == .refused(.noSession))
        #expect(scope.upgrade(to: Account("c")) == nil)
      }
      stage.runtime.signOut()
      await lab.settle()
      #expect(isAsked && stage.runtime.session?.account == Account("b"))
    }
  }

  // A sign-in that the store could not keep is tried again after the sign-out: the next launch signs in
  // who has signed out.
  @Test func saveThatFailsAfterTheSignOut_isNotTriedAgain() async throws {
    struct Full: Error {}
    try await Lab.run { lab in
      let store = GateStore(lab)
      store.load.open(with: nil)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      await lab.settle()
      runtime.signIn(Account("a"))
      await lab.settle()
      runtime.signOut()
      store.save.fail(Full())
      store.clear.open()
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      #expect(store.log.lines == ["load", "save a []", "clear", "clear done"])
    }
  }

  // Nothing was to be discarded, and a store that cannot be read is told as if something were lost.
  @Test func storeThatIsReadTooLate_isNoProblemForOneWhoKeeps() async throws {
    struct Broken: Error {}
    try await Lab.run { lab in
      let store = GateStore(lab)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      let log = TraceLog()
      runtime.addSink(log)
      runtime.signIn(Account("a"))
      await lab.settle()
      store.load.fail(Broken())
      store.save.open()
      await lab.settle()
      let problems = log.events.filter { if case .problem = $0 { true } else { false } }
      #expect(problems == [])
    }
  }
}
