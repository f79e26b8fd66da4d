import Millrace
import RaceLab
import Testing

/// R2: a flow ends once, and the first cause that is applied wins.
@Suite struct EndCauseTests {
  // An ending that is not told apart makes the owner guess what to do next.
  @Test(arguments: EndingKind.allCases)
  func eachCause_isToldAsItself(_ kind: EndingKind) async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let session = stage.runtime.signIn(Account("a"))
      let outer = try #require(stage.window.rootFlow as? Step)
      let owner = outer.scope.step()
      let slot = Slot<Step>()
      let child = try #require(owner.scope).start(in: slot) { scope in
        Step(
          scope,
          start: { step in
            if kind == .failed { step.scope.task { throw Oops() } }
          }, willEnd: { _, ending in log("willEnd \(ending.kind)") })
      } onEnding: {
        log("onEnding \($0.kind)")
      }
      let waiting = Task { @MainActor in await child.ending.kind }
      let flow = child.flow
      switch kind {
      case .finished: flow?.scope.finish(7)
      case .dismissed: child.dismiss()
      case .replaced: owner.scope?.start(in: slot) { Step($0) }
      case .sessionEnded: stage.runtime.signOut()
      case .ownerEnded: owner.dismiss()
      case .cancelled: child.cancel()
      case .failed: await lab.settle()
      }
      #expect(!child.isCurrent)
      #expect(child.flow == nil)
      #expect(session != nil)
      let told = await waiting.value
      #expect(told == kind)
      // An owner that has ended itself hears of its children no more.
      let ownerIsGone = kind == .sessionEnded || kind == .ownerEnded
      #expect(log.lines == ["willEnd \(kind)"] + (ownerIsGone ? [] : ["onEnding \(kind)"]))
    }
  }

  // A late cause that overrides the first one turns a success into a cancellation.
  @Test func laterCauses_areRefusedAndCounted() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var endings: [Ending<Int>] = []
      let child = stage.scope.step(onEnding: { endings.append($0) })
      let scope = try #require(child.scope)
      #expect(scope.tryFinish(5) == .accepted)
      #expect(scope.tryFinish(6) == .refused(.endAfterEnd))
      #expect(child.dismiss().acceptance == .refused(.endAfterEnd))
      #expect(child.cancel() == .refused(.endAfterEnd))
      await lab.settle()
      #expect(endings.compactMap(\.output) == [5])
      #expect(endings.count == 1)
      #expect(stage.refused(.endAfterEnd) == 3)
      #expect(stage.trace.refusals.count == 3)
    }
  }

  // In one turn the order of the calls decides, not the order of the deliveries.
  @Test func finishAfterDismissalInOneTurn_isRefused() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var kinds: [EndingKind] = []
      var heard: [Int] = []
      let child = stage.scope.step(
        onOutput: { heard.append($0) }, onEnding: { kinds.append($0.kind) })
      let scope = try #require(child.scope)
      let trigger = stage.scope.step(onOutput: { _ in
        child.dismiss()
        scope.finish(1)
      })
      trigger.scope?.emit(0)
      #expect(kinds == [.dismissed])
      #expect(heard.isEmpty)
    }
  }

  // An error that nobody takes must not be swallowed: the owner has to learn of it.
  @Test func errorOfATask_endsTheFlowAsFailed() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var error: (any Error)?
      let child = stage.scope.step(
        start: { $0.scope.task { throw Oops() } },
        onEnding: { if case .failed(let thrown) = $0 { error = thrown } })
      await lab.settle()
      #expect(error as? Oops == Oops())
      #expect(!child.isCurrent)
    }
  }

  // The flow that handles its own error stays alive.
  @Test func errorThatOnErrorTakes_leavesTheFlowRunning() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var taken: [any Error] = []
      let child = stage.scope.step(start: { step in
        step.scope.task(onError: { taken.append($0) }) { throw Oops() }
      })
      await lab.settle()
      #expect(taken.count == 1)
      #expect(child.isCurrent)
    }
  }

  // A second failing task must not be told to a flow that has ended, nor change the ending.
  @Test func secondError_changesNothing() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var endings = 0
      let child = stage.scope.step(
        start: { step in
          step.scope.task { throw Oops() }
          step.scope.task { throw CancellationError() }
        }, onEnding: { _ in endings += 1 })
      await lab.settle()
      #expect(endings == 1)
      #expect(!child.isCurrent)
    }
  }

  // A user who leaves is not an error: cancellation that leaves a cancelled body is no failure.
  @Test func cancellationOfACancelledTask_isNoFailure() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("work")
      let child = stage.scope.step()
      let task = try #require(child.scope).task { try await gate.wait() }
      await lab.settle()
      task.cancel()
      await lab.settle()
      #expect(child.isCurrent)
      #expect(task.outcome?.cancellation == .requested)
      #expect(stage.refused(.staleResult) == 0)
    }
  }

  // R16: a service that throws CancellationError by itself has failed, and is not silently lost.
  @Test func cancellationErrorThatNobodyAskedFor_failsTheFlow() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var kinds: [EndingKind] = []
      stage.scope.step(
        start: { $0.scope.task { throw CancellationError() } }, onEnding: { kinds.append($0.kind) })
      await lab.settle()
      #expect(kinds == [.failed])
    }
  }

  // What a task waited for was superseded: that ends the task, and must not end the flow.
  @Test func supersededValueThatLeavesATask_leavesTheFlowRunning() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("load")
      let child = stage.scope.step()
      let scope = try #require(child.scope)
      let task = scope.task { _ = try await scope.value("load") { try await gate.wait() } }
      await lab.settle()
      scope.perform("load") {}
      await lab.settle()
      #expect(task.outcome?.cancellation == .superseded)
      #expect(child.isCurrent)
    }
  }

  // A report made inside a turn has to be applied before it returns, after those that came before.
  @Test func reportOnTheMainActor_isAppliedInTheCall() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let sheet = stage.scope.step(as: .sheet)
      var wasCurrent: Bool?
      let trigger = stage.scope.step(onOutput: { _ in
        stage.window.report(.didDismiss(sheet.id))
        wasCurrent = sheet.isCurrent
      })
      trigger.scope?.emit(1)
      #expect(wasCurrent == false)
      // The same report again is no trap, and no second end.
      stage.window.report(.didDismiss(sheet.id))
      #expect(stage.refused(.unknownFlow) == 1)
    }
  }
}
