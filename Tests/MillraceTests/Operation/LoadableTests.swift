import Millrace
import RaceLab
import Testing

/// The state of a load: cancellation never shows as an error, and no spinner stays for ever.
@Suite struct LoadableTests {
  @MainActor @discardableResult
  private func load(
    _ flow: Step, _ gate: Gate<String>, lifetime: OperationLifetime = .flow,
    limit: Duration? = nil
  ) -> Operation<String> {
    flow.scope.load("pages", into: \.pages, of: flow, limit: limit, lifetime: lifetime) {
      try await gate.wait()
    }
  }

  // The way of every load: nothing, loading, loaded, loading with the old value at hand.
  @Test func loads_goFromIdleOverLoadingToLoaded() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      let flow = stage.root
      #expect(flow.pages == .idle)
      load(flow, gate)
      #expect(flow.pages == .loading(previous: .idle))
      #expect(flow.pages.value == nil)
      await lab.settle()
      gate.open(with: "a")
      await lab.settle()
      #expect(flow.pages == .loaded("a"))
      load(flow, gate)
      #expect(flow.pages.isLoading)
      #expect(flow.pages.value == "a")
      await lab.settle()
      gate.open(with: "b")
      await lab.settle()
      #expect(flow.pages == .loaded("b"))
    }
  }

  // A failure is shown; the next load starts from it, and does not nest for ever.
  @Test func failure_isShownUntilTheNextLoad() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      let flow = stage.root
      load(flow, gate)
      await lab.settle()
      gate.fail(Oops())
      await lab.settle()
      #expect(flow.pages.error as? Oops == Oops())
      load(flow, gate)
      load(flow, gate)
      #expect(flow.pages == .loading(previous: .failed(Oops())))
      #expect(flow.pages.error == nil)
    }
  }

  // A limit is a failure too: the spinner ends.
  @Test func limit_isAFailure() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "deaf", .deaf)
      load(stage.root, gate, limit: .seconds(5))
      await lab.advance(by: .seconds(5))
      #expect(stage.root.pages.error is OperationTimedOut)
    }
  }

  // R16: cancelled, it goes back to what it was, and shows no error.
  @Test func cancellation_goesBackToWhatWasThere() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      let flow = stage.root
      load(flow, gate).cancel()
      #expect(flow.pages == .idle)
      gate.open(with: "a")
      load(flow, gate)
      await lab.settle()
      load(flow, gate)
      await lab.settle()
      flow.scope.cancel("pages")
      #expect(flow.pages == .loaded("a"))
    }
  }

  // The older load's answer and its cancellation are both the past.
  @Test func superseded_showsTheNewestOnly() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gates = (
        lab.gate(of: String.self, "1", .deaf), lab.gate(of: String.self, "2", .deaf)
      )
      let flow = stage.root
      load(flow, gates.0)
      await lab.settle()
      load(flow, gates.1)
      #expect(flow.pages == .loading(previous: .idle))
      await lab.settle()
      gates.0.open(with: "one")
      await lab.settle()
      #expect(flow.pages == .loading(previous: .idle))
      gates.1.open(with: "two")
      await lab.settle()
      #expect(flow.pages == .loaded("two"))
    }
  }

  // Cancelled and loaded anew inside one turn: the cancellation is told later, and is the past too.
  @Test func cancelThenLoadInOneTurn_showsLoading() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      let flow = stage.root
      load(flow, gate)
      await lab.settle()
      let trigger = stage.scope.step(onOutput: { _ in
        flow.scope.cancel("pages")
        load(flow, gate)
      })
      trigger.scope?.emit(1)
      #expect(flow.pages.isLoading)
      await lab.settle()
      gate.open(with: "v")
      await lab.settle()
      #expect(flow.pages == .loaded("v"))
    }
  }

  // Another operation under the same key takes the load's place: no spinner for ever.
  @Test func supersededByAnotherOperation_goesBack() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      let flow = stage.root
      load(flow, gate)
      await lab.settle()
      flow.scope.perform("pages") {}
      await lab.settle()
      #expect(flow.pages == .idle)
    }
  }

  // Covered and shown again: back, then loading, then the value; never an error, never empty.
  @Test func coveredAndShownAgain_loadsAgain() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      let child = stage.scope.step(as: .push)
      let flow = try #require(child.flow)
      load(flow, gate, lifetime: .appearance)
      await lab.settle()
      stage.window.report(.didCover(child.id))
      await lab.settle()
      #expect(flow.pages == .idle)
      stage.window.report(.didUncover(child.id))
      #expect(flow.pages == .loading(previous: .idle))
      await lab.settle()
      gate.open(with: "v")
      await lab.settle()
      #expect(flow.pages == .loaded("v"))
    }
  }

  // A flow that has ended shows what it showed: its state is nobody's any more.
  @Test func endWhileLoading_changesTheStateNoMore() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "deaf", .deaf)
      let child = stage.scope.step()
      let flow = try #require(child.flow)
      load(flow, gate)
      await lab.settle()
      child.dismiss()
      gate.open(with: "late")
      await lab.settle()
      #expect(flow.pages == .loading(previous: .idle))
    }
  }

  // Tests compare states, so failures that look alike have to be alike.
  @Test func failures_areEqualIfTheyPrintTheSame() {
    struct Other: Error {}
    #expect(Loadable<Int>.failed(Oops()) == .failed(Oops()))
    #expect(Loadable<Int>.failed(Oops()) != .failed(Other()))
    #expect(Loadable<Int>.loading(previous: .loaded(1)) != .loaded(1))
    #expect(Loadable<Int>.idle != .loaded(1))
  }
}
