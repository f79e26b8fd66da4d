// A guest's writes on their way to the account that the guest signs in to.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@Suite("Writes: of a guest") @MainActor struct WriteGuestTests {
  private let guest = Account("guest")
  private let account = Account("B")

  // The former account has it still, sends it as well, or the write is refused though it was kept.
  @Test func journalThatFails_movesItLater() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, signedInAs: "guest")
      desk.runtime.connectivity = .offline
      try desk.scope().submit(testWrite())
      await lab.settle()
      await desk.journal.failCommits(with: JournalError(.unavailable, ""))
      desk.runtime.upgrade(to: account)
      await lab.settle()
      // It goes on waiting, whatever session of the account is there.
      desk.runtime.signIn(account)
      await lab.settle()
      await desk.journal.failCommits(with: nil)
      await lab.advance(by: .seconds(60))
      #expect(await desk.journal.durable(guest).isEmpty)
      #expect(await desk.journal.phases(of: account) == [testWrite().intent: .validated])
      #expect(desk.told(testWrite()) == [.validated])
      // Moved is moved: later commits have nothing more to say of the guest.
      let before = await desk.journal.changes.count
      desk.runtime.connectivity = .online
      await lab.settle()
      let later = await desk.journal.changes.dropFirst(before)
      #expect(!later.isEmpty && later.allSatisfy(\.keeps))
    }
  }

  // Nobody has kept it yet: it is checked as the guest's, whom it is not any more, or twice.
  @Test func writeThatWaitsForTheJournal_isCheckedOnceAndAsTheLast() async throws {
    try await Lab.run { lab in
      for accounts in [["B"], ["B", "guest"]] {
        let reading = lab.gate("reading", .deaf)
        let desk = WriteDesk(lab, signedInAs: "guest")
        await desk.journal.holdLoads(at: reading)
        try desk.scope().submit(testWrite())
        for account in accounts { desk.runtime.upgrade(to: Account(account)) }
        await lab.settle()
        await desk.journal.holdLoads(at: nil)
        reading.open()
        await lab.settle()
        let checked = await desk.server.calls("validate").map(\.account.id)
        #expect(checked == [accounts.last])
        #expect(await desk.server.calls("send").map(\.account.id) == [accounts.last])
      }
    }
  }

  // It was withdrawn while the account's journal was read, and is kept and sent after that.
  @Test func withdrawnWhileTheJournalIsRead_isNotKept() async throws {
    try await Lab.run { lab in
      let checking = lab.gate("checking", .deaf)
      let reading = lab.gate("reading", .deaf)
      let desk = WriteDesk(lab, signedInAs: "guest")
      await desk.server.holdValidation(at: checking)
      try desk.scope().submit(testWrite())
      await lab.settle()
      await desk.journal.holdLoads(at: reading)
      desk.runtime.upgrade(to: account)
      await lab.settle()
      checking.open()
      await lab.settle()
      #expect(try desk.scope().withdraw(testWrite().intent) == .accepted)
      reading.open()
      await lab.settle()
      #expect(desk.told(testWrite()) == [.withdrawn])
      #expect(await desk.journal.durable(account).isEmpty)
      #expect(await desk.server.calls("send").isEmpty)
    }
  }

  // The account's own write of this intent is on its way: the guest's takes its place, and it is sent twice.
  @Test func intentThatTheAccountHas_staysTheAccounts() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer", .deaf)
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer)), signedInAs: "B")
      try desk.scope().submit(testWrite())
      await lab.settle()
      desk.runtime.signIn(guest)
      desk.runtime.connectivity = .offline
      try desk.scope().submit(testWrite())
      await lab.settle()
      desk.runtime.upgrade(to: account)
      desk.runtime.connectivity = .online
      answer.open()
      await lab.settle()
      await lab.advance(by: .seconds(60))
      #expect(await desk.server.calls("send").count == 1)
      #expect(desk.phase(testWrite()) == .accepted)
      #expect(await desk.journal.durable(guest).isEmpty)
    }
  }
}
