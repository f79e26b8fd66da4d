import Millrace
import RaceLab
import Testing

/// R4 and R5: an ended flow that stays in memory is named, with what holds it.
@Suite struct LeakTests {
  // A deaf task that captured its flow is the most common leak: it has a name.
  @Test func flowHeldByADeafOperation_isNamedWithIt() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: true))
      let deaf = lab.gate("deaf", .deaf)
      let child = stage.scope.step()
      let run = try #require(child.flow).hold(deaf)
      await lab.settle()
      child.dismiss()
      await lab.settle()
      let leaks = stage.runtime.leaks()
      #expect(
        leaks.map(\.description) == [
          "Step \(child.id) has ended and is still in memory, "
            + "held by the deaf operation hold \(run.id)"
        ])
      #expect(
        stage.trace.events.contains(
          .leak(child.id, name: "Step", heldBy: ["the deaf operation hold \(run.id)"])))
      deaf.open()
      await lab.settle()
      #expect(stage.runtime.leaks().isEmpty)
    }
  }

  // A reader that is parked somewhere else after the child has ended.
  @Test func flowHeldBesideAReader_namesTheReader() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: true))
      let child = stage.scope.step()
      let flow = child.flow
      let gate = lab.gate("reader")
      let reader = Task { @MainActor in
        for try await _ in child.outputs { try await gate.wait() }
      }
      await lab.settle()
      child.scope?.emit(1)
      await lab.settle()
      child.dismiss()
      #expect(stage.runtime.leaks().map(\.holders) == [["a reader of its outputs"]])
      #expect(flow != nil)
      reader.cancel()
      await lab.settle()
      #expect(stage.runtime.leaks().map(\.holders) == [[]])
    }
  }

  // Something outside the runtime holds it: the message says where to look.
  @Test func flowHeldOutside_saysSo() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: true))
      let child = stage.scope.step()
      var flow = child.flow
      child.dismiss()
      #expect(flow?.scope.isCurrent == false)
      #expect(
        stage.runtime.leaks().map(\.description) == [
          "Step \(child.id) has ended and is still in memory, held by something outside the "
            + "runtime: look for a stored reference to the flow"
        ])
      flow = nil
      #expect(stage.runtime.leaks().isEmpty)
    }
  }

  // Switched off, nothing is watched.
  @Test func withoutTheCheck_nothingIsWatched() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, options: RuntimeOptions(checksLeaks: false))
      let child = stage.scope.step()
      let flow = child.flow
      child.dismiss()
      #expect(stage.runtime.leaks().isEmpty)
      #expect(flow != nil)
    }
  }
}

extension Step {
  /// A task that captures its flow and does not listen.
  fileprivate func hold(_ gate: Gate<Void>) -> TaskOperation {
    scope.task("hold") { [self] in
      try await gate.wait()
      _ = scope.isCurrent
    }
  }
}
