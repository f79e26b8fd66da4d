// Whole walks through the app, under many schedules: a sign-out, a swipe or a replacement may come
// between any two steps.

import LibraryApp
import Millrace
import RaceLab
import Testing

@MainActor @Suite struct ExploredTests {
  // Prevents: an eligibility answer, a question or a loan that outlives the session it was for.
  @Test(arguments: [LendingFlow.Stage.choosing, .confirming])
  func signOutDuringLending_leavesNothing(from stage: LendingFlow.Stage) async throws {
    try await explore("sign-out during lending", schedules: 200) { lab in
      let session = try await SignedInApp(lab)
      let (lending, picker) = try await session.lend(lab)
      picker.select(11)
      if stage == .confirming {
        picker.confirm()
        await lab.settle()
      }
      try lab.require(lending.stage == stage, "the sign-out comes from here on")
      let signOut = Task.detached { await session.account.signOut() }
      switch stage {
      case .choosing: picker.confirm()
      default: lending.confirmation.child?.flow?.confirm()
      }
      await signOut.value
      let runtime = session.app.runtime
      try lab.require(runtime.session == nil, "signed out at once")
      try lab.require(runtime.counts.flows == 1, "every flow of the session has ended")
      await lab.settle()
      try lab.require(session.app.signIn != nil, "the sign-in is shown")
      try lab.require(runtime.counts.flows == 1, "nothing was started after")
      try lab.require(runtime.counts.operations == 0, "no task is left")
      try lab.require(lending.confirmation.child == nil, "no question is open")
    }
  }

  // Prevents: two lendings at once, or a pick of the old one that is lent by the new one.
  @Test func replacementDuringChecking_lendsOnce() async throws {
    try await explore("replacement during checking", schedules: 200) { lab in
      let session = try await SignedInApp(lab)
      let (_, old) = try await session.lend(lab)
      old.select(11)
      let replace = Task.detached { await session.catalogue.lend() }
      old.confirm()
      await replace.value
      await lab.settle()
      let lending = try lab.found(session.catalogue.lending.child?.flow)
      let picker = try lab.found(lending.picker.child?.flow)
      try lab.require(lending.stage == .choosing && picker.selection == nil, "a fresh start")
      try lab.require(session.app.runtime.counts.flows == 6, "one lending, one picker")
      picker.select(12)
      picker.confirm()
      await lab.settle()
      lending.confirmation.child?.flow?.confirm()
      await lab.settle()
      try lab.require(session.account.loans.value?.map(\.book) == [12], "the new pick is lent")
    }
  }
}

extension Lab {
  /// The value, which the scenario must have led to.
  fileprivate func found<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
  }
}

private struct Missing: Error {}
