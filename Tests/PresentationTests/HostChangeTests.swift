// Hosts that come and go while the flows stay, and the last word to the host of a closed window.

import Millrace
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct HostChangeTests {
  private struct Stage {
    let lab: Lab
    let runtime: FlowRuntime
    let window: FlowWindow
    let root: Page
    let tabs: [Child<Page>]

    /// Keeps no host: that is the test's.
    @MainActor init(_ lab: Lab, _ host: RecordingHost) throws {
      self.lab = lab
      runtime = FlowRuntime(clock: lab.clock)
      let filled = try FilledWindow(runtime, host)
      (window, root, tabs) = (filled.window, filled.root, filled.tabs)
    }
  }

  // Fault: a scene comes back, and its host shows nothing, or only what is asked for later.
  @Test func hostThatIsGone_isFollowedByOneThatShowsWhatIsThere() async throws {
    try await Lab.run { lab in
      var first: RecordingHost? = RecordingHost()
      let stage = try Stage(lab, first ?? RecordingHost())
      first = nil
      stage.tabs[0].flow?.open(.push)
      let shown = stage.window.navigation
      let second = RecordingHost()
      try lab.require(stage.window.attach(second).isAccepted)
      await stage.window.settled()
      try lab.require(second.screens == shown && stage.window.navigation == shown)
      second.swipe(stage.tabs[0].id)
      try lab.require(!stage.tabs[0].isCurrent && second.screens == stage.window.navigation)
    }
  }

  // Fault: the former host keeps its screens, and what it reports hits the screens of the new one.
  @Test func formerHost_isEmptiedAndNotHeard() async throws {
    try await Lab.run { lab in
      let first = RecordingHost()
      let stage = try Stage(lab, first)
      let (shown, connection) = (stage.window.navigation, try #require(first.connection))
      let second = RecordingHost()
      stage.window.attach(second)
      try lab.require(first.screens == Navigation() && second.screens == shown)
      try lab.require(stage.runtime.refusals.isEmpty, "the answer to the last words is expected")
      connection.report(.didDismiss(stage.tabs[0].id))
      connection.report(.didSelect(stage.tabs[0].id))
      try lab.require(stage.tabs[0].isCurrent)
      try lab.require(stage.runtime.refusals == [.closed: 1], "that it is gone is no news")
      try lab.require(connection.flow(stage.tabs[0].id) == nil)
      try lab.require(connection.navigate(.dismiss(stage.tabs[0].id)) == .refused(.closed))
      try lab.require(connection.navigation == Navigation())
      try lab.require(stage.window.navigation == shown)
    }
  }

  // Fault: what was under way with the former host holds up the new one for ever: a screen that was
  // asked for, one that was to be taken away, a gesture, a replacement that a gesture decides about.
  @Test func whatWasUnderWay_isDoneWithTheNewHost() async throws {
    try await Lab.run { lab in
      let first = RecordingHost(.whenTold)
      let stage = try Stage(lab, first)
      first.answerAll()
      let page = stage.root.slotPage(1)
      let waiting = stage.root.open(.sheet)
      first.answerAll()
      let dismissal = waiting.dismiss()
      let next = stage.root.open(.cover)
      first.beginGesture(page.id)
      let second = RecordingHost(.whenTold)
      stage.window.attach(second)
      try lab.require(await dismissal.settled() == .hostGone)
      try lab.require(next.screenState == .waiting)
      second.answerAll()
      try lab.require(next.screenState == .shown && page.isCurrent)
      try lab.require(stage.window.transition == nil)
      try lab.require(second.screens == stage.window.navigation)

      let other = stage.root.slotPage(2, interactively: true)
      second.beginGesture(other.id)
      let third = RecordingHost()
      stage.window.attach(third)
      try lab.require(page.isCurrent && !other.isCurrent, "the gesture counts as let go")
      second.answerAll()
      try lab.require(second.screens == Navigation() && second.unanswered.isEmpty)
      try lab.require(third.screens == stage.window.navigation)
    }
  }

  // Fault: a window is closed, and its host goes on showing screens whose flows have ended.
  @Test(arguments: ["close", "release the window", "release the runtime"])
  func closedWindow_takesItsScreensAlong(way: String) async throws {
    try await Lab.run { lab in
      let host = RecordingHost()
      var stage: Stage? = try Stage(lab, host)
      var runtime = stage?.runtime
      if way == "close" { stage?.window.close() }
      if way == "release the runtime" { runtime = nil }
      stage = nil
      await lab.settle()
      try lab.require(host.screens == Navigation())
      guard let runtime else { return }
      try lab.require(runtime.refusals.isEmpty && runtime.counts.flows == 0)
      host.connection?.report(.didDismiss(FlowID(rawValue: 1)))
      host.connection?.report(.didSelect(FlowID(rawValue: 1)))
      try lab.require(runtime.refusals == [.closed: 1])
    }
  }

  // Fault: a window that is closed, and takes a host all the same.
  @Test func closedWindow_takesNoHost() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, RecordingHost())
      stage.window.close()
      let host = RecordingHost()
      try lab.require(stage.window.attach(host) == .refused(.closed))
      try lab.require(host.commands.isEmpty && host.connection == nil)
    }
  }
}

extension Page {
  fileprivate func slotPage(_ id: Int, interactively: Bool = false) -> Child<Page> {
    scope.start(in: slot, id: id, as: .push, interactively: interactively) { Page(scope: $0) }
  }
}
