import Millrace
import RaceLab
import Testing

/// The store is written behind, one request at a time, and only the newest.
@Suite struct SessionStoreTests {
  // A slow store must hold nobody up, and must end with what was asked for last.
  @Test func writesBehindASlowOne_areOneAndTheNewest() async throws {
    try await Lab.run { lab in
      let store = GateStore(lab)
      store.load.open(with: nil)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      await lab.settle()
      runtime.signIn(Account("a"), credential: [1])
      await lab.settle()
      runtime.signOut()
      runtime.signIn(Account("b"), credential: [2])
      runtime.signIn(Account("c"), credential: [3])
      #expect(runtime.session?.account == Account("c"))
      await lab.settle()
      #expect(store.log.lines == ["load", "save a [1]"])
      store.save.open()
      await lab.settle()
      store.save.open()
      await lab.settle()
      #expect(
        store.log.lines == ["load", "save a [1]", "save done", "save c [3]", "save done"])
    }
  }

  // Written in the wrong order, the old user is signed in again at the next launch.
  @Test func clearAfterASave_comesAfterIt() async throws {
    try await Lab.run { lab in
      let store = GateStore(lab)
      store.load.open(with: nil)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      await lab.settle()
      runtime.signIn(Account("a"))
      await lab.settle()
      runtime.signOut()
      store.clear.open()
      await lab.settle()
      #expect(store.log.lines == ["load", "save a []"])
      store.save.open()
      await lab.settle()
      #expect(
        store.log.lines == ["load", "save a []", "save done", "clear", "clear done"])
    }
  }

  // One request at a time means the reading at launch too: a store need not be an actor.
  @Test func writeWhileTheStoreIsRead_waitsForIt() async throws {
    try await Lab.run { lab in
      let store = GateStore(lab)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      await lab.settle()
      runtime.signIn(Account("a"))
      await lab.settle()
      #expect(store.log.lines == ["load"])
      store.load.open(with: nil)
      await lab.settle()
      #expect(store.log.lines == ["load", "save a []"])
      #expect(runtime.session?.account == Account("a"))
    }
  }

  // A store that fails is a problem that is told, and changes nothing else.
  @Test func storeThatFails_changesNothingElse() async throws {
    try await Lab.run { lab in
      let store = GateStore(lab)
      store.load.open(with: nil)
      let runtime = FlowRuntime(clock: lab.clock, store: store)
      let trace = TraceLog()
      runtime.addSink(trace)
      await lab.settle()
      runtime.signIn(Account("a"))
      store.save.fail(Oops())
      await lab.settle()
      #expect(runtime.session?.account == Account("a"))
      #expect(
        trace.events.contains(.problem("the session store cannot be written: Oops()")))
      store.clear.open()
      runtime.signOut()
      await lab.settle()
      #expect(store.log.lines == ["load", "save a []", "clear", "clear done"])
    }
  }

  /// A runtime that has asked once to be forgotten, of a store that fails so many times.
  @MainActor
  private func signedOut(
    _ lab: Lab, failures: Int
  ) async -> (store: FailingStore, runtime: FlowRuntime) {
    let store = FailingStore(failures: failures)
    let runtime = FlowRuntime(clock: lab.clock, store: store)
    await lab.settle()
    runtime.signOut()
    await lab.settle()
    return (store, runtime)
  }

  // A sign-out that the store did not take would sign its user in again at the next launch.
  @Test func clearThatFails_isTriedAgain() async throws {
    try await Lab.run { lab in
      let (store, runtime) = await signedOut(lab, failures: 2)
      #expect(store.log.lines == ["clear"])
      await lab.advance(by: .milliseconds(999))
      #expect(store.log.lines == ["clear"])
      await lab.advance(by: .milliseconds(1))
      #expect(store.log.lines == ["clear", "clear"])
      await lab.advance(by: .seconds(2))
      #expect(store.log.lines == ["clear", "clear", "clear"])
      await lab.advance(by: .seconds(3_600))
      #expect(store.log.lines == ["clear", "clear", "clear"], "it was taken")
      #expect(runtime.session == nil)
    }
  }

  @Test func newerRequest_takesThePlaceOfOneThatFailed() async throws {
    try await Lab.run { lab in
      let (store, runtime) = await signedOut(lab, failures: 1)
      runtime.signIn(Account("b"))
      await lab.advance(by: .seconds(3_600))
      #expect(store.log.lines == ["clear", "save b"])
    }
  }

  @Test func storeThatFailsForEver_isLeftAloneInTheEnd() async throws {
    try await Lab.run { lab in
      let (store, runtime) = await signedOut(lab, failures: .max)
      await lab.advance(by: .seconds(100_000))
      #expect(store.log.lines.count == 11)
      #expect(runtime.session == nil)
    }
  }

  // The last write goes on though the runtime is released: the next launch reads it.
  @Test func writeOfAReleasedRuntime_isFinished() async throws {
    try await Lab.run { lab in
      let store = GateStore(lab)
      store.load.open(with: StoredSession(account: Account("a")))
      do {
        let runtime = FlowRuntime(clock: lab.clock, store: store)
        await lab.settle()
        runtime.signOut()
      }
      await lab.settle()
      store.clear.open()
      await lab.settle()
      #expect(store.log.lines == ["load", "clear", "clear done"])
    }
  }

  // The store that comes with the package keeps one sign-in.
  @Test func memoryStore_keepsTheLastSignIn() async throws {
    try await Lab.run { lab in
      let store = MemorySessionStore(StoredSession(account: Account("a"), credential: [1]))
      let first = FlowRuntime(clock: lab.clock, store: store)
      await lab.settle()
      #expect(first.session?.account == Account("a"))
      first.signIn(Account("b"))
      await lab.settle()
      let second = FlowRuntime(clock: lab.clock, store: store)
      await lab.settle()
      #expect(second.session?.account == Account("b"))
      second.signOut()
      await lab.settle()
      let third = FlowRuntime(clock: lab.clock, store: store)
      await lab.settle()
      #expect(third.sessionState == .signedOut)
    }
  }
}

/// Holds one sign-in, and fails so many times when it is written.
@MainActor
private final class FailingStore: SessionStore {
  let log = Log()
  private var failures: Int

  init(failures: Int) { self.failures = failures }

  @concurrent func load() async -> StoredSession? { StoredSession(account: Account("a")) }
  @concurrent func save(_ session: StoredSession) async throws {
    try await write("save \(session.account.id)")
  }
  @concurrent func clear() async throws { try await write("clear") }

  private func write(_ line: String) throws {
    log(line)
    guard failures > 0 else { return }
    failures -= 1
    throw Oops()
  }
}
