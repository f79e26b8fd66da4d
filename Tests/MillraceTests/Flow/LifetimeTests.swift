import Millrace
import RaceLab
import Testing

/// R1 and R5: what keeps a flow alive, and what is let go when it ends.
@Suite struct LifetimeTests {
  /// A flow that counts itself, and captures itself strongly in everything that it gives away.
  @MainActor
  private final class Holder: Flow {
    let scope: FlowScope<Int>
    private let counted: Counted
    private let gate: Gate<Void>
    private(set) var children: [Child<Step>] = []
    private(set) var page = Loadable<String>.idle

    init(_ scope: FlowScope<Int>, alive: Tally, gate: Gate<Void>) {
      self.scope = scope
      self.counted = Counted(alive)
      self.gate = gate
    }

    private func touch() { counted.touch() }

    func start() {
      let gate = gate
      scope.task { [self] in
        try await gate.wait()
        touch()
      }
      scope.task("failing", onError: { [self] _ in touch() }) { try await gate.wait() }
      scope.perform("flow", .queue) {
        try await gate.wait()
      } then: { [self] _ in
        touch()
      } onCancel: { [self] _ in
        touch()
      }
      scope.perform("flow", .queue) {
      } then: { [self] _ in
        touch()
      }
      scope.perform("session", lifetime: .session) {
        1
      } then: { [self] _ in
        touch()
      }
      scope.perform("shown", lifetime: .appearance) {
        try await gate.wait()
      } then: { [self] _ in
        touch()
      }
      scope.perform("late", .debounce(.seconds(5))) {
      } then: { [self] _ in
        touch()
      }
      scope.perform(JoinKey<Int>("joined")) {
        1
      } then: { [self] _ in
        touch()
      }
      scope.every(.seconds(1)) { [self] in touch() }
      scope.load("page", into: \.page, of: self) {
        try await gate.wait()
        return ""
      }
      children = [
        scope.step(
          onOutput: { [self] _ in touch() }, onOverflow: { [self] in touch() },
          onEnding: { [self] _ in touch() })
      ]
    }

    func willEnd(_ ending: Ending<Int>) { touch() }
  }

  // Dropping a handle is no statement: a coordinator that forgets one keeps its child.
  @Test func releasedHandles_changeNothing() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let begun = Tally()
      do {
        let child = stage.scope.step()
        child.scope?.perform("work") { begun.add() }
        _ = child.scope
      }
      await lab.settle()
      #expect(stage.runtime.counts.flows == 2)
      #expect(begun.value == 1)
      #expect(stage.runtime.refusals.isEmpty)
    }
  }

  // A number that came back would let a late report end a flow that has nothing to do with it.
  @Test func identities_areNeverUsedAgain() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var seen: Set<UInt64> = []
      var count = 0
      for round in 0..<50 {
        let session = stage.runtime.signIn(Account("same"))
        let root = try #require(stage.window.rootFlow as? Step)
        let child = root.scope.step()
        let run = child.scope?.perform("work") {}
        let numbers = [
          session?.epoch.rawValue, root.scope.id.rawValue, child.id.rawValue, run?.id.rawValue,
        ]
        for number in numbers.compactMap({ $0 }) { seen.insert(number) }
        count += 4
        if round.isMultiple(of: 2) { stage.runtime.signOut() }
        await lab.settle()
      }
      #expect(seen.count == count)
    }
  }

  // Closures may capture `self` strongly: the end has to let go of every one of them.
  @Test func flowCapturedByAllItsClosures_isFreedAtItsEnd() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let alive = Tally()
      let gate = lab.gate("work")
      let child = stage.scope.start(as: .push) { Holder($0, alive: alive, gate: gate) }
      await lab.settle()
      await lab.advance(by: .seconds(2))
      #expect(alive.value == 1)
      child.dismiss()
      await lab.settle()
      #expect(alive.value == 0)
      #expect(stage.runtime.leaks().isEmpty)
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // The same for a flow that is ended before anything of it has run.
  @Test func flowEndedInTheJobThatStartedIt_isFreed() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let alive = Tally()
      let gate = lab.gate("work")
      let child = stage.scope.start(as: .push) { Holder($0, alive: alive, gate: gate) }
      stage.window.report(.didCover(child.id))
      child.dismiss()
      await lab.settle()
      #expect(alive.value == 0)
    }
  }

  // A leak of one screen for each login is what kills an app that is left open for days.
  @Test func thousandSignInsAndOuts_comeBackToTheSameCount() async throws {
    try await Lab.run { lab in
      let alive = Tally()
      let gate = lab.gate("work")
      let runtime = FlowRuntime(clock: lab.clock, store: MemorySessionStore())
      let window = runtime.openWindow { state in
        if state.session == nil { return Root { Step($0) } }
        return Root { Holder($0, alive: alive, gate: gate) }
      }
      await lab.settle()
      let before = runtime.counts
      #expect(runtime.sessionState == .signedOut)
      for round in 0..<1_000 {
        runtime.signIn(Account(round.isMultiple(of: 3) ? "a" : "b"))
        #expect(alive.value <= 2)
        if round.isMultiple(of: 2) { await lab.settle() }
        runtime.signOut()
        if round.isMultiple(of: 5) { await lab.settle() }
      }
      await lab.settle()
      #expect(alive.value == 0)
      #expect(runtime.counts.flows == before.flows)
      #expect(runtime.counts.operations == before.operations)
      #expect(runtime.leaks().isEmpty)
      #expect(window.rootFlow is Step)
    }
  }

  // A hundred ways to end must leave nothing behind, without a further start that tidies up.
  @Test func childrenEndedInEachWay_leaveNothingWithTheirOwner() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let alive = Tally()
      let gate = lab.gate("work")
      let slot = Slot<Holder>()
      for round in 0..<100 {
        let child = stage.scope.start(in: slot) { Holder($0, alive: alive, gate: gate) }
        if round.isMultiple(of: 2) { await lab.settle() }
        switch round % 4 {
        case 0: child.dismiss()
        case 1: child.cancel()
        case 2: child.flow?.scope.finish(round)
        default: break  // The next one replaces it.
        }
      }
      slot.child?.dismiss()
      await lab.settle()
      #expect(alive.value == 0)
      #expect(stage.runtime.counts.flows == 1)
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // Releasing the runtime, with the window released before or after it, ends all of its flows.
  @Test(arguments: [true, false])
  func releasedRuntime_endsItsFlowsAndFreesThem(windowFirst: Bool) async throws {
    try await Lab.run { lab in
      let alive = Tally()
      let gate = lab.gate("work")
      var runtime: FlowRuntime? = FlowRuntime(clock: lab.clock)
      var window = runtime?.openWindow { _ in Root { Holder($0, alive: alive, gate: gate) } }
      await lab.settle()
      #expect(alive.value == 1)
      #expect(window?.rootFlow != nil)
      if windowFirst { window = nil } else { runtime = nil }
      await lab.settle()
      if windowFirst {
        #expect(alive.value == 0)
        #expect(runtime?.counts.flows == 0)
      }
      window = nil
      runtime = nil
      await lab.settle()
      #expect(alive.value == 0)
    }
  }

  // The last reference may go away on any thread; the end comes on the main actor all the same.
  @Test func runtimeReleasedElsewhere_endsOnceOnTheMainActor() async throws {
    try await Lab.run { lab in
      let log = Log()
      do {
        let runtime = FlowRuntime(clock: lab.clock)
        let window = runtime.openWindow { _ in
          Root({
            Step(
              $0,
              willEnd: { _, ending in
                MainActor.assertIsolated()
                log("willEnd \(ending.kind)")
              })
          })
        }
        Task.detached { _ = (runtime, window) }
      }
      #expect(log.lines == [])
      await lab.settle()
      #expect(log.lines.count == 1)
    }
  }
}
