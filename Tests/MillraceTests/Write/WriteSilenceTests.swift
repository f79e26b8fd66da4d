// A journal that does not answer: it is seen, nothing new is taken, and nothing that waits is lost.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@Suite("Writes: a journal without an answer") @MainActor struct WriteSilenceTests {
  // A commit that never returns looked like a submit that takes long, for ever.
  @Test func commitWithoutAnAnswer_isShownAndLosesNothing() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("journal", .deaf)
      let desk = WriteDesk(lab) { $0.journalLimit = .seconds(20) }
      await lab.settle()
      await desk.journal.hold(at: gate)
      let (first, second) = (testWrite(1), testWrite(2))
      let scope = try desk.scope()
      scope.submit(first)
      await lab.advance(by: .seconds(19))
      #expect(desk.runtime.writes?.problem == nil)
      await lab.advance(by: .seconds(1))
      #expect(desk.runtime.writes?.problem?.kind == .silent)
      #expect(desk.told(first) == [] && desk.runtime.writes?.pending.map(\.write) == [first])
      #expect(desk.problems.contains { $0.contains("does not answer") })

      // What would only wait behind it is told so at once.
      var thrown: (any Error)?
      scope.task {
        do { _ = try await scope.write(second, until: .validated) } catch { thrown = error }
      }
      await lab.settle()
      let reason = try #require(desk.runtime.writes?.problem).description
      #expect(thrown as? WriteError == .ended(.refused, reason: reason))

      await desk.journal.hold(at: nil)
      gate.open()
      await lab.settle()
      #expect(desk.runtime.writes?.problem == nil && desk.phase(first) == .accepted)
      #expect(scope.submit(second) == .accepted)
      await lab.settle()
      let records = await desk.server.records
      #expect(records == [first, second])
    }
  }

  // The journal falls silent when it is to have `sent`: no byte leaves, and it goes on where it was.
  @Test func commitOfSentWithoutAnAnswer_sendsNothing() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("journal", .deaf)
      let desk = WriteDesk(lab)
      desk.runtime.connectivity = .offline
      try desk.scope().submit(testWrite())
      await lab.settle()
      await desk.journal.hold(at: gate)
      desk.runtime.connectivity = .online
      await lab.advance(by: .seconds(3600))
      let calls = await desk.server.calls("send")
      #expect(calls.isEmpty && desk.phase(testWrite()) == .validated)
      #expect(desk.runtime.writes?.problem?.kind == .silent)
      // A commit that fails in the end has answered: its own error is what is shown.
      await desk.journal.failCommits(with: JournalError(.full, "disk 1"))
      await desk.journal.hold(at: nil)
      gate.open()
      await lab.settle()
      #expect(desk.runtime.writes?.problem == JournalError(.full, "disk 1"))
      await desk.journal.failCommits(with: nil)
      await lab.advance(by: .seconds(600))
      #expect(desk.runtime.writes?.problem == nil && desk.phase(testWrite()) == .accepted)
    }
  }

  // A reading that never returns: whoever has submitted would wait for ever.
  @Test func readingWithoutAnAnswer_refusesAndIsTriedAgain() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("reading", .deaf)
      let record = WriteRecord(
        account: Account("A"), write: testWrite(1), phase: .validated, sequence: 1)
      let desk = WriteDesk(lab, journal: FaultyJournal([record]), signedInAs: nil) {
        $0.journalLimit = .seconds(20)
      }
      await desk.journal.holdLoads(at: gate)
      desk.runtime.signIn(Account("A"))
      try desk.scope().submit(testWrite(2))
      await lab.advance(by: .seconds(20))
      #expect(desk.runtime.writes?.problem?.kind == .silent)
      #expect(desk.told(testWrite(2)) == [.refused])
      await desk.journal.holdLoads(at: nil)
      await lab.advance(by: .seconds(60))
      #expect(desk.runtime.writes?.problem == nil && desk.phase(testWrite(1)) == .accepted)
      gate.open()
      await lab.settle()
      let records = await desk.server.records
      #expect(records == [testWrite(1)])
    }
  }
}
