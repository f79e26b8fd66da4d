import Millrace
import RaceLab
import Testing

/// R3 and R23: an end runs foreign code, in cancellation handlers and deinitializers. Whatever that
/// code asks for, the end is complete, told once and in order.
@Suite struct EndReentrancyTests {
  /// Waits at a gate; its cancellation handler runs on the main actor, within the end.
  @MainActor
  private func waitDeaf(
    _ gate: Gate<Void>, onCancel: @escaping @MainActor @Sendable () -> Void
  ) async throws {
    try await withTaskCancellationHandler {
      try await gate.wait()
    } onCancel: {
      MainActor.assumeIsolated { onCancel() }
    }
  }

  // A delivery in the midst of an end told flows whose work had not been cancelled yet.
  @Test func emitInACancellationHandler_leavesNoOperationUncancelled() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("work")
      let other = stage.scope.step(onOutput: { _ in log("heard") })
      let top = stage.scope.step(willEnd: { _, _ in log("top") })
      let scope = try #require(top.scope)
      let first = scope.step(willEnd: { _, _ in log("first") })
      let second = scope.step(willEnd: { _, _ in log("second") })
      let third = scope.step(willEnd: { _, _ in log("third") })
      let kept = first.scope?.task("kept") { try await gate.wait() }
      third.scope?.task("striker") {
        try await waitDeaf(gate) { other.flow?.scope.emit(1) }
      }
      _ = second
      await lab.settle()
      top.dismiss()
      #expect(kept?.isCurrent == false)
      #expect(kept?.outcome?.cancellation == .ownerEnded)
      await lab.settle()
      #expect(stage.runtime.counts.operations == 0)
      #expect(log.lines.filter { $0 != "heard" } == ["third", "second", "first", "top"])
      #expect(log.lines.contains("heard"))
    }
  }

  // R3: telling in the midst of the state step lets `willEnd` see work that is not cancelled.
  @Test func emitInACancellationHandler_tellsNobodyBeforeTheStateIsDone() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("work")
      let other = stage.scope.step(onOutput: { _ in })
      let work = Held<[TaskOperation]>([])
      var current: [Bool] = []
      let top = stage.scope.step()
      let scope = try #require(top.scope)
      let old = scope.step()
      let young = scope.step(willEnd: { _, _ in current = work.value.map(\.isCurrent) })
      if let run = old.scope?.task("old", { try await gate.wait() }) { work.value.append(run) }
      young.scope?.task("young") { try await waitDeaf(gate) { other.flow?.scope.emit(1) } }
      await lab.settle()
      top.dismiss()
      #expect(current == [false])
    }
  }

  // A handler that cancelled another operation cut the list that the end was walking along.
  @Test func cancelOfAnotherOperationInACancellationHandler_skipsNone() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("work")
      let child = stage.scope.step()
      let scope = try #require(child.scope)
      let oldest = scope.task("oldest") { try await gate.wait() }
      scope.perform("line", .queue) { try await gate.wait() }
      let queued = scope.perform("line", .queue) { try await gate.wait() }
      scope.task("striker") { try await waitDeaf(gate) { queued.cancel() } }
      await lab.settle()
      child.dismiss()
      #expect(!oldest.isCurrent)
      #expect(!queued.isCurrent)
      await lab.settle()
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // The same walk when a screen is covered.
  @Test func cancelInACancellationHandlerWhileCovered_skipsNone() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("work")
      let child = stage.scope.step(as: .push)
      let scope = try #require(child.scope)
      scope.perform("line", .queue) { try await gate.wait() }
      let queued = Held<Operation<Void>?>(nil)
      scope.perform("striker", lifetime: .appearance) {
        try await withTaskCancellationHandler {
          try await gate.wait()
        } onCancel: {
          MainActor.assumeIsolated { _ = queued.value?.cancel() }
        }
      }
      queued.value = scope.perform("line", .queue) { try await gate.wait() }
      let last = scope.perform("last", lifetime: .appearance) { try await gate.wait() }
      await lab.settle()
      stage.window.report(.didCover(child.id))
      #expect(last.outcome?.cancellation == .covered)
    }
  }

  // An end within an end: both are complete, and each flow is told once.
  @Test func endOfAnotherTreeInACancellationHandler_isTakenToo() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("work")
      let other = stage.scope.step(willEnd: { _, ending in log("other \(ending.kind)") })
      let below = other.scope?.step(willEnd: { _, ending in log("below \(ending.kind)") })
      let top = stage.scope.step(willEnd: { _, ending in log("top \(ending.kind)") })
      top.scope?.step(willEnd: { _, ending in log("inner \(ending.kind)") })
      top.scope?.task { try await waitDeaf(gate) { other.dismiss() } }
      await lab.settle()
      top.dismiss()
      #expect(!other.isCurrent)
      #expect(below?.isCurrent == false)
      #expect(
        log.lines == ["inner ownerEnded", "top dismissed", "below ownerEnded", "other dismissed"])
    }
  }

  // Ending the owner from the handler of a child's work must not end the child's part twice.
  @Test func endOfTheOwnerInACancellationHandler_endsEachOnce() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("work")
      let owner = stage.scope.step(willEnd: { _, ending in log("owner \(ending.kind)") })
      let top = owner.scope?.step(willEnd: { _, ending in log("top \(ending.kind)") })
      let sibling = owner.scope?.step(willEnd: { _, ending in log("sibling \(ending.kind)") })
      let inner = top?.scope?.step(willEnd: { _, ending in log("inner \(ending.kind)") })
      inner?.scope?.task { try await waitDeaf(gate) { owner.dismiss() } }
      await lab.settle()
      top?.dismiss()
      #expect(!owner.isCurrent)
      #expect(sibling?.isCurrent == false)
      #expect(
        log.lines == ["inner ownerEnded", "top dismissed", "sibling ownerEnded", "owner dismissed"])
      await lab.settle()
      #expect(stage.runtime.counts.flows == 1)
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // What the ending flow itself asks for in its handlers is refused like anything else.
  @Test func workInACancellationHandler_isRefused() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("work")
      let begun = Tally()
      let child = stage.scope.step()
      let flow = try #require(child.flow)
      flow.scope.task {
        try await waitDeaf(gate) {
          flow.scope.perform("more") { begun.add() }
          flow.scope.step()
          flow.scope.emit(1)
        }
      }
      await lab.settle()
      child.dismiss()
      await lab.settle()
      #expect(begun.value == 0)
      #expect(stage.refused(.workAfterEnd) == 1)
      #expect(stage.refused(.startAfterEnd) == 1)
      #expect(stage.refused(.emitAfterEnd) == 1)
    }
  }

  // Releasing a closure runs the deinitializers of what it captured, in the midst of an end.
  @Test func endInADeinitOfACapture_isTaken() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let alive = Tally()
      let other = stage.scope.step(willEnd: { _, _ in log("other") })
      let top = stage.scope.step(willEnd: { _, _ in log("top") })
      let striker = top.scope?.step(willEnd: { _, _ in log("striker") })
      let otherChild = Held(other)
      do {
        let held = Counted(alive) { MainActor.assumeIsolated { _ = otherChild.value.dismiss() } }
        striker?.scope?.step(
          willEnd: { _, _ in log("below") }, onOutput: { _ in held.touch() })
      }
      let last = top.scope?.perform("last", .queue) {}
      top.dismiss()
      #expect(alive.value == 0)
      #expect(!other.isCurrent)
      #expect(last?.isCurrent == false)
      #expect(log.lines == ["below", "striker", "top", "other"])
    }
  }

  // A sign-out that is asked for while a flow ends closes the epoch at once all the same.
  @Test func signOutInACancellationHandler_closesTheEpochInTheCall() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let gate = lab.gate("work")
      let runtime = stage.runtime
      let child = stage.scope.step()
      var state: SessionState?
      child.scope?.task {
        try await waitDeaf(gate) {
          runtime.signOut()
          state = runtime.sessionState
        }
      }
      await lab.settle()
      child.dismiss()
      #expect(state == .signedOut)
      #expect(!stage.root.scope.isCurrent)
      #expect(stage.window.rootFlow !== stage.root)
    }
  }
}
