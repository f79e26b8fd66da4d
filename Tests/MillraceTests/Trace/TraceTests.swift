import Millrace
import RaceLab
import Testing

/// What a trace tells, and what it keeps.
@Suite struct TraceTests {
  // The whole life of a child and its work, as those who look for a fault will read it.
  @Test func lifeOfAChild_isToldInOrder() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let child = stage.scope.step(as: .sheet, onOutput: { _ in })
      let run = try #require(child.scope).perform("load") { 1 }
      await lab.settle()
      child.scope?.emit(1)
      child.scope?.finish(2)
      let id = child.id
      #expect(
        stage.trace.events == [
          .flowStarted(id, name: "Step", owner: stage.root.scope.id, presentation: .sheet),
          .operationStarted(run.id, name: "load", owner: id),
          .operationEnded(run.id, name: "load", .succeeded),
          .operationQuiet(run.id, name: "load"),
          .output(id, name: "Step"),
          .output(id, name: "Step"),
          .endBegan(id, name: "Step", .finished),
          .flowEnded(id, name: "Step", .finished),
          .endApplied(id, name: "Step"),
          .flowTold(id, name: "Step"),
        ])
    }
  }

  // A session in the trace, with its epoch.
  @Test func sessionChanges_areTold() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let trace = TraceLog()
      runtime.addSink(trace)
      let session = try #require(runtime.signIn(Account("a")))
      runtime.signOut(.expired)
      #expect(
        trace.events == [
          .session(.signedIn(session)), .sessionClosed(session.epoch, .expired),
          .endBegan(nil, name: "session", .sessionEnded), .endApplied(nil, name: "session"),
          .session(.signedOut),
        ])
    }
  }

  // A log that grew for ever would be the leak that it is meant to find.
  @Test func traceLog_keepsTheNewestWithinItsLimit() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let small = TraceLog(limit: 3)
      let least = TraceLog(limit: -1)
      for log in [small, least] { stage.runtime.addSink(log) }
      for _ in 0..<20 { stage.scope.emit(1) }
      #expect(small.events.count >= 3)
      #expect(small.events.count < 6)
      #expect(small.events.count + small.dropped == 20)
      #expect(least.events.count == 1)
      #expect(least.dropped == 19)
      small.clear()
      #expect(small.events.isEmpty)
      #expect(small.dropped == 0)
    }
  }

  // Refusals among the events, for the tests of an app.
  @Test func refusals_areAmongTheEventsAndCounted() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let child = stage.scope.step()
      let scope = try #require(child.scope)
      child.dismiss()
      scope.emit(1)
      let late = scope.perform("late") {}
      #expect(
        stage.trace.refusals == [
          .refused(.emitAfterEnd, name: "Step", flow: child.id, operation: nil),
          .refused(.workAfterEnd, name: "Step", flow: child.id, operation: nil),
        ])
      #expect(late.outcome?.cancellation == .refused)
      #expect(stage.runtime.refusals == [.emitAfterEnd: 1, .workAfterEnd: 1])
    }
  }

  // A sink that was removed hears nothing, and counting goes on without any.
  @Test func removedSink_hearsNothingAndCountsGoOn() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      stage.runtime.removeSink(stage.trace)
      let child = stage.scope.step()
      let scope = try #require(child.scope)
      child.dismiss()
      scope.emit(1)
      #expect(stage.trace.events.isEmpty)
      #expect(stage.refused(.emitAfterEnd) == 1)
    }
  }

  // The counts are what benchmarks and health checks read.
  @Test func counts_areThoseOfTheTree() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      let child = stage.scope.step(onOutput: { _ in })
      child.scope?.perform("a") { try await gate.wait() }
      child.scope?.perform("b", .queue) { try await gate.wait() }
      child.scope?.emit(1)
      #expect(stage.runtime.counts.flows == 2)
      #expect(stage.runtime.counts.operations == 2)
      #expect(stage.runtime.counts.outputsDelivered == 1)
      #expect(stage.runtime.counts.outputsDropped == 0)
    }
  }
}
