// What a closed session leaves behind: what is on its way is finished, nothing else begins, and then the
// ledger goes.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@Suite("Writes: after the session") @MainActor struct WriteClosedTests {
  private func isThere(_ desk: WriteDesk) -> Bool { desk.runtime.tree.contains("writes of A") }

  // A write that was being kept stands in a line that nobody calls, and holds the ledger.
  @Test func writeThatIsKeptAfterTheSignOut_waitsForTheNext() async throws {
    try await Lab.run { lab in
      let commit = lab.gate("commit", .deaf)
      let desk = WriteDesk(lab)
      await desk.journal.hold(at: commit)
      try desk.scope().submit(testWrite())
      await lab.settle()
      desk.runtime.signOut()
      await desk.journal.hold(at: nil)
      commit.open()
      await lab.settle()
      #expect(!isThere(desk))
      #expect(await desk.server.calls("send").isEmpty)
      desk.runtime.signIn(Account("A"))
      await lab.settle()
      #expect(desk.phase(testWrite()) == .accepted)
    }
  }

  // An answer or a failure after the sign-out waits for a next try that cannot come.
  @Test(arguments: [true, false])
  func callThatEndsAfterTheSignOut_isTheLast(succeeds: Bool) async throws {
    try await Lab.run { lab in
      let request = lab.gate("request", .deaf)
      let desk = WriteDesk(lab, WriteServer(.holdRequest(request))) { $0.confirmation = .patient }
      try desk.scope().submit(testWrite())
      await lab.settle()
      desk.runtime.signOut()
      if succeeds { request.open() } else { request.fail(WriteServer.NoAnswer()) }
      await lab.settle()
      #expect(desk.told(testWrite()).last == (succeeds ? .accepted : .unknown))
      #expect(!isThere(desk))
    }
  }

  // The session is back before the call is: its time is not cut short any more.
  @Test func sessionThatIsBack_waitsForTheCall() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer", .deaf)
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer)))
      try desk.scope().submit(testWrite())
      await lab.settle()
      desk.runtime.signIn(Account("A"))
      await lab.advance(by: .seconds(20))
      answer.open()
      await lab.settle()
      #expect(desk.told(testWrite()) == [.validated, .sent, .accepted])
      #expect(await desk.server.calls("send").count == 1)
    }
  }

  // A write that is over begins anew with the next session, or holds the ledger of one that is closed.
  @Test func writeThatIsOver_staysSo() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer", .deaf)
      let desk = WriteDesk(lab, WriteServer(.confirm, .holdAnswer(answer)))
      try desk.scope().submit(testWrite(1))
      await lab.settle()
      #expect(try desk.scope().retry(testWrite(1).intent) == .refused(.alreadySettled))
      try desk.scope().submit(testWrite(2))
      await lab.settle()
      desk.runtime.signIn(Account("A"))
      await lab.settle()
      #expect(try desk.scope().retry(testWrite(1).intent) == .refused(.alreadySettled))
      desk.runtime.signOut()
      answer.open()
      await lab.settle()
      #expect(!isThere(desk))
    }
  }

  // A network that comes back sets going what has no session, and holds the ledger.
  @Test func networkThatIsBack_setsNothingGoing() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer", .deaf)
      let desk = WriteDesk(lab, WriteServer(.accept, .holdAnswer(answer)))
      for number: UInt8 in 1...2 {
        try desk.scope().submit(testWrite(number))
        await lab.settle()
      }
      desk.runtime.signOut()
      desk.runtime.connectivity = .offline
      desk.runtime.connectivity = .online
      answer.open()
      await lab.settle()
      #expect(!isThere(desk))
    }
  }

  // A view model of before reads the writes of a session that it has no part in.
  @Test func flowOfTheClosedSession_seesNoWrites() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer", .deaf)
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer)))
      let scope = try desk.scope()
      scope.submit(testWrite())
      await lab.settle()
      #expect(scope.writes?.entries.count == 1)
      desk.runtime.signOut()
      #expect(isThere(desk) && scope.writes == nil)
      answer.open()
      await lab.settle()
    }
  }
}
