// What sets a write going again, and what does not.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// Accepts all, and answers a question about it as the test says.
private actor AskedServer: WriteService {
  private let answer: Gate<WriteStatus>

  init(_ answer: Gate<WriteStatus>) { self.answer = answer }

  func validate(_ write: Write, for account: Account) async throws {}

  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer { .accepted() }

  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus {
    return try await answer.wait()
  }
}

@Suite("Writes: again") @MainActor struct WriteAgainTests {
  private func entry(_ desk: WriteDesk) -> WriteEntry? {
    desk.runtime.writes?.entry(for: testWrite().intent)
  }

  // A network that is back throws away what the answer to a question says.
  @Test func questionOnItsWay_isNotTakenBack() async throws {
    try await Lab.run { lab in
      let answer = lab.gate(of: WriteStatus.self, "answer", .deaf)
      let desk = WriteDesk(lab) { $0.service = AskedServer(answer) }
      try desk.scope().submit(testWrite())
      await lab.settle()
      #expect(try desk.scope().retry(testWrite().intent) == .accepted)
      await lab.settle()
      desk.runtime.connectivity = .offline
      desk.runtime.connectivity = .online
      answer.open(with: .seen(.confirmed()))
      await lab.settle()
      #expect(desk.phase(testWrite()) == .confirmed)
    }
  }

  // What was never accepted is told as lost by the server.
  @Test func unknownWriteThatIsUnseen_isNoProblem() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.loseRequest)) { $0.reconciliation = .ask }
      try desk.scope().submit(testWrite())
      await lab.settle()
      await lab.advance(by: .seconds(10))
      #expect(desk.phase(testWrite()) == .accepted && desk.problems == [])
      #expect(await desk.server.calls("status").count == 1)
    }
  }

  // A network that is said to be there once more, or that goes, or a credential, sets a write going that
  // has given up.
  @Test func pausedWrite_waitsForWhatItWaitsFor() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.loseAnswer, .loseAnswer)) { $0.retry.attempts = 1 }
      try desk.scope().submit(testWrite())
      await lab.settle()
      desk.runtime.connectivity = .online
      try desk.scope().updateCredential([9])
      await lab.settle()
      #expect(entry(desk)?.pause == .attempts)
      desk.runtime.connectivity = .offline
      await lab.settle()
      #expect(entry(desk)?.pause == .attempts)
      #expect(await desk.server.calls("send").count == 1)
      desk.runtime.connectivity = .online
      await lab.settle()
      #expect(await desk.server.calls("send").count == 2)
    }
  }

  // A new row of attempts begins with the failures of the last one.
  @Test func retry_beginsANewRow() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.loseAnswer, .loseAnswer, .loseAnswer)) {
        $0.retry = RetryPolicy(attempts: 2, first: .seconds(1), jitter: 0)
      }
      try desk.scope().submit(testWrite())
      await lab.advance(by: .seconds(60))
      #expect(entry(desk)?.pause == .attempts)
      try desk.scope().retry(testWrite().intent)
      await lab.settle()
      #expect(entry(desk)?.pause == nil && entry(desk)?.failures == 1)
      await lab.advance(by: .seconds(60))
      #expect(desk.phase(testWrite()) == .accepted)
    }
  }

  // A report that all is well leaves a paused write paused.
  @Test func report_endsThePause() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.loseAnswer)) { $0.retry.attempts = 1 }
      try desk.scope().submit(testWrite())
      await lab.settle()
      #expect(entry(desk)?.pause == .attempts)
      desk.runtime.report(.accepted(), for: testWrite().intent, of: Account("A"))
      await lab.settle()
      #expect(entry(desk)?.pause == nil && desk.phase(testWrite()) == .accepted)
    }
  }

  // A call that fails after the report that all is done sets the write going again.
  @Test func failureAfterTheLastReport_changesNothing() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer", .deaf)
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer)))
      try desk.scope().submit(testWrite())
      await lab.settle()
      desk.runtime.report(.confirmed(), for: testWrite().intent, of: Account("A"))
      await lab.settle()
      answer.fail(WriteServer.NoAnswer())
      await lab.settle()
      #expect(entry(desk)?.lastFailure == "")
      #expect(try desk.scope().retry(testWrite().intent) == .refused(.alreadySettled))
    }
  }

  // An answer that came while a report was on its way to the journal makes a call of it once more.
  @Test func reportWhileACallIsOn_leavesTheCallAlone() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer", .deaf)
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer))) { $0.confirmation = .patient }
      try desk.scope().submit(testWrite())
      await lab.settle()
      desk.runtime.report(.accepted(), for: testWrite().intent, of: Account("A"))
      await lab.advance(by: .seconds(20))
      #expect(await desk.server.calls("status").isEmpty, "it is asked about while it is sent")
      answer.open()
      await lab.settle()
    }
  }
}
