// Lending: the way through, every way out, and answers that come too late.

import LibraryApp
import Millrace
import RaceLab
import Testing

@MainActor @Suite struct LendingFlowTests {
  // Prevents: a step that is left out, or a loan that its tab and the account tab do not hear of.
  @Test func pickedAndConfirmed_isLent() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let (lending, picker) = try await session.lend(11, lab)
      #expect(lending.stage == .confirming)
      let question = try #require(lending.confirmation.child?.flow)
      #expect(question.title == "Alice's Adventures in Wonderland")
      question.confirm()
      await lab.settle()
      #expect(session.catalogue.lending.child == nil)
      #expect(!picker.scope.isCurrent)
      #expect(session.tabs.activity == [.lent([11]), .shelvesChanged, .loans(1)])
      #expect(session.account.loans.value?.map(\.book) == [11])
      #expect(session.app.runtime.counts.flows == 4)
      #expect(session.app.runtime.refusals.isEmpty)
    }
  }

  // Prevents: a refusal that closes the picker, or shows nothing.
  @Test func bookOnLoan_leavesThePickerOpen() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let other = try await session.library.register(name: "Ben", pin: "1816")
      let desk = session.library.desk(for: try await session.library.signIn(with: other))
      _ = try await desk.lend(11, key: RequestKey("other"))
      let (lending, picker) = try await session.lend(11, lab)
      #expect(lending.stage == .choosing)
      #expect(lending.notice == "Book 11 cannot be lent: it is on loan until 2024-05-23.")
      #expect(picker.scope.isCurrent)
      picker.select(12)
      picker.confirm()
      await lab.settle()
      #expect(lending.notice == nil)
      #expect(lending.stage == .confirming)
    }
  }

  // Prevents: a network fault that ends the flow, or one that is swallowed.
  @Test func libraryOutOfReach_canBeTriedAgain() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let gate = session.script.hold(.eligibility)
      let (lending, picker) = try await session.lend(11, lab)
      gate.fail(LibraryError.unreachable)
      await lab.settle()
      #expect(lending.notice == "\(LibraryError.unreachable)")
      picker.confirm()
      await lab.settle()
      #expect(lending.stage == .confirming)
    }
  }

  // Prevents: a loan that is reported as failed though the library has it, and is then refused to the
  // one who has it; or one that is made twice.
  @Test func lostAnswer_lendsOnce() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let gate = session.script.hold(.lend)
      let (lending, _) = try await session.lend(11, lab)
      lending.confirmation.child?.flow?.confirm()
      await lab.settle()
      #expect(gate.hasArrived && lending.stage == .lending)
      gate.fail(LibraryError.noAnswer)
      await lab.settle()
      #expect(lending.stage == .lending && lending.notice == nil)
      let entry = session.app.runtime.writes?.unknown.first
      #expect(entry?.write.name == "loan" && entry?.lastFailure == "\(LibraryError.noAnswer)")
      await lab.advance(by: .seconds(60))
      #expect(!lending.scope.isCurrent)
      #expect(session.tabs.activity == [.lent([11]), .shelvesChanged, .loans(1)])
      #expect(session.app.runtime.writes?.done.map(\.phase) == [.confirmed])
    }
  }

  // Prevents: a loan that the user has agreed to and that is lost with the screen.
  @Test func leftWhileLending_theLoanGoesOn() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let gate = session.script.hold(.lend)
      let (lending, _) = try await session.lend(11, lab)
      lending.confirmation.child?.flow?.confirm()
      await lab.settle()
      session.catalogue.lending.child?.dismiss()
      gate.open()
      await lab.settle()
      #expect(session.app.runtime.writes?.done.map(\.phase) == [.confirmed])
      session.account.load()
      await lab.settle()
      #expect(session.account.loans.value?.map(\.book) == [11])
      #expect(session.app.runtime.refusals.isEmpty)
    }
  }

  // Prevents: a "no" to the loan itself that ends the flow or says nothing.
  @Test func refusedLoan_leavesThePickerOpen() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let other = try await session.library.register(name: "Ben", pin: "1816")
      let desk = session.library.desk(for: try await session.library.signIn(with: other))
      let (lending, picker) = try await session.lend(11, lab)
      _ = try await desk.lend(11, key: RequestKey("other"))
      lending.confirmation.child?.flow?.confirm()
      await lab.settle()
      #expect(lending.stage == .choosing && picker.scope.isCurrent)
      #expect(lending.notice == "Book 11 cannot be lent: it is on loan until 2024-05-23.")
    }
  }

  // Prevents: "no" that is taken as "yes", or ends the lending.
  @Test func declinedQuestion_returnsToThePicker() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let (lending, picker) = try await session.lend(11, lab)
      lending.confirmation.child?.flow?.decline()
      await lab.settle()
      #expect(lending.stage == .choosing)
      #expect(await session.library.calls(by: session.account.member.id)[.lend] == nil)
      picker.cancel()
      await lab.settle()
      #expect(session.catalogue.lending.child == nil)
    }
  }

  // Prevents: a pick that is acted on after the picker was cancelled, since the stream had it already.
  @Test func pickedAndCancelledInOneJob_isAbandoned() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let (lending, picker) = try await session.lend(lab)
      picker.select(11)
      picker.confirm()
      picker.cancel()
      await lab.settle()
      #expect(!lending.scope.isCurrent)
      #expect(await session.library.calls(by: session.account.member.id)[.eligibility] == nil)
    }
  }

  // Prevents: the next screen that opens although the user went back; also for a call that does not
  // hear its cancellation.
  @Test(arguments: [false, true])
  func dismissedWhileChecking_showsNothingMore(deaf: Bool) async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let gate = session.script.hold(.eligibility, deaf: deaf)
      let (lending, _) = try await session.lend(11, lab)
      #expect(gate.hasArrived)
      session.catalogue.lending.child?.dismiss()
      await lab.settle()
      #expect(session.app.runtime.counts.operations == (deaf ? 1 : 0))
      gate.open()
      await lab.settle()
      #expect(session.app.runtime.counts.flows == 4)
      #expect(session.app.runtime.counts.operations == 0)
      #expect(lending.confirmation.child == nil)
      #expect(session.app.runtime.refusals == (deaf ? [.staleResult: 1] : [:]))
    }
  }

  // Prevents: a pick of the former lending that acts in the new one.
  @Test(arguments: [false, true])
  func replacedLending_reachesNothing(deaf: Bool) async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let gate = session.script.hold(.eligibility, deaf: deaf)
      let (_, oldPicker) = try await session.lend(lab)
      let oldOutput = { [scope = oldPicker.scope] in scope.tryEmit(.picked(12)) }
      oldPicker.select(11)
      oldPicker.confirm()
      await lab.settle()
      let (lending, picker) = try await session.lend(lab)
      oldPicker.confirm()
      #expect(oldOutput() == .refused(.emitAfterEnd))
      gate.open()
      await lab.settle()
      #expect(picker.selection == nil)
      #expect(lending.stage == .choosing)
      #expect(lending.confirmation.child == nil)
      #expect(session.app.runtime.counts.flows == 6)
      let stale = deaf ? [RefusalKind.staleResult: 1] : [:]
      #expect(
        session.app.runtime.refusals == stale.merging([.emitAfterEnd: 2]) { first, _ in first })
    }
  }

  // Prevents: the same after a sign-out, where a new session shows the same screens.
  @Test(arguments: [false, true])
  func lendingOfAFormerSession_reachesNothing(deaf: Bool) async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let gate = session.script.hold(.eligibility, deaf: deaf)
      let (_, oldPicker) = try await session.lend(lab)
      oldPicker.select(11)
      oldPicker.confirm()
      await lab.settle()
      session.account.signOut()
      try #require(session.app.signIn).signIn(with: session.card)
      await lab.settle()
      let tabs = try #require(session.app.signedIn)
      oldPicker.confirm()
      session.catalogue.lend()
      session.account.signOut()
      gate.open()
      await lab.settle()
      #expect(tabs.scope.isCurrent)
      #expect(tabs.catalogue?.lending.child == nil)
      #expect(session.catalogue.lending.child == nil)
      #expect(session.app.runtime.counts.flows == 4)
      let stale = deaf ? [RefusalKind.staleResult: 1] : [:]
      let others: [RefusalKind: Int] = [.emitAfterEnd: 2, .startAfterEnd: 1]
      #expect(session.app.runtime.refusals == stale.merging(others) { first, _ in first })
    }
  }
}
