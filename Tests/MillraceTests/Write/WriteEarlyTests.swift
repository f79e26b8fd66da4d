// What is done about writes before the journal was read: it may hold them already, from a process
// before this one.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@Suite("Writes: before the journal was read") @MainActor struct WriteEarlyTests {
  private func record(_ phase: WritePhase, of account: Account = Account("A")) -> WriteRecord {
    WriteRecord(account: account, write: testWrite(), phase: phase, sequence: 1)
  }

  // A form is restored, submits its intent again, and the user takes it back: it must not go out, and what
  // has gone out before is not called withdrawn.
  @Test(arguments: [nil, WritePhase.validated, .sent, .accepted, .confirmed])
  func withdrawn_isWhatWasNotSentBefore(kept: WritePhase?) async throws {
    try await Lab.run { lab in
      let reading = lab.gate("reading")
      let journal = FaultyJournal(kept.map { [record($0)] } ?? [])
      await journal.holdLoads(at: reading)
      let desk = WriteDesk(lab, journal: journal)
      let scope = try desk.scope()
      #expect(scope.submit(testWrite()) == .accepted)
      #expect(scope.withdraw(testWrite().intent) == .accepted)
      await lab.settle()
      #expect(desk.told(testWrite()) == [], "nobody knows yet")
      reading.open()
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let sent = await desk.server.calls("send").count
      let left = await journal.phases(of: Account("A"))[testWrite().intent]
      switch kept {
      case nil, .validated:
        #expect(desk.told(testWrite()) == [.withdrawn])
        #expect(sent == 0 && left == nil)
      case .sent:
        #expect(desk.phase(testWrite()) == .accepted)
        #expect(sent == 1 && left == .accepted)
      default:
        #expect(desk.phase(testWrite()) == kept)
        #expect(sent == 0 && left == kept)
      }
    }
  }

  // The journal cannot be read when the user takes it back: it is told when it can, and nothing goes out.
  @Test func withdrawn_waitsForTheJournal() async throws {
    try await Lab.run { lab in
      let journal = FaultyJournal([record(.validated)])
      await journal.failLoads(with: JournalError(.locked, "in use"))
      let desk = WriteDesk(lab, journal: journal)
      let scope = try desk.scope()
      scope.submit(testWrite())
      #expect(scope.withdraw(testWrite().intent) == .accepted)
      await lab.advance(by: .seconds(60))
      #expect(desk.told(testWrite()) == [])
      await journal.failLoads(with: nil)
      await lab.advance(by: .seconds(3600))
      #expect(desk.told(testWrite()) == [.withdrawn])
      let calls = await desk.server.calls("send")
      let left = await journal.phases(of: Account("A"))
      #expect(calls == [] && left == [:])
    }
  }

  /// What happens to the session while the journal is being read.
  enum Change: Sendable, CaseIterable { case signOut, otherAccount }

  // The user signs out and discards what was not sent, before anybody knows what that is.
  @Test(arguments: Change.allCases, [true, false])
  func discarded_isWhatTheJournalHas(_ change: Change, isLocked: Bool) async throws {
    try await Lab.run { lab in
      let reading = lab.gate("reading")
      let journal = FaultyJournal([record(.validated)])
      if isLocked {
        await journal.failLoads(with: JournalError(.locked, "in use"))
      } else {
        await journal.holdLoads(at: reading)
      }
      let desk = WriteDesk(lab, journal: journal)
      await lab.settle()
      switch change {
      case .signOut: desk.runtime.signOut(unsent: .discard)
      case .otherAccount: desk.runtime.signIn(Account("B"), unsent: .discard)
      }
      await lab.advance(by: .seconds(5))
      reading.open()
      await journal.failLoads(with: nil)
      await lab.advance(by: .seconds(3600))
      desk.runtime.signIn(Account("A"))
      await lab.advance(by: .seconds(3600))
      let calls = await desk.server.calls("send")
      let left = await journal.phases(of: Account("A"))
      #expect(calls == [] && left == [:])
      #expect(desk.told(testWrite()).last == .withdrawn)
    }
  }

  // A guest signs in for good while his journal is being read: his writes come along.
  @Test(arguments: [true, false]) func takenAlong_isWhatTheJournalHas(isLocked: Bool) async throws {
    try await Lab.run { lab in
      let reading = lab.gate("reading")
      let guest = Account("guest")
      let journal = FaultyJournal([record(.validated, of: guest)])
      if isLocked {
        await journal.failLoads(with: JournalError(.locked, "in use"))
      } else {
        await journal.holdLoads(at: reading)
      }
      let desk = WriteDesk(lab, journal: journal, signedInAs: "guest")
      await lab.settle()
      desk.runtime.upgrade(to: Account("B"))
      await lab.advance(by: .seconds(5))
      reading.open()
      await journal.failLoads(with: nil)
      await lab.advance(by: .seconds(3600))
      let calls = await desk.server.calls("send").map(\.account)
      #expect(calls == [Account("B")])
      #expect(desk.phase(testWrite()) == .accepted)
      let left = await journal.phases(of: guest)
      #expect(left == [:])
    }
  }

  // A push channel tells of a write while the journal is locked: nobody tells it a second time.
  @Test(arguments: ["A", "B", nil]) func report_waitsForTheJournal(signedIn: String?) async throws {
    try await Lab.run { lab in
      let journal = FaultyJournal([record(.sent)])
      await journal.failLoads(with: JournalError(.locked, "in use"))
      let desk = WriteDesk(lab, journal: journal, signedInAs: signedIn)
      await lab.settle()
      desk.runtime.report(.accepted(), for: testWrite().intent, of: Account("A"))
      desk.runtime.report(.confirmed(receipt: [7]), for: testWrite().intent, of: Account("A"))
      await lab.advance(by: .seconds(60))
      await journal.failLoads(with: nil)
      await lab.advance(by: .seconds(3600))
      let left = await journal.durable(Account("A"))
      #expect(left.map(\.phase) == [.confirmed] && left.map(\.receipt) == [[7]])
      let calls = await desk.server.calls("send")
      #expect(calls.isEmpty)
      #expect(!desk.runtime.tree.contains("writes of A") || signedIn == "A")
    }
  }

  /// What is done before the store has said who is signed in.
  enum EarlyChange: Sendable, CaseIterable {
    case signOut, signOutAndSameAgain, sameAccount, otherAccount
  }

  // "Sign out and discard" as the first thing at launch: whoever it was, his writes went out at his
  // next sign-in.
  @Test(arguments: EarlyChange.allCases, [true, false])
  func discarded_isWhatTheStoredAccountHas(_ change: EarlyChange, isLocked: Bool) async throws {
    try await Lab.run { lab in
      let (a, b) = (Account("A"), Account("B"))
      let store = GateStore(lab)
      let journal = FaultyJournal([record(.validated)])
      if isLocked { await journal.failLoads(with: JournalError(.locked, "in use")) }
      let desk = WriteDesk(lab, journal: journal, signedInAs: nil, store: store)
      await lab.settle()
      switch change {
      case .signOut: desk.runtime.signOut(unsent: .discard)
      case .signOutAndSameAgain:
        desk.runtime.signOut(unsent: .discard)
        desk.runtime.signIn(a)
      case .sameAccount: desk.runtime.signIn(a, unsent: .discard)
      case .otherAccount: desk.runtime.signIn(b, unsent: .discard)
      }
      await lab.settle()
      let isSame = change == .sameAccount || change == .signOutAndSameAgain
      // What is submitted after it is none of those.
      if isSame, !isLocked { try desk.scope().submit(testWrite(2)) }
      await lab.settle()
      store.load.open(with: StoredSession(account: a))
      await lab.advance(by: .seconds(5))
      await journal.failLoads(with: nil)
      await lab.advance(by: .seconds(3600))
      if !isSame { desk.runtime.signIn(a) }
      await lab.advance(by: .seconds(3600))
      let calls = await desk.server.calls("send").map(\.key)
      #expect(calls == (isSame && !isLocked ? ["key 2"] : []))
      let left = await journal.phases(of: a)
      #expect(left[testWrite().intent] == nil)
      for gate in [store.save, store.clear] { gate.open() }
    }
  }

  // A guest signs in for good before the store has said that there is one.
  @Test func takenAlong_isWhatTheStoredGuestHas() async throws {
    try await Lab.run { lab in
      let guest = Account("guest")
      let store = GateStore(lab)
      let journal = FaultyJournal([record(.validated, of: guest)])
      let desk = WriteDesk(lab, journal: journal, signedInAs: nil, store: store)
      await lab.settle()
      desk.runtime.upgrade(to: Account("B"))
      await lab.settle()
      store.load.open(with: StoredSession(account: guest))
      await lab.advance(by: .seconds(3600))
      let calls = await desk.server.calls("send").map(\.account)
      #expect(calls == [Account("B")] && desk.phase(testWrite()) == .accepted)
      let left = await journal.phases(of: guest)
      #expect(left == [:])
      for gate in [store.save, store.clear] { gate.open() }
    }
  }

  // Nobody knows whose writes they were: that is said, and what the next one does goes on.
  @Test func storeThatCannotBeRead_isToldAfterADiscard() async throws {
    try await Lab.run { lab in
      let store = GateStore(lab)
      let desk = WriteDesk(lab, signedInAs: nil, store: store)
      await lab.settle()
      desk.runtime.signOut(unsent: .discard)
      desk.runtime.signIn(Account("A"))
      await lab.settle()
      try desk.scope().submit(testWrite())
      store.load.fail(Oops())
      await lab.settle()
      #expect(desk.problems.contains { $0.contains("the session store cannot be read") })
      #expect(desk.phase(testWrite()) == .accepted)
      for gate in [store.save, store.clear] { gate.open() }
    }
  }
}
