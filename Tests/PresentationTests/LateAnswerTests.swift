// Answers of a host about flows that have ended since it was asked.

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
}
