import Millrace
import RaceLab
import Testing

/// R14 to R16: what becomes of a run, and who hears of it.
@Suite struct OutcomeTests {
  // A body that ran in the job that asked for it could act on a flow that the same job ends.
  @Test func body_beginsInALaterJob() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let begun = Tally()
      let child = stage.scope.step()
      let scope = try #require(child.scope)
      scope.perform("a") { begun.add() }
      scope.task { begun.add() }
      #expect(begun.value == 0)
      await lab.settle()
      #expect(begun.value == 2)
    }
  }

  // A task that is cancelled before its first line must not run that line.
  @Test func startedAndCancelledInOneJob_runsNoLine() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let begun = Tally()
      let scope = stage.scope
      #expect(scope.perform("a") { begun.add() }.cancel() == .accepted)
      #expect(scope.task { begun.add() }.cancel() == .accepted)
      scope.perform("b") { begun.add() }
      scope.cancel("b")
      scope.every(.seconds(1)) { begun.add() }.cancel()
      let child = scope.step(start: { step in
        step.scope.task { begun.add() }
        step.scope.perform("c", lifetime: .appearance) { begun.add() }
      })
      child.dismiss()
      await lab.advance(by: .seconds(3))
      #expect(begun.value == 0)
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // R15: success and failure of a run that is not current any more are both silent.
  @Test(arguments: [true, false]) func staleResult_changesNothingAndIsTracedOnce(
    success: Bool
  ) async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("deaf", .deaf)
      let child = stage.scope.step()
      let run = child.scope?.perform("work") {
        try await gate.wait()
      } then: { _ in
        Issue.record("a dead flow heard an answer")
      } onCancel: { _ in
        Issue.record("a dead flow heard of a cancellation")
      }
      await lab.settle()
      child.dismiss()
      if success { gate.open() } else { gate.fail(Oops()) }
      await lab.settle()
      #expect(run?.outcome?.cancellation == .flowEnded)
      #expect(stage.refused(.staleResult) == 1)
      let refused = stage.trace.refusals
      #expect(
        refused == [
          .refused(.staleResult, name: "work", flow: child.id, operation: run?.id)
        ])
    }
  }

  // A body that was told to stop, and says so, has given no result that could be stale.
  @Test func cancellationOfACancelledRun_isNotStale() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      let run = stage.scope.perform("work") { try await gate.wait() }
      await lab.settle()
      run.cancel()
      await lab.settle()
      #expect(stage.runtime.refusals.isEmpty)
    }
  }

  // R16: nobody cancelled it, so it failed, and is told.
  @Test func cancellationErrorOfAnUncancelledRun_isAFailure() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var errors: [any Error] = []
      let run = stage.scope.perform("work") { () async throws -> Int in
        throw CancellationError()
      } then: { result in
        if case .failure(let error) = result { errors.append(error) }
      } onCancel: { _ in
        Issue.record("nobody cancelled it")
      }
      await lab.settle()
      #expect(errors.count == 1)
      #expect(run.outcome?.error is CancellationError)
      await #expect(throws: CancellationError.self) {
        try await stage.scope.value("work") { () async throws -> Int in throw CancellationError() }
      }
    }
  }

  // Causes must be told apart: a screen shows nothing for any of them, a log does.
  @Test func eachCause_isInTheOutcome() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let gate = lab.gate("gate")
      @MainActor func run(_ scope: FlowScope<Int>?) throws -> Operation<Void> {
        try #require(scope).perform("work") { try await gate.wait() }
      }
      let dismissed = stage.scope.step()
      let flowEnded = try run(dismissed.scope)
      dismissed.dismiss()
      #expect(flowEnded.outcome?.cancellation == .flowEnded)

      let owner = stage.scope.step()
      let ownerEnded = try run(owner.scope?.step().scope)
      owner.dismiss()
      #expect(ownerEnded.outcome?.cancellation == .ownerEnded)

      let sessionEnded = try run(stage.scope.step().scope)
      stage.runtime.signOut()
      #expect(sessionEnded.outcome?.cancellation == .sessionEnded)
    }
  }

  // R15: the value is taken in the reader's own step; a new run that comes between wins.
  @Test func supersededBetweenAnswerAndResumption_throwsSuperseded() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate(of: Int.self, "gate", .deaf)
      let scope = stage.scope
      scope.task {
        do {
          log(try await scope.value("key") { try await gate.wait() })
        } catch { log(error) }
      }
      await lab.settle()
      scope.perform("key") {
        2
      } then: { _ in
        log("second")
      }
      gate.open(with: 1)
      await lab.settle()
      #expect(Set(log.lines) == ["the operation was cancelled: superseded", "second"])
    }
  }

  // A failure of the body is the reader's error, unchanged.
  @Test func failureOfAValue_isThrownToTheReader() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let stage = try Stage(lab)
      await #expect(throws: Oops.self) {
        try await stage.scope.value("key") { () async throws -> Int in throw Oops() }
      }
      await #expect(throws: OperationTimedOut.self) {
        let never = lab.gate("never")
        Task { @MainActor in await lab.advance(by: .seconds(1)) }
        try await stage.scope.value("key", limit: .seconds(1)) { try await never.wait() }
      }
      #expect(stage.scope.isCurrent)
    }
  }

  // A reader whose task is cancelled must not wait for deaf work.
  @Test func valueInATaskThatIsCancelled_throwsAtOnce() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let deaf = lab.gate("deaf", .deaf)
      let scope = stage.scope
      let reader = Task { @MainActor in
        do { try await scope.value("key") { try await deaf.wait() } } catch { log(error) }
      }
      await lab.settle()
      reader.cancel()
      await lab.settle()
      #expect(log.lines == ["the operation was cancelled: requested"])
      deaf.open()
      await lab.settle()
      #expect(stage.refused(.staleResult) == 1)
    }
  }

  // Asked for in a task that is cancelled already, the work does not begin.
  @Test func valueInACancelledTask_runsNoLine() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let scope = stage.scope
      let reader = Task { @MainActor in
        do { try await scope.value("key") { log("begun") } } catch { log(error) }
      }
      reader.cancel()
      await lab.settle()
      #expect(log.lines == ["the operation was cancelled: requested"])
    }
  }

  // R15: to a task whose flow has ended `value` answers at once, with the reason.
  @Test func valueOfAFlowThatEnds_throwsTheCauseAtOnce() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab, signedInAs: Account("a"))
      let deaf = lab.gate("deaf", .deaf)
      for name in ["flow", "session"] {
        let child = stage.scope.step()
        let scope = try #require(child.scope)
        Task { @MainActor in
          do { try await scope.value("key") { try await deaf.wait() } } catch {
            log("\(name): \(error)")
          }
        }
        await lab.settle()
        if name == "flow" { child.dismiss() } else { stage.runtime.signOut() }
        await lab.settle()
      }
      #expect(
        log.lines == [
          "flow: the operation was cancelled: flowEnded",
          "session: the operation was cancelled: sessionEnded",
        ])
    }
  }

  // R15: the flow ends between the answer and the reader's step: the value is dropped.
  @Test func flowEndedBetweenAnswerAndResumption_dropsTheValue() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(as: .push)
      let scope = try #require(child.scope)
      let held = Held<Reply<Int>?>(nil)
      Task { @MainActor in
        do {
          log(try await scope.reply { held.value = $0 } as Int)
        } catch { log(error) }
      }
      await lab.settle()
      // The report drains the queue: the answer is accepted, then the flow ends, in one job.
      held.value?.succeed(1)
      stage.window.report(.didDismiss(child.id))
      await lab.settle()
      #expect(log.lines == ["the operation was cancelled: flowEnded"])
      #expect(stage.refused(.staleResult) == 1)
    }
  }

  // R8: the starter owns an operation, not the flow whose output made it start one.
  @Test func operationStartedInAHandler_belongsToTheStarter() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      let run = Held<Operation<Void>?>(nil)
      let scope = stage.scope
      let child = scope.step(onOutput: { _ in
        run.value = scope.perform("work") { try await gate.wait() }
      })
      child.scope?.emit(1)
      child.dismiss()
      #expect(run.value?.isCurrent == true)
      stage.window.close()
      #expect(run.value?.outcome?.cancellation == .ownerEnded)
    }
  }

  // Too late is too late: a settled run keeps its outcome.
  @Test func cancelAfterTheOutcome_isRefused() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let run = stage.scope.perform("work") { 5 }
      await lab.settle()
      #expect(run.cancel() == .refused(.endAfterEnd))
      #expect(run.outcome?.value == 5)
      #expect(!run.isCurrent)
    }
  }
}
