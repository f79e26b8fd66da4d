// Answers of a host that come late: about flows that have ended since it was asked, and after words of
// the user that look like them.

import Millrace
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct LateAnswerTests {
  // Fault: a tab ends while the host is selecting it. The answer names no flow that is alive, is passed
  // over, and the window does nothing more until the host's limit.
  @Test(arguments: [true, false]) func selectionOfATabThatHasEnded_isAnswered(
    _ endsAlone: Bool
  ) async throws {
    try await Lab.run { lab in
      let host = RecordingHost(.whenTold)
      let runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      let window = runtime.openWindow(host: host) { _ in Root { Page(scope: $0) } }
      let root = try #require(window.rootFlow as? Page)
      let tabs = (0..<2).map { _ in root.scope.start(as: .tab) { Page(scope: $0) } }
      await lab.settle()
      host.answerAll()
      window.navigate(.select(tabs[1].id))
      await lab.settle()
      try lab.require(window.transition == .command(.select(tabs[1].id)))
      if endsAlone { tabs[1].cancel() } else { runtime.signIn(Account("B")) }
      await lab.settle()
      host.answerAll()
      await lab.settle()
      try lab.require(window.transition == nil, "it waits for \(window.transition as Any)")
      try lab.require(window.isConsistent && host.screens == window.navigation)
    }
  }

  // Fault: the host's answer to a selection is lost, and an older deed of the user is taken for it. What
  // he did after that looks like his latest word: the host shows one tab, and the tree has another.
  @Test func answerThatIsLostAmongTheUsersDeeds_leavesNoTwoTabs() async throws {
    try await Lab.run { lab in
      let host = RecordingHost(.whenTold)
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow(host: host) { _ in Root { Page(scope: $0) } }
      await lab.settle()
      let root = try #require(window.rootFlow as? Page)
      let tabs = (0..<3).map { _ in root.scope.start(as: .tab) { Page(scope: $0) } }
      await lab.settle()
      host.answerAll()
      let deeds = [1, 2].map { host.tap(tabs[$0].id, reporting: false) }
      window.navigate(.select(tabs[1].id))
      host.answer(reporting: false)
      for deed in deeds { host.connection?.report(deed) }
      host.answerAll()
      await lab.settle()
      try lab.require(host.screens == window.navigation, "\(host.screens) \(window.navigation)")
    }
  }
}
