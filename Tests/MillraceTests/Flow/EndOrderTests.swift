import Millrace
import RaceLab
import Testing

/// R3 and R4: state first, then telling, both deepest first and siblings youngest first.
@Suite struct EndOrderTests {
  /// A tree a → (b → (c, d), e) whose flows write down how their ends are told.
  @MainActor
  private func plant(below scope: FlowScope<Int>, _ log: Log) -> [String: Child<Step>] {
    var children: [String: Child<Step>] = [:]
    func add(_ name: String, below scope: FlowScope<Int>?) {
      children[name] = scope?.step(willEnd: { _, ending in log("\(name) \(ending.kind)") })
    }
    add("a", below: scope)
    add("b", below: children["a"]?.scope)
    add("c", below: children["b"]?.scope)
    add("d", below: children["b"]?.scope)
    add("e", below: children["a"]?.scope)
    return children
  }

  // A parent that is taken down first leaves a live child talking to a dead parent.
  @Test func dismissal_tellsDeepestFirstAndYoungestFirst() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let tree = plant(below: stage.scope, log)
      tree["a"]?.dismiss()
      #expect(
        log.lines == [
          "e ownerEnded", "d ownerEnded", "c ownerEnded", "b ownerEnded", "a dismissed",
        ])
    }
  }

  // The same order has to hold for the state: whoever looks at the trace reads causes from it.
  @Test func dismissal_fixesEndingsInTheOrderOfTheTelling() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let tree = plant(below: stage.scope, Log())
      tree["a"]?.dismiss()
      var ended: [FlowID] = []
      var told: [FlowID] = []
      for event in stage.trace.events {
        if case .flowEnded(let id, _, _) = event { ended.append(id) }
        if case .flowTold(let id, _) = event { told.append(id) }
      }
      #expect(ended == ["e", "d", "c", "b", "a"].compactMap { tree[$0]?.id })
      #expect(told == ended)
    }
  }

  // If telling began before all are marked, the first `willEnd` could still act through a sibling.
  @Test func firstWillEnd_findsTheWholeSubtreeEnded() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let tree = Held<[Child<Step>]>([])
      var seen: [Bool] = []
      let top = stage.scope.step()
      let old = top.scope?.step()
      let young = top.scope?.step(willEnd: { _, _ in seen = tree.value.map(\.isCurrent) })
      tree.value = [top, old, young].compactMap { $0 }
      top.dismiss()
      #expect(seen == [false, false, false])
    }
  }

  // A caller that has dismissed must find the end done, also inside a turn where telling waits.
  @Test func dismissalInAHandler_endsInTheCallAndTellsAfterTheTurn() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let other = stage.scope.step(willEnd: { _, _ in log("told") })
      let child = stage.scope.step(onOutput: { _ in
        other.dismiss()
        log("current \(other.isCurrent)")
      })
      child.scope?.emit(1)
      #expect(log.lines == ["current false", "told"])
    }
  }

  // R4: an owner that hears the ending before `willEnd` would restart what is not yet clean.
  @Test func telling_isWillEndThenStreamThenOnEndingThenWaiters() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(
        willEnd: { _, _ in log("willEnd") }, onEnding: { _ in log("onEnding") })
      Task { @MainActor in
        for try await _ in child.outputs {}
        log("stream")
      }
      Task { @MainActor in log("ending \(await child.ending.kind)") }
      await lab.settle()
      child.cancel()
      #expect(log.lines == ["willEnd", "onEnding"])
      await lab.settle()
      #expect(log.lines == ["willEnd", "onEnding", "stream", "ending cancelled"])
    }
  }

  // Two ends in one turn must be told in the order in which they were applied.
  @Test func endsInOneTurn_areToldInTheirOrder() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let first = stage.scope.step(willEnd: { _, _ in log("first") })
      let second = stage.scope.step(willEnd: { _, _ in log("second") })
      let child = stage.scope.step(onOutput: { _ in
        second.dismiss()
        first.dismiss()
      })
      child.scope?.emit(1)
      #expect(log.lines == ["second", "first"])
    }
  }

  // An end that is asked for below one that is being told must not be told twice or out of order.
  @Test func ownerEndedInTheTellingOfItsChild_isToldOnceAfterIt() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let owner = stage.scope.step(willEnd: { _, ending in log("owner \(ending.kind)") })
      let child = owner.scope?.step(
        willEnd: { _, ending in
          log("child \(ending.kind)")
          owner.dismiss()
          log("owner current \(owner.isCurrent)")
        }, onEnding: { _ in log("onEnding") })
      child?.dismiss()
      #expect(log.lines == ["child dismissed", "owner current false", "owner dismissed"])
    }
  }

  // A flow that ends itself while it is built would otherwise be started, and be shown.
  @Test func endInInit_neverStartsTheFlow() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let owner = stage.scope.step(willEnd: { _, ending in log("owner \(ending.kind)") })
      let child = owner.scope?.start(Step.self) { scope in
        owner.dismiss()
        return Step(
          scope, start: { _ in log("start") }, willEnd: { _, ending in log("child \(ending.kind)") }
        )
      }
      #expect(child?.isCurrent == false)
      #expect(log.lines == ["child ownerEnded", "owner dismissed"])
      #expect(stage.runtime.counts.flows == 1)
    }
  }

  // A coordinator that gives up in `start` must end once, with its children, and be told.
  @Test func ownerEndedInStartOfItsChild_endsBothOnce() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let owner = stage.scope.step(willEnd: { _, ending in log("owner \(ending.kind)") })
      let child = owner.scope?.step(
        start: { step in
          owner.dismiss()
          step.scope.emit(1)
          log("late child \(step.scope.step().isCurrent)")
        }, willEnd: { _, ending in log("child \(ending.kind)") })
      #expect(child?.isCurrent == false)
      #expect(log.lines == ["late child false", "child ownerEnded", "owner dismissed"])
      #expect(stage.refused(.emitAfterEnd) == 1)
      #expect(stage.refused(.startAfterEnd) == 1)
    }
  }

  // Several subtrees that end with one session are one step: none may see another alive.
  @Test func signOut_endsAllRootsOfTheEpochBeforeAnyIsTold() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      guard let session = stage.runtime.signIn(Account("a")) else { return }
      let top = stage.window.rootFlow as? Step
      let children = Held<[Child<Step>]>([])
      for name in ["old", "young"] {
        let child = top?.scope.start(Step.self, in: session) { scope in
          Step(
            scope,
            willEnd: { _, ending in
              log("\(name) \(ending.kind) \(children.value.map(\.isCurrent))")
            })
        }
        if let child { children.value.append(child) }
      }
      stage.runtime.signOut()
      #expect(
        log.lines == ["young sessionEnded [false, false]", "old sessionEnded [false, false]"])
    }
  }
}
