import Millrace
import RaceLab
import Testing

/// R7 and R19: records that outlive their flow belong to its account, never to another.
@Suite struct HandoverTests {
  private func record(_ name: String) -> Handover { Handover(name: name, body: [7]) }

  /// A stage whose deliveries wait at a gate and are written down with their account.
  @MainActor
  private func stage(_ lab: Lab, _ log: Log, _ gate: Gate<Void>? = nil) throws -> Stage {
    try Stage(
      lab, signedInAs: Account("a"),
      deliver: { record, session in
        try await gate?.wait()
        log("\(record.name) for \(session.account)")
      })
  }

  // The last words of a screen: work is refused in the end hook, a record is not.
  @Test func handOverInWillEnd_isDeliveredAndWorkIsRefused() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try stage(lab, log)
      let child = stage.scope.step(willEnd: { step, _ in
        #expect(step.scope.handOver(record("draft")) == .accepted)
        step.scope.perform("save") { log("never") }
        step.scope.step()
      })
      child.dismiss()
      await lab.settle()
      #expect(log.lines == ["draft for a"])
      #expect(stage.runtime.refusals == [.workAfterEnd: 1, .startAfterEnd: 1])
    }
  }

  // R7 at a sign-out: kept for this account, and delivered when it is back. Nobody else's.
  @Test func keptAtSignOut_isDeliveredToTheSameAccountOnly() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try stage(lab, log)
      stage.scope.step(willEnd: { step, _ in
        #expect(step.scope.handOver(record("draft")) == .accepted)
      })
      stage.runtime.signOut(handovers: .keep)
      await lab.settle()
      stage.runtime.signIn(Account("b"))
      await lab.settle()
      #expect(log.lines == [])
      stage.runtime.signIn(Account("a"))
      await lab.settle()
      #expect(log.lines == ["draft for a"])
      stage.runtime.signIn(Account("a"))
      await lab.settle()
      #expect(log.lines.count == 1)
    }
  }

  // Discarded means discarded: what is still handed over is refused, what waited is gone.
  @Test func discardedAtSignOut_isRefusedAndGone() async throws {
    try await Lab.run { lab in
      let log = Log()
      let gate = lab.gate("delivery")
      let stage = try stage(lab, log, gate)
      #expect(stage.scope.handOver(record("early")) == .accepted)
      await lab.settle()
      stage.scope.step(willEnd: { step, _ in
        #expect(step.scope.handOver(record("late")) == .refused(.noSession))
      })
      stage.runtime.signOut(handovers: .discard)
      await lab.settle()
      gate.open()
      stage.runtime.signIn(Account("a"))
      await lab.settle()
      #expect(log.lines == [])
      #expect(stage.refused(.noSession) == 1)
    }
  }

  // What was on its way when the session closed is not lost, and keeps its order.
  @Test func undeliveredAtSignOut_isDeliveredNextTimeInOrder() async throws {
    try await Lab.run { lab in
      let log = Log()
      let gate = lab.gate("delivery")
      let stage = try stage(lab, log, gate)
      for name in ["1", "2", "3"] { stage.scope.handOver(record(name)) }
      await lab.settle()
      stage.runtime.signOut()
      await lab.settle()
      stage.runtime.signIn(Account("a"))
      await lab.settle()
      #expect(gate.waiterCount == 3)
      gate.open()
      await lab.settle()
      #expect(log.lines == ["1 for a", "2 for a", "3 for a"])
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // A delivery that fails keeps the record for the next sign-in, and says so.
  @Test func failedDelivery_isKeptForTheNextSignIn() async throws {
    try await Lab.run { lab in
      let log = Log()
      let gate = lab.gate("delivery")
      let stage = try stage(lab, log, gate)
      stage.scope.handOver(record("draft"))
      await lab.settle()
      gate.fail(Oops())
      await lab.settle()
      let problem = TraceEvent.problem("the record draft is kept, not delivered: Oops()")
      #expect(stage.trace.events.contains(problem))
      stage.runtime.signIn(Account("a"))
      await lab.settle()
      gate.open()
      await lab.settle()
      #expect(log.lines == ["draft for a"])
    }
  }

  // Switching the account inside the turn: the old flow's last words stay with the old account.
  @Test func handOverAfterASwitch_staysWithItsAccount() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try stage(lab, log)
      stage.scope.step(willEnd: { step, _ in
        #expect(step.scope.handOver(record("draft")) == .accepted)
      })
      stage.runtime.signIn(Account("b"))
      await lab.settle()
      #expect(log.lines == [])
      stage.runtime.signIn(Account("a"))
      await lab.settle()
      #expect(log.lines == ["draft for a"])
    }
  }

  // The same account again, in one turn: its new session takes the record at once.
  @Test func handOverAfterTheSameAccountCameBack_isDelivered() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try stage(lab, log)
      stage.scope.step(willEnd: { step, _ in
        #expect(step.scope.handOver(record("draft")) == .accepted)
      })
      stage.runtime.signIn(Account("a"))
      await lab.settle()
      #expect(log.lines == ["draft for a"])
    }
  }

  // A runtime that was given no way to deliver must not take records and lose them.
  @Test func handOverWithoutADelivery_isRefused() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      #expect(stage.scope.handOver(record("draft")) == .refused(.noSession))
    }
  }
}
