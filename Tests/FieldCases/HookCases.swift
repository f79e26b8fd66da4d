// Every asynchronous closure that a client passes, on real threads: the main actor is kept.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// Goes elsewhere and comes back.
@concurrent private func elsewhere() async {
  await Task.detached { #expect(!isOnMainQueue()) }.value
}

@MainActor @Suite(.timeLimit(.minutes(15))) struct HookCases {
  private let rounds = 1_000

  /// What a client's closure is made of.
  enum Made: String, CaseIterable, Sendable { case onMain, concurrent }

  /// The work of a hook that the client made in this way.
  nonisolated static func work(_ made: Made) -> @concurrent @Sendable () async throws -> Int {
    switch made {
    case .onMain: { @MainActor in isOnMainQueue() ? 1 : 0 }
    case .concurrent:
      {
        await elsewhere()
        return isOnMainQueue() ? 0 : 1
      }
    }
  }

  /// A store whose requests are answered on the main actor.
  @MainActor
  final class MainStore: SessionStore {
    private(set) var stored: StoredSession?
    @MainActor func load() async throws -> StoredSession? { stored }
    @MainActor func save(_ session: StoredSession) async throws { stored = session }
    @MainActor func clear() async throws { stored = nil }
  }

  /// A store that goes elsewhere for each request.
  final class ElsewhereStore: SessionStore {
    let memory = MemorySessionStore()
    @concurrent func load() async throws -> StoredSession? {
      await elsewhere()
      return await memory.stored
    }
    @concurrent func save(_ session: StoredSession) async throws {
      await elsewhere()
      await memory.save(session)
    }
    @concurrent func clear() async throws {
      await elsewhere()
      await memory.clear()
    }
  }

  // Fault: after a client's closure was awaited the main actor is lost, and the runtime goes on
  // beside it.
  @Test(arguments: Made.allCases)
  func c74_mainActorLostAfterAnAwait(_ made: Made) async throws {
    let runtime = FlowRuntime()
    let window = runtime.openWindow { _ in Root { Screen($0, "root") } }
    let flow = try #require(window.rootFlow as? Screen)
    let scope = flow.scope
    let model = Model()
    let (heard, lost) = (Tally(), Tally())
    /// Each hook says so when it is back; `value` is 1 if the work ran where it should.
    let back: @MainActor (Int) -> Void = { value in
      if !isOnMainQueue() || value != 1 { lost.add() }
      heard.add()
    }
    let result: @MainActor (Result<Int, any Error>) -> Void = { back((try? $0.get()) ?? 0) }
    let work = Self.work(made)
    let (performed, valued) = (JoinKey<Int>("performed"), JoinKey<Int>("valued"))
    for round in 1...rounds {
      scope.task {
        _ = try await work()
        back(1)
      }
      scope.task {
        back(try await scope.value("value", .latest, work))
      }
      scope.task {
        back(try await scope.value(valued, .join, work))
      }
      scope.perform("perform", .latest, work, then: result)
      scope.perform(performed, .join, work, then: result)
      scope.load("load", into: \.state, of: model, work)
      model.changed = { back($0.value ?? 0) }
      scope.start(reading: AsyncStream<Int> { (try? await work()).flatMap { _ in nil } }) { _ in
        back(1)
      }
      await heard.reached(7 * round)
    }
    #expect(heard.count == 7 * rounds)
    #expect(lost.count == 0)
    window.close()
    try await runtime.drained(limit: .seconds(3_600))
  }

  /// A view model with a loaded state.
  @MainActor
  final class Model {
    var changed: @MainActor (Loadable<Int>) -> Void = { _ in }
    var state = Loadable<Int>.idle { didSet { if !state.isLoading { changed(state) } } }
  }

  // Fault: the same for timers, which call their body again and again.
  @Test(arguments: Made.allCases)
  func c74_mainActorLostAfterAnAwait_timer(_ made: Made) async throws {
    let runtime = FlowRuntime()
    let window = runtime.openWindow { _ in Root { Screen($0, "root") } }
    let flow = try #require(window.rootFlow as? Screen)
    let (heard, lost) = (Tally(), Tally())
    let work = Self.work(made)
    flow.scope.every(.microseconds(10)) {
      let value = try await work()
      if !isOnMainQueue() || value != 1 { lost.add() }
      heard.add()
    }
    await heard.reached(rounds)
    #expect(lost.count == 0)
    window.close()
    try await runtime.drained(limit: .seconds(3_600))
  }

  // Fault: the same for what the session calls: its store, deliveries and revocations.
  @Test(arguments: Made.allCases)
  func c74_mainActorLostAfterAnAwait_session(_ made: Made) async throws {
    let work = Self.work(made)
    let (delivered, revoked, lost) = (Tally(), Tally(), Tally())
    let sink = ReportSink()
    let stores: [any SessionStore] = [MainStore(), ElsewhereStore()]
    for store in stores {
      let runtime = FlowRuntime(store: store) { _, _ in
        if try await work() != 1 { lost.add() }
        delivered.add()
      }
      runtime.addSink(sink)
      let window = runtime.openWindow { _ in
        Root { Screen($0, "root", onEnd: { _, _ in if !isOnMainQueue() { lost.add() } }) }
      }
      let before = (delivered.count, revoked.count)
      for round in 1...rounds / 2 {
        runtime.signIn(Account("A"))
        try #require(window.rootFlow as? Screen).scope.handOver(Handover(name: "R", body: []))
        await delivered.reached(before.0 + round)
        runtime.signOut(handovers: .discard) {
          if try await work() != 1 { lost.add() }
          revoked.add()
        }
        await revoked.reached(before.1 + round)
      }
      try await runtime.drained(limit: .seconds(3_600))
      let stored = try await store.load()
      #expect(stored == nil)
      window.close()
    }
    #expect(delivered.count == rounds && revoked.count == rounds)
    #expect(lost.count == 0 && sink.strays == 0)
  }
}
