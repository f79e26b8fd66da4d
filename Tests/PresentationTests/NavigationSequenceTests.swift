// Random sequences of commands and reports against the independent model.

import Foundation
import RuleScenarios
import Testing

@MainActor @Suite struct NavigationSequenceTests {
  /// Sequences to play: a few here, many with MILLRACE_SEQUENCES.
  private static let count =
    ProcessInfo.processInfo.environment["MILLRACE_SEQUENCES"].flatMap(Int.init) ?? 300
  /// The first seed, to go on where another run has ended.
  private static let first =
    ProcessInfo.processInfo.environment["MILLRACE_FIRST_SEED"].flatMap(UInt64.init) ?? 1

  // Fault: any by which what is shown, what lives and what the host has come apart.
  @Test func randomSequences_agreeWithTheRules() async throws {
    let seeds = Self.first..<(Self.first + UInt64(Self.count))
    if let fault = await NavigationRun.fault(in: seeds) { Issue.record("\(fault)") }
  }

  // Fault: a gesture was to decide about a replacement; before its turn came another flow took the
  // place, and was shown on top of what stood over it.
  @Test func placeTakenBeforeTheGesture_isKept() async throws {
    try await NavigationRun.play([
      .act(.tab, 20), .act(.push, 50), .act(.slot, 45), .act(.dismiss, 18), .act(.sheet, 6),
      .act(.dismiss, 17), .act(.sheet, 31), .act(.interactive, 60), .act(.answer, 13),
      .act(.slot, 8),
    ])
  }

  // Fault: a flow of a slot is replaced under what stands over it, and the user takes away the old
  // one before the host is asked: the new one was shown on top.
  @Test func placeLeftByTheUser_staysWhereItIs() async throws {
    try await NavigationRun.play([
      .act(.tab, 20), .act(.push, 50), .act(.slot, 45), .act(.dismiss, 18), .act(.sheet, 6),
      .act(.dismiss, 17), .act(.sheet, 31), .act(.answer, 51), .act(.answer, 13), .act(.slot, 8),
      .act(.swipe, 30),
    ])
  }

  // Fault: the same, and a gesture brought the new one.
  @Test func placeLeftByTheUser_staysWhereItIs_interactive() async throws {
    try await NavigationRun.play([
      .act(.slot, 5), .act(.slot, 25), .act(.quiet, 22), .act(.interactive, 22), .act(.sheet, 30),
      .act(.swipeUpper, 3), .act(.answerLate, 47), .act(.interactive, 6), .act(.swipeLate, 33),
      .act(.limit, 11), .act(.answer, 52), .act(.answer, 48),
    ])
  }

  // Fault: a sheet that was put in the place of an alert was shown as one.
  @Test func sheetInThePlaceOfAnAlert_isASheet() async throws {
    try await NavigationRun.play([
      .act(.sheet, 9), .act(.answer, 24), .act(.slot, 45), .act(.limit, 20),
      .act(.interactive, 9), .act(.alert, 36), .act(.slot, 31), .act(.otherHost, 43),
    ])
  }

  // Fault: a sheet with a question over it is replaced, after the user has taken the sheet away,
  // unseen, and the question has come all the same: the question stood under the new sheet, and took
  // it along, or stayed for ever.
  @Test(arguments: [0, 1]) func questionOverWhatIsReplaced_leavesFirst(late: Int) async throws {
    try await NavigationRun.play(
      [
        .act(.slot, 37), .act(.tab, 28), .act(.slot, 45), .act(.finish, 10), .act(.quiet, 31),
        .act(.push, 18), .act(.alert, 37), .act(.answer, 23), .act(.swipeLate, 5),
        .act(.slot, 16), .act(.answer, 19),
      ] + Array(repeating: .act(.answer, 0), count: late))
  }

  // Fault: the same after a change of hosts, with what stands over it shown already.
  @Test func placeLeftUnseen_staysUnderWhatStandsOverIt() async throws {
    try await NavigationRun.play([
      .act(.tab, 20), .act(.push, 50), .act(.slot, 45), .act(.dismiss, 18), .act(.answer, 5),
      .act(.answer, 57), .act(.sheet, 6), .act(.otherHost, 45), .act(.dismiss, 17),
      .act(.sheet, 31), .act(.answer, 51), .act(.answer, 13), .act(.slot, 8), .act(.swipe, 30),
    ])
  }

  // Fault: what the user selected before the app did was reported after it, and counted as the last.
  @Test func selectionsOfUserAndApp_comeInTheirOrder() async throws {
    try await NavigationRun.play([
      .act(.quiet, 20), .act(.tab, 48), .act(.tab, 53), .act(.answer, 57), .act(.answer, 4),
      .act(.tapLate, 16), .act(.navigateSelect, 26), .act(.answer, 20),
    ])
  }

  // Fault: the answer to a selection was lost, and what the user selected after it was taken for
  // what was there before: the host had the one, the tree the other.
  @Test func selectionWithoutAnAnswer_isAskedForAgain() async throws {
    try await NavigationRun.play([
      .act(.quiet, 20), .act(.tab, 48), .act(.tab, 53), .act(.answer, 57), .act(.answer, 4),
      .act(.navigateSelect, 26), .act(.answerLost, 20), .act(.tap, 16),
    ])
  }

  // Fault: the user goes to another tab and back to one whose flow has ended. When that is taken away
  // the host selects its neighbour, and was not told which one the tree has.
  @Test func tabThatEndedUnderTheUser_leavesWhatIsSelected() async throws {
    try await NavigationRun.play([
      .act(.tab, 21), .act(.tab, 31), .act(.answer, 42), .act(.tab, 29), .act(.answer, 41),
      .act(.finish, 1), .act(.answer, 17), .act(.answerLate, 43), .act(.tap, 44), .act(.tap, 18),
    ])
  }

  // Fault: a sheet is replaced that the host has lost with one that left under it, and what has come
  // since leaves: the new one stood over that, and left with it.
  @Test func placeLostWithWhatWasUnderIt_isTakenAllTheSame() async throws {
    try await NavigationRun.play([
      .act(.interactive, 48), .act(.push, 20), .act(.tab, 22), .act(.answerLate, 22),
      .act(.cover, 59), .act(.finish, 36), .act(.deliverFromThread, 47), .act(.slot, 0),
      .act(.answer, 40), .act(.dismiss, 50), .act(.dismiss, 43), .act(.sheet, 58),
      .act(.answer, 22), .act(.navigateDismiss, 20), .act(.slot, 58), .act(.slot, 44),
    ])
  }

  // Fault: the user takes away a cover that leaves; a sheet over it is lost, and a question over that
  // is on its way: the sheet was shown over its question, after the host limit.
  // And the same where the report of the user's gesture may be older than what the host was asked for.
  @Test(arguments: [false, true])
  func whatIsOnItsWayOverWhatWasLost_comesOverIt(afterAChange: Bool) async throws {
    var steps: [NavigationStep] = [
      .act(.cover, 34), .act(.push, 2), .act(.sheet, 63), .act(.alert, 27), .act(.answer, 51),
      .act(.dismiss, 61), .act(.answer, 22), .act(.begin, 10), .act(.answer, 52),
      .act(.answer, 49), .act(.complete, 60),
    ]
    if afterAChange {
      steps.insert(.act(.otherHost, 32), at: 4)
      steps.insert(.act(.answer, 28), at: 2)
    }
    try await NavigationRun.play(steps)
  }

  // Fault: hosts change while a gesture is to decide: what no host was asked for counted as shown, and
  // left with what the user took away under it.
  @Test func whatWaitsAtAChangeOfHosts_goesOnWaiting() async throws {
    try await NavigationRun.play([
      .act(.sheet, 15), .act(.push, 33), .act(.tab, 19), .act(.sheet, 29), .act(.push, 31),
      .act(.push, 29), .act(.navigateDismiss, 17), .act(.slot, 56), .act(.cover, 16),
      .act(.interactive, 36), .act(.otherHost, 1), .act(.answer, 40), .act(.answer, 20),
      .act(.answer, 42), .act(.swipe, 17),
    ])
  }

  // Fault: what a gesture had brought is gone before the commit is known, and a sheet over the place is
  // on its way: what was to be replaced was shown over it.
  @Test func placeGivenBack_isUnderWhatStandsOverIt() async throws {
    try await NavigationRun.play([
      .act(.slot, 20), .act(.interactive, 40), .act(.sheet, 61), .act(.answer, 58),
      .act(.answer, 48), .act(.answerLate, 5), .act(.swipe, 29),
    ])
  }

  // Fault: the user took a sheet away that had a question of its own over it, between modals of
  // others: what stood over the question stayed.
  @Test func modalsOverWhatTheUserTookAway_leaveWithIt() async throws {
    try await NavigationRun.play([
      .act(.quiet, 0), .act(.sheet, 0), .act(.answer, 0), .act(.swipeLate, 0), .act(.cover, 0),
      .act(.answer, 0), .act(.alert, 1), .act(.answer, 0), .act(.cover, 0), .act(.answer, 0),
      .act(.deliver, 0),
    ])
  }
}
