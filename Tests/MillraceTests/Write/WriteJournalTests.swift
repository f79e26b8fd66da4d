// What the journal has when, and what happens when it fails. Keeps R30 and R32.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@Suite("Writes: journal") @MainActor struct WriteJournalTests {
  // "Kept" that is told before it is durable is a lie after a crash; so is a byte before `sent`.
  @Test func journalHasEachPhase_beforeItIsToldOrSent() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("journal")
      let desk = WriteDesk(lab)
      await lab.settle()
      await desk.journal.hold(at: gate)
      let write = testWrite()
      try desk.scope().submit(write)
      await lab.settle()
      #expect(desk.told(write) == [])
      gate.open()
      await lab.settle()
      #expect(desk.told(write) == [.validated])
      var calls = await desk.server.calls("send")
      #expect(calls.isEmpty, "the journal does not have `sent` yet")
      gate.open()
      await lab.settle()
      #expect(desk.told(write) == [.validated, .sent])
      calls = await desk.server.calls("send")
      #expect(calls.count == 1)
      gate.open()
      await lab.settle()
      #expect(desk.told(write) == [.validated, .sent, .accepted])
      let phases = await desk.journal.phases(of: write.intent)
      #expect(phases == [.validated, .sent, .accepted])
    }
  }

  // A submit that cannot be kept must be refused at once, not lost later; and can be tried again.
  @Test(arguments: JournalError.Kind.allCases)
  func journalThatCannotKeep_refusesTheSubmit(_ kind: JournalError.Kind) async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab)
      let error = JournalError(kind, "disk 1")
      await desk.journal.failCommits(with: error)
      let write = testWrite()
      let scope = try desk.scope()
      var thrown: (any Error)?
      scope.task {
        do { _ = try await scope.write(write, until: .validated) } catch { thrown = error }
      }
      await lab.settle()
      #expect(thrown as? WriteError == .ended(.refused, reason: error.description))
      #expect(desk.told(write) == [.refused])
      #expect(desk.runtime.writes?.problem == error)
      await lab.advance(by: .seconds(3600))
      var calls = await desk.server.calls("send")
      #expect(calls.isEmpty)

      await desk.journal.failCommits(with: nil)
      #expect(scope.submit(write) == .accepted)
      await lab.settle()
      calls = await desk.server.calls("send")
      #expect(calls.count == 1 && desk.phase(write) == .accepted)
      #expect(desk.runtime.writes?.problem == nil)
    }
  }

  // `sent` that is not durable must not be followed by a byte.
  @Test func journalThatCannotKeepSent_sendsNothingUntilItCan() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab)
      desk.runtime.connectivity = .offline
      let write = testWrite()
      try desk.scope().submit(write)
      await lab.settle()
      await desk.journal.failCommits(with: JournalError(.full, ""))
      desk.runtime.connectivity = .online
      await lab.advance(by: .seconds(600))
      var calls = await desk.server.calls("send")
      #expect(calls.isEmpty && desk.phase(write) == .validated)
      await desk.journal.failCommits(with: nil)
      await lab.advance(by: .seconds(600))
      calls = await desk.server.calls("send")
      #expect(calls.count == 1 && desk.phase(write) == .accepted)
    }
  }

  // The server's yes must not be hidden by a full disk, nor forgotten once there is space.
  @Test func journalThatCannotKeepAccepted_isWrittenLater() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer")
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer)))
      let write = testWrite()
      try desk.scope().submit(write)
      await lab.settle()
      await desk.journal.failCommits(with: JournalError(.full, ""))
      answer.open()
      await lab.settle()
      #expect(desk.phase(write) == .accepted)
      var kept = await desk.journal.phases(of: Account("A"))
      #expect(kept == [write.intent: .sent])
      await desk.journal.failCommits(with: nil)
      await lab.advance(by: .seconds(600))
      kept = await desk.journal.phases(of: Account("A"))
      #expect(kept == [write.intent: .accepted])
    }
  }

  // Withdrawn that the journal does not know of would go out after a relaunch.
  @Test func withdrawnIsTold_whenTheJournalHasForgotten() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab)
      desk.runtime.connectivity = .offline
      let write = testWrite()
      try desk.scope().submit(write)
      await lab.settle()
      await desk.journal.failCommits(with: JournalError(.locked, ""))
      #expect(try desk.scope().withdraw(write.intent) == .accepted)
      desk.runtime.connectivity = .online
      await lab.advance(by: .seconds(60))
      #expect(desk.told(write) == [.validated])
      await desk.journal.failCommits(with: nil)
      await lab.advance(by: .seconds(600))
      #expect(desk.told(write) == [.validated, .withdrawn])
      let kept = await desk.journal.phases(of: Account("A"))
      let calls = await desk.server.calls("send")
      #expect(kept.isEmpty && calls.isEmpty)
    }
  }

  // What cannot be read may hold this very intent: taking it again would send it twice.
  @Test func journalThatCannotBeRead_refusesAndIsReadLater() async throws {
    try await Lab.run { lab in
      let write = testWrite()
      let desk = WriteDesk(
        lab,
        journal: FaultyJournal([
          WriteRecord(account: Account("A"), write: write, phase: .accepted, sequence: 1)
        ]), signedInAs: nil)
      await desk.journal.failLoads(with: JournalError(.locked, "pid 7"))
      desk.runtime.signIn(Account("A"))
      try desk.scope().submit(write)
      await lab.settle()
      #expect(desk.told(write) == [.refused])
      #expect(desk.runtime.writes?.problem?.kind == .locked)
      await desk.journal.failLoads(with: nil)
      await lab.advance(by: .seconds(60))
      #expect(desk.phase(write) == .accepted)
      #expect(try desk.scope().submit(write) == .refused(.alreadyRunning))
      let calls = await desk.server.calls("send")
      #expect(calls.isEmpty)
    }
  }

  // Half a journal: what can be read is shown, nothing is sent on the strength of it, nothing taken.
  @Test func damagedJournal_showsWhatCanBeReadAndTakesNothing() async throws {
    try await Lab.run { lab in
      let old = testWrite(1)
      let desk = WriteDesk(
        lab,
        journal: FaultyJournal([
          WriteRecord(account: Account("A"), write: old, phase: .validated, sequence: 1)
        ]), signedInAs: nil)
      await desk.journal.tell(JournalError(.damaged, "2 of 3 records"))
      desk.runtime.signIn(Account("A"))
      let new = testWrite(2)
      try desk.scope().submit(new)
      await lab.advance(by: .seconds(3600))
      #expect(desk.phase(old) == .validated && desk.told(new) == [.refused])
      // The journal was read long ago: who waits has to hear of it all the same.
      let (later, scope) = (testWrite(3), try desk.scope())
      var thrown: (any Error)?
      scope.task {
        do { _ = try await scope.write(later, until: .validated) } catch { thrown = error }
      }
      await lab.settle()
      let reason = JournalError(.damaged, "2 of 3 records").description
      #expect(thrown as? WriteError == .ended(.refused, reason: reason))
      let calls = await desk.server.calls
      let changes = await desk.journal.changes
      #expect(calls.isEmpty && changes.isEmpty)
    }
  }

  // A damaged journal is evidence: whatever the user does, nothing is written to it any more.
  @Test(arguments: ["discard", "take along", "early"])
  func damagedJournal_isNotWritten(_ way: String) async throws {
    try await Lab.run { lab in
      let (unsent, sent) = (testWrite(1), testWrite(2))
      let (a, problem) = (Account("A"), JournalError(.damaged, "2 of 3 records"))
      let kept = [
        WriteRecord(account: a, write: unsent, phase: .validated, sequence: 1),
        WriteRecord(account: a, write: sent, phase: .sent, sequence: 2),
      ]
      let desk = WriteDesk(lab, journal: FaultyJournal(kept), signedInAs: nil)
      await desk.journal.tell(problem)
      desk.runtime.signIn(a)
      let scope = try desk.scope()
      if way == "early" {
        scope.submit(unsent)
        #expect(scope.withdraw(unsent.intent) == .accepted, "nobody knows yet")
      }
      await lab.settle()
      #expect(scope.withdraw(unsent.intent) == .refused(.journalReadOnly))
      #expect(desk.phase(unsent) == .validated)
      desk.runtime.report(.confirmed(), for: sent.intent, of: a)
      await lab.settle()
      #expect(desk.phase(sent) == .confirmed, "the server has it, whatever the journal says")
      if way == "take along" {
        desk.runtime.upgrade(to: Account("B"))
      } else {
        desk.runtime.signOut(unsent: .discard)
      }
      await lab.advance(by: .seconds(3600))
      #expect(desk.runtime.writes?.entries ?? [] == [])
      #expect(!desk.runtime.tree.contains("writes of A"))
      desk.runtime.signIn(a)
      await lab.settle()
      #expect(desk.phase(unsent) == .validated && desk.runtime.writes?.problem == problem)
      let changes = await desk.journal.attempts
      let calls = await desk.server.calls
      #expect(changes == 0 && calls.isEmpty)
    }
  }

  // An intent that comes back with its form after it was done must not be done again.
  @Test func intentOfADoneWrite_isKnownAfterARelaunch() async throws {
    try await Lab.run { lab in
      let journal = FaultyJournal()
      let write = testWrite()
      let first = WriteDesk(lab, WriteServer(.confirm), journal: journal)
      try first.scope().submit(write)
      await lab.settle()
      let second = WriteDesk(lab, first.server, journal: journal)
      // Before the journal was read nobody knows; the answer comes with the phases.
      let scope = try second.scope()
      #expect(scope.submit(write) == .accepted)
      await lab.settle()
      #expect(second.phase(write) == .confirmed)
      #expect(scope.submit(write) == .refused(.alreadySettled))
      let calls = await first.server.calls("send")
      #expect(calls.count == 1)
    }
  }

  // A ledger that remembers everything grows for ever; one that forgets at once does things twice.
  @Test func doneWrites_areForgottenOldestFirst() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab) { $0.remembered = 2 }
      for number: UInt8 in 1...5 {
        await desk.server.next(.confirm)
        try desk.scope().submit(testWrite(number))
        await lab.settle()
      }
      #expect(desk.runtime.writes?.entries.map(\.write) == [testWrite(4), testWrite(5)])
      let kept = await desk.journal.phases(of: Account("A"))
      #expect(Set(kept.keys.map(\.key)) == ["key 4", "key 5"])
    }
  }

  // A process may die between any two commits: nothing that was told as kept is lost or done twice.
  @Test(arguments: 0...9) func crashAfterEachCommit_losesAndDoublesNothing(
    _ commits: Int
  ) async throws {
    try await Lab.run { lab in
      let disk = FaultyJournal()
      let dying = lab.gate("the process is dead", .deaf)
      let server = WriteServer(.accept, .loseAnswer, .accept)
      let first = WriteDesk(lab, server, journal: disk) { $0.concurrency = 1 }
      await disk.hold(at: dying, after: commits)
      let writes = (1...3).map { testWrite($0) }
      for write in writes {
        try first.scope().submit(write)
        await lab.settle()
      }
      await lab.advance(by: .seconds(60))
      let promised = writes.filter { first.told($0).contains(.validated) }

      let contents = await disk.durable(Account("A"))
      let second = WriteDesk(lab, server, journal: FaultyJournal(contents))
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      for write in promised { #expect(second.phase(write) == .accepted) }
      let records = await server.records
      #expect(Set(records).count == records.count)
      #expect(Set(promised).isSubset(of: Set(records)))
    }
  }
}
