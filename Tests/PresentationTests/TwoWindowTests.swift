// Two windows of one runtime: what happens in one is nothing to the other, until the session ends.

import Millrace
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct TwoWindowTests {
  /// What is done in the first window, by the user and by the app.
  enum Deed: CaseIterable, Sendable {
    case swipe, begin, letGo, complete, tap, pop, replaceRoot, dismiss, open, close

    @MainActor func callAsFunction(_ side: FilledWindow) {
      switch self {
      case .swipe: side.host.swipe(side.top)
      case .begin: side.host.beginGesture(side.top)
      case .letGo:
        side.host.beginGesture(side.top)
        side.host.cancelGesture(side.top)
      case .complete:
        side.host.beginGesture(side.sheet.id)
        side.host.completeGesture(side.sheet.id)
      case .tap: side.host.tap(side.tabs[0].id)
      case .pop: side.window.navigate(.pop(to: side.root.scope.id))
      case .replaceRoot: side.window.replaceRoot(Root { Page(scope: $0) })
      case .dismiss: side.sheet.dismiss()
      case .open: side.root.open(.cover)
      case .close: side.window.close()
      }
    }
  }

  /// What the host of the first window says of flows that are the other's.
  private static let lies: [@MainActor (FilledWindow) -> HostReport] = [
    { .didDismiss($0.sheet.id) }, { .didDismiss($0.root.scope.id) }, { .didSelect($0.tabs[0].id) },
    { .gestureBegan($0.top) }, { .gestureCompleted($0.sheet.id) }, { .didCover($0.tabs[1].id) },
    { .attemptBlocked($0.sheet.id) }, { .didShow($0.tabs[0].id) },
  ]

  private struct Missed: Error { let what: String }

  private func side(_ runtime: FlowRuntime) throws -> FilledWindow {
    try FilledWindow(runtime, RecordingHost(.whenTold))
  }

  // Fault: a gesture, a command or a report of one window holds up, moves or ends what the other shows.
  @Test(arguments: Deed.allCases) func whatIsDoneInOne_isNothingToTheOther(deed: Deed) async throws
  {
    try await explore(schedules: 60) { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      let (one, other) = (try side(runtime), try side(runtime))
      for _ in 0..<5 {
        for side in [one, other] { side.host.answerAll() }
        await lab.settle()
      }
      try lab.require(other.window.transition == nil)
      try lab.require(other.host.screens == other.window.navigation)
      let before = (other.window.navigation, other.host.commands.count)
      lab.always("the other window is as it was") {
        // It ends with the last reference to the runtime.
        runtime.session != nil && other.window.navigation == before.0
          && other.host.screens == before.0
          && other.host.commands.count == before.1
      }
      lab.always("both are consistent") { one.window.isConsistent && other.window.isConsistent }
      lab.adversary("done in the first") { deed(one) }
      let lie = Self.lies[lab.choose(Self.lies.count)](other)
      lab.adversary("a report of what is not its own") { one.host.connection?.report(lie) }
      lab.adversary("answer") { one.host.answerAll() }
      await lab.settle()
      await lab.advance(by: .seconds(6))
      one.host.answerAll()
      await lab.settle()
      try lab.require(other.tabs.allSatisfy(\.isCurrent) && other.sheet.isCurrent)
    }
  }

  /// What the first window is in the middle of.
  enum Wait: CaseIterable, Sendable { case gesture, answer }

  // Fault: what the other is to show waits for the user's finger, or for the host, of the first.
  @Test(arguments: Wait.allCases) func whatOneWaitsFor_holdsUpNothingInTheOther(wait: Wait)
    async throws
  {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let (one, other) = (try side(runtime), try side(runtime))
      for side in [one, other] { side.host.answerAll() }
      switch wait {
      case .gesture: one.host.beginGesture(one.top)
      case .answer: one.root.open(.cover)
      }
      let transition = one.window.transition
      try lab.require(transition != nil && other.window.transition == nil)
      let page = other.root.open(.cover)
      try lab.require(other.host.unanswered.map(\.subject) == [page.id], "it is asked at once")
      other.host.answerAll()
      try lab.require(other.window.transition == nil && page.screenState == .shown)
      try lab.require(other.host.screens == other.window.navigation)
      try lab.require(one.window.transition == transition, "the first is where it was")
    }
  }

  // Fault: signed out in one window, and the other goes on showing what was his, or ends it only
  // as its next root comes.
  @Test func signOut_endsBoth() async throws {
    try await explore(schedules: 60) { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      let (one, other) = (try side(runtime), try side(runtime))
      for side in [one, other] { side.host.answerAll() }
      await lab.settle()
      lab.adversary("gesture") { one.host.beginGesture(one.sheet.id) }
      var endedInTheCall: Bool?
      lab.adversary("sign-out") {
        one.root.scope.signOut()
        endedInTheCall = [one, other].allSatisfy { side in
          !side.root.scope.isCurrent && !side.sheet.isCurrent
        }
      }
      lab.adversary("answer") { for side in [one, other] { side.host.answerAll() } }
      await lab.settle()
      try lab.require(endedInTheCall == true, "both have ended when the call returns")
      for side in [one, other] {
        try lab.require(!side.root.scope.isCurrent && !side.sheet.isCurrent)
        try lab.require(side.tabs.allSatisfy { !$0.isCurrent })
        guard case .sessionEnded = await side.sheet.ending else {
          throw Missed(what: "the sheet ended with its session, not with its root's replacement")
        }
        try lab.require(side.window.rootFlow !== side.root && side.window.rootFlow != nil)
      }
      await lab.advance(by: .seconds(6))
      for side in [one, other] {
        side.host.answerAll()
        await lab.settle()
        side.host.answerAll()
        try lab.require(side.host.screens == side.window.navigation)
      }
    }
  }

  // Fault: what a user asked for is done for the next one, in a window that outlives both sessions.
  @Test func commandThatWaits_isDroppedWithItsSession() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let host = RecordingHost()
      let window = runtime.openWindow(host: host, fixedRoot: Root { Page(scope: $0) })
      let root = try #require(window.rootFlow as? Page)
      runtime.signIn(Account("A"))
      let page = root.open(.push)
      host.beginGesture(page.id)
      try lab.require(window.navigate(.dismiss(page.id), from: .user) == .held(.transition))
      runtime.signOut()
      runtime.signIn(Account("B"))
      host.cancelGesture(page.id)
      try lab.require(page.isCurrent && window.transition == nil)
    }
  }
}
