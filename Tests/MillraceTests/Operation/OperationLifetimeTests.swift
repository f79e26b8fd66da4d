import Millrace
import RaceLab
import Testing

/// What an operation ends with: its flow, its appearance, or its session.
@Suite struct OperationLifetimeTests {
  // Work for the session goes on when the screen is closed; nobody hears it there any more.
  @Test func sessionWork_outlivesItsFlowUnheard() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let gate = lab.gate("gate")
      let child = stage.scope.step()
      let run = child.scope?.perform("upload", lifetime: .session) {
        try await gate.wait()
        return 1
      } then: { _ in
        Issue.record("heard after the end")
      }
      await lab.settle()
      child.dismiss()
      #expect(run?.isCurrent == true)
      gate.open()
      await lab.settle()
      #expect(run?.outcome?.value == 1)
      #expect(stage.runtime.refusals.isEmpty)
    }
  }

  // While the flow lives it hears the answer as of any other operation.
  @Test func sessionWork_isHeardWhileItsFlowLives() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab, signedInAs: Account("a"))
      stage.scope.perform("upload", lifetime: .session) {
        1
      } then: { result in
        log((try? result.get()) ?? 0)
      }
      let second = stage.scope.perform("other", lifetime: .session) {
        2
      } onCancel: {
        log($0)
      }
      second.cancel()
      await lab.settle()
      #expect(Set(log.lines) == ["1", "requested"])
    }
  }

  // R18: the sign-out ends it in the call.
  @Test func sessionWork_endsWithTheSession() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let gate = lab.gate("gate")
      let child = stage.scope.step()
      let run = child.scope?.perform("upload", lifetime: .session) { try await gate.wait() }
      child.dismiss()
      stage.runtime.signOut()
      #expect(run?.outcome?.cancellation == .sessionEnded)
    }
  }

  // Outside a session such work belongs to the runtime.
  @Test func sessionWorkWithoutASession_lastsAsLongAsTheRuntime() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("gate")
      var run: Operation<Void>?
      do {
        let stage = try Stage(lab)
        let child = stage.scope.step()
        run = child.scope?.perform("upload", lifetime: .session) { try await gate.wait() }
        child.dismiss()
        stage.runtime.signIn(Account("a"))
        stage.runtime.signOut()
        #expect(run?.isCurrent == true)
      }
      await lab.settle()
      #expect(run?.isCurrent == false)
    }
  }

  // A covered screen must not go on polling, and must not stay empty when it is back.
  @Test func coveredAndShownAgain_restartsWhatHadNoOutcome() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      let child = stage.scope.step(as: .push)
      let scope = try #require(child.scope)
      scope.perform("done", lifetime: .appearance) { log("done") }
      let first = scope.perform("load", lifetime: .appearance) {
        log("begin")
        return try await gate.wait()
      } then: { result in
        log((try? result.get()) ?? "error")
      } onCancel: {
        log($0)
      }
      scope.perform("flow") { try await lab.gate("never").wait() }
      await lab.settle()
      stage.window.report(.didCover(child.id))
      stage.window.report(.didCover(child.id))
      await lab.settle()
      #expect(first.outcome?.cancellation == .covered)
      #expect(Set(log.lines) == ["done", "begin", "covered"])
      #expect(stage.runtime.counts.operations == 1)
      log.clear()
      stage.window.report(.didUncover(child.id))
      stage.window.report(.didUncover(child.id))
      await lab.settle()
      gate.open(with: "v")
      await lab.settle()
      #expect(log.lines == ["begin", "v"])
    }
  }

  // What is asked for while the screen is covered waits until it is shown.
  @Test func askedForWhileCovered_beginsWhenShown() async throws {
    try await Lab.run { lab in
      let begun = Tally()
      let stage = try Stage(lab)
      let child = stage.scope.step(as: .push)
      stage.window.report(.didCover(child.id))
      let run = child.scope?.perform("load", lifetime: .appearance) { begun.add() }
      await lab.settle()
      #expect(run?.outcome?.cancellation == .covered)
      #expect(begun.value == 0)
      stage.window.report(.didUncover(child.id))
      await lab.settle()
      #expect(begun.value == 1)
    }
  }

  // A flow that ends while covered starts nothing again, whatever the host reports later.
  @Test func endWhileCovered_restartsNothing() async throws {
    try await Lab.run { lab in
      let begun = Tally()
      let stage = try Stage(lab)
      let child = stage.scope.step(as: .push)
      stage.window.report(.didCover(child.id))
      child.scope?.perform("load", lifetime: .appearance) { begun.add() }
      child.dismiss()
      stage.window.report(.didUncover(child.id))
      await lab.settle()
      #expect(begun.value == 0)
    }
  }

  // Cancelled by its key while covered, it is not wanted any more.
  @Test func cancelledKeyWhileCovered_isNotRestarted() async throws {
    try await Lab.run { lab in
      let begun = Tally()
      let stage = try Stage(lab)
      let child = stage.scope.step(as: .push)
      stage.window.report(.didCover(child.id))
      child.scope?.perform("load", lifetime: .appearance) { begun.add() }
      child.scope?.cancel("load")
      stage.window.report(.didUncover(child.id))
      await lab.settle()
      #expect(begun.value == 0)
    }
  }
}
