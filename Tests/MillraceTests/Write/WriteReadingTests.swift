// What waits for a journal to be read, and what has become of it by then.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@Suite("Writes: while the journal is read") @MainActor struct WriteReadingTests {
  private func record(_ phase: WritePhase, _ write: Write = testWrite()) -> WriteRecord {
    WriteRecord(account: Account("A"), write: write, phase: phase, sequence: 1)
  }

  // A restored screen is told that there is no such write, or waits for ever.
  @Test func writeOfAnEarlierProcess_isWaitedFor() async throws {
    try await Lab.run { lab in
      let reading = lab.gate("reading", .deaf)
      let journal = FaultyJournal([record(.accepted)])
      await journal.holdLoads(at: reading)
      let desk = WriteDesk(lab, journal: journal)
      let scope = try desk.scope()
      var entry: WriteEntry?
      var missing: WriteError?
      scope.task { entry = try await scope.phase(of: testWrite().intent, until: .accepted) }
      scope.task {
        do { _ = try await scope.phase(of: testWrite(2).intent, until: .accepted) } catch {
          missing = error as? WriteError
        }
      }
      let child = scope.start(as: .sheet) { WriteForm($0) }
      let below = try #require(child.flow?.scope)
      below.task { _ = try await below.phase(of: testWrite().intent, until: .accepted) }
      await lab.settle()
      child.dismiss()
      reading.open()
      await lab.settle()
      #expect(entry?.phase == .accepted && missing == .unknownIntent)
      #expect(desk.runtime.refusals[.staleResult] == nil, "one who has gone is answered")
    }
  }

  // The intent stood for another body: the new one goes out under its key.
  @Test func anotherBodyThanTheKeptOne_isTurnedAway() async throws {
    try await Lab.run { lab in
      let reading = lab.gate("reading", .deaf)
      let journal = FaultyJournal([record(.validated)])
      await journal.holdLoads(at: reading)
      let desk = WriteDesk(lab, journal: journal)
      let other = Write("loan", intent: testWrite().intent, body: [99])
      let scope = try desk.scope()
      #expect(scope.submit(other) == .accepted)
      reading.open()
      await lab.settle()
      #expect(await desk.server.records == [testWrite()])
      #expect(desk.told(other).first == .refused)
    }
  }

  // It was withdrawn, and goes out when the account is back.
  @Test func withdrawnBeforeASignOut_isForgottenAllTheSame() async throws {
    try await Lab.run { lab in
      let reading = lab.gate("reading", .deaf)
      let journal = FaultyJournal([record(.validated)])
      await journal.holdLoads(at: reading)
      let desk = WriteDesk(lab, journal: journal)
      let scope = try desk.scope()
      scope.submit(testWrite())
      #expect(scope.withdraw(testWrite().intent) == .accepted)
      desk.runtime.signOut()
      await journal.holdLoads(at: nil)
      reading.open()
      await lab.settle()
      #expect(await journal.durable(Account("A")).isEmpty)
      desk.runtime.signIn(Account("A"))
      await lab.settle()
      #expect(await desk.server.calls("send").isEmpty)
    }
  }

  // What was sent is taken for discarded, and lost.
  @Test func discarded_isNotWhatWasSent() async throws {
    try await Lab.run { lab in
      let reading = lab.gate("reading", .deaf)
      let sent = WriteRecord(
        account: Account("A"), write: testWrite(2), phase: .sent, sequence: 2)
      let journal = FaultyJournal([record(.validated), sent])
      await journal.holdLoads(at: reading)
      let desk = WriteDesk(lab, journal: journal)
      desk.runtime.signOut(unsent: .discard)
      reading.open()
      await lab.settle()
      #expect(await journal.phases(of: Account("A")) == [testWrite(2).intent: .sent])
    }
  }

  // Nobody has discarded anything: a journal that cannot be read keeps the whole ledger in memory.
  @Test func ledgerOfASessionThatIsClosed_isNotReadForNothing() async throws {
    try await Lab.run { lab in
      let journal = FaultyJournal()
      await journal.failLoads(with: JournalError(.locked, "in use"))
      let desk = WriteDesk(lab, journal: journal)
      await lab.settle()
      desk.runtime.signOut(unsent: .keep)
      await lab.settle()
      #expect(!desk.runtime.tree.contains("writes of A"))
    }
  }
}
