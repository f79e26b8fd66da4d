// Timers and limits, and the last things that a flow does.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct TimeCases {
  // Fault: the loop swallows the error of its cancelled sleep and runs its body once more.
  @Test func c13_oneExtraTickAfterCancellation() async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let child = try stage.root().scope.open("F") { flow in
        flow.scope.every(.seconds(10), "poll") { notes.add("poll") }
      }
      let flow = try #require(child.flow)
      await lab.advance(by: .seconds(25))
      #expect(notes.count("poll") == 2)
      child.dismiss()
      await lab.advance(to: .init(elapsed: .seconds(100)))
      #expect(notes.count("poll") == 2)
      #expect(stage.outcomes(of: "poll") == [.cancelled(.flowEnded)])
      #expect(stage.runtime.counts.operations == 0)
      #expect(lab.clock.sleeperCount == 0)
      #expect(!flow.scope.isCurrent)
      stage.expectSound()
    }
  }

  /// Where in a tick the flow ends.
  enum Moment: String, CaseIterable { case inTheBody, whileTheBodyWaits, dueInTheSameTurn }

  // Fault: the same where the end comes in or beside a tick, or the body is deaf and comes back
  // after the end.
  @Test(arguments: Moment.allCases, [Hearing.cooperative, .deaf, .shielded])
  func c13_oneExtraTickAfterAnEndInATick(_ moment: Moment, _ hearing: Hearing) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let remote = Remote<Int>(lab, "answer", hearing)
      let root = try stage.root()
      let child = root.scope.open("F")
      let flow = try #require(child.flow)
      flow.scope.every(.seconds(10), "poll", onError: { _ in notes.add("error") }) {
        notes.add("poll")
        guard notes.count("poll") == 2 else { return }
        switch moment {
        case .inTheBody: child.dismiss()
        case .whileTheBodyWaits: _ = try await remote.call()
        case .dueInTheSameTurn: break
        }
      }
      if moment == .dueInTheSameTurn {
        root.scope.task {
          try await root.scope.sleep(for: .seconds(20))
          child.dismiss()
        }
      }
      await lab.advance(by: .seconds(20))
      child.dismiss()
      await lab.advance(to: .init(elapsed: .seconds(60)))
      remote.gate.open(with: 1)
      await lab.advance(to: .init(elapsed: .seconds(100)))
      #expect(notes.count("error") == 0)
      // The sleep is the older of two timers that are due together, so its tick never comes.
      #expect(notes.count("poll") == (moment == .dueInTheSameTurn ? 1 : 2))
      #expect(stage.outcomes(of: "poll") == [.cancelled(.flowEnded)])
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: the time limit, or the sign-out, waits for the work that ignores its cancellation.
  @Test(arguments: [Way.perform, .value], [Hearing.deaf, .shielded])
  func c15_deafChildBlocksTheLimitAndTheTeardown(_ way: Way, _ hearing: Hearing) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "A")
      let session = try #require(stage.runtime.session)
      let notes = Notes()
      let remote = Remote<Int>(lab, "g", hearing)
      let child = try stage.root().scope.open("F")
      let flow = try #require(child.flow)
      @MainActor func heard(_ result: Result<Int, any Error>) {
        switch result {
        case .success: notes.add("value")
        case .failure(let error):
          notes.add("timed out: \(error as? OperationTimedOut == .init(limit: .seconds(5)))")
        }
      }
      let limit = Duration.seconds(5)
      if way == .perform {
        flow.scope.perform("slow", limit: limit, { try await remote.call() }, then: heard)
      } else {
        flow.scope.task {
          do {
            heard(
              .success(
                try await flow.scope.value("slow", limit: limit) {
                  try await remote.call()
                }))
          } catch { heard(.failure(error)) }
        }
      }
      await lab.advance(by: .seconds(4))
      #expect(notes.lines.isEmpty)
      await lab.advance(by: .seconds(1))
      #expect(notes.lines == ["timed out: true"])
      #expect(remote.pending == 1)
      #expect(stage.outcomes(of: "slow") == [.failed])
      await #expect(throws: NotDrained.self) {
        try await stage.runtime.drained(session, limit: .zero)
      }

      #expect(stage.runtime.signOut() == .accepted)
      #expect(stage.runtime.session == nil)
      #expect(stage.endings(of: child.id) == [.sessionEnded])
      await lab.settle()
      #expect(try stage.root().name == "signedOut")
      #expect(remote.pending == 1)

      remote.gate.open(with: 7)
      await lab.settle()
      #expect(notes.lines == ["timed out: true"])
      #expect(stage.stale("slow") == 1)
      #expect(stage.runtime.counts.operations == 0)
      try await stage.runtime.drained(session, limit: .zero)
      stage.expectSound()
    }
  }

  // Fault: the last write of an end hook goes into a scope that was just cancelled, and silently
  // never runs.
  @Test func c16_workBegunInTheEndHook() async throws {
    try await Lab.run { lab in
      let notes = Notes()
      let stage = Stage(lab, signedInAs: "A") { record, _ in await notes.add(record.name) }
      let child = try stage.root().scope.open(
        "F",
        onEnd: { flow, _ in
          #expect(!flow.scope.isCurrent)
          let task = flow.scope.task { notes.add("task") }
          let operation = flow.scope.perform("last") { await notes.add("operation") }
          flow.scope.every(.seconds(1)) { notes.add("timer") }
          let late = flow.scope.open("late")
          #expect(task.outcome?.cancellation == .refused)
          #expect(operation.outcome?.cancellation == .refused)
          #expect(!late.isCurrent && late.flow == nil)
          #expect(flow.scope.handOver(Handover(name: "R", body: [1])) == .accepted)
        })
      child.dismiss()
      await lab.advance(by: .seconds(10))
      #expect(notes.lines == ["R"])
      #expect(stage.refusals(.workAfterEnd) == 3)
      #expect(stage.refusals(.startAfterEnd) == 1)
      #expect(stage.log.refusals.count == 4)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: what an end hook hands over at a sign-out is lost, or is delivered under the next
  // account.
  @Test(arguments: [HandoverPolicy.keep, .discard])
  func c16_handOverInTheEndHookAtASignOut(_ policy: HandoverPolicy) async throws {
    try await Lab.run { lab in
      let notes = Notes()
      let stage = Stage(lab, signedInAs: "A") { record, session in
        await notes.add("\(record.name) for \(session.account)")
      }
      var answer: Acceptance?
      try stage.root().scope.open(
        "F",
        onEnd: { flow, ending in
          #expect(ending.kind == .sessionEnded)
          answer = flow.scope.handOver(Handover(name: "R", body: [1]))
        })
      stage.runtime.signOut(handovers: policy)
      await lab.settle()
      #expect(answer == (policy == .keep ? .accepted : .refused(.noSession)))
      stage.runtime.signIn(Account("B"))
      await lab.settle()
      #expect(notes.lines.isEmpty)
      stage.runtime.signIn(Account("A"))
      await lab.settle()
      stage.runtime.signIn(Account("A"))
      await lab.settle()
      #expect(notes.lines == (policy == .keep ? ["R for A"] : []))
      #expect(stage.refusals(.noSession) == (policy == .keep ? 0 : 1))
      stage.expectSound()
    }
  }
}
