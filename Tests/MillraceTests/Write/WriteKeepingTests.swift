// What is kept later, and said once, while a journal fails.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@Suite("Writes: keeping") @MainActor struct WriteKeepingTests {
  // Each answer that cannot be kept is kept by a timer of its own, and each failure told as a new one.
  @Test func answersThatCannotBeKept_areKeptTogether() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer", .deaf)
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer)))
      try desk.scope().submit(testWrite())
      await lab.settle()
      await desk.journal.failCommits(with: JournalError(.unavailable, ""))
      answer.open()
      await lab.settle()
      desk.runtime.report(.confirmed(), for: testWrite().intent, of: Account("A"))
      await lab.settle()
      await desk.journal.failCommits(with: nil)
      let before = await desk.journal.attempts
      await lab.advance(by: .seconds(60))
      #expect(await desk.journal.attempts == before + 1)
      #expect(await desk.journal.phases(of: Account("A")) == [testWrite().intent: .confirmed])
      #expect(desk.problems.count == 1, "\(desk.problems)")
    }
  }

  // What was never kept cannot be taken back while the journal fails.
  @Test func withdrawnBeforeItWasKept_needsNoJournal() async throws {
    try await Lab.run { lab in
      let checking = lab.gate("checking", .deaf)
      let desk = WriteDesk(lab)
      await desk.server.holdValidation(at: checking)
      await desk.journal.failCommits(with: JournalError(.unavailable, ""))
      let scope = try desk.scope()
      scope.submit(testWrite())
      await lab.settle()
      #expect(scope.withdraw(testWrite().intent) == .accepted)
      await lab.settle()
      #expect(desk.told(testWrite()) == [.withdrawn])
      #expect(await desk.journal.attempts == 0)
      checking.open()
      await lab.settle()
    }
  }

  // One who waited and has gone is answered, and the answer counted as refused.
  @Test func oneWhoHasGone_isNotTold() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer", .deaf)
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer)))
      try desk.scope().submit(testWrite())
      let child = try desk.scope().start(as: .sheet) { WriteForm($0) }
      let below = try #require(child.flow?.scope)
      below.task { _ = try await below.phase(of: testWrite().intent, until: .confirmed) }
      await lab.settle()
      child.dismiss()
      answer.open()
      await lab.settle()
      #expect(desk.phase(testWrite()) == .accepted)
      #expect(desk.runtime.refusals[.staleResult] == nil)
    }
  }
}
