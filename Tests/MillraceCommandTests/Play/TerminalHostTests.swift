// The terminal's host: it conforms, and what a user does with it is what the tree says.

import Millrace
import MillraceCommand
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct TerminalHostTests {
  // Prevents: a host that parts from the tree in any of the ways of the suite.
  @Test func terminalHost_conforms() async throws {
    try await Lab.run { lab in
      let suite = HostConformance(clock: lab.clock) {
        let host = TerminalHost()
        return HostConformance.Subject(
          host, screens: { host.screens }, userDismisses: { host.swipe($0) },
          userSelects: { host.select($0) },
          userDecides: { id, goesThrough in
            if host.gesture == nil { host.begin(id) }
            if goesThrough { host.complete() } else { host.letGo() }
          })
      }
      let failures = await suite.run()
      try lab.require(failures.isEmpty, "\(failures)")
    }
  }

  /// A root, a page on it, and what is to take the page's place.
  private final class Page: Flow {
    let scope: FlowScope<Never>
    let slot = Slot<Page>()
    private(set) var calls = 0
    init(scope: FlowScope<Never>) { self.scope = scope }
    func start() { scope.task { [self] in calls += 1 } }
    func open(_ id: Int, interactively: Bool = false) -> Child<Page> {
      scope.start(in: slot, id: id, as: .push, interactively: interactively) { Page(scope: $0) }
    }
  }

  @MainActor private struct Stage {
    let runtime: FlowRuntime
    let host = TerminalHost()
    let window: FlowWindow
    let root: Page
    let page: Child<Page>

    init(_ lab: Lab) throws {
      runtime = FlowRuntime(clock: lab.clock)
      window = runtime.openWindow(host: host) { _ in Root { Page(scope: $0) } }
      root = try #require(window.rootFlow as? Page)
      page = root.open(1)
    }
  }

  // Prevents: a gesture that ends its screen when it begins, or when it is let go.
  @Test func gestureLetGo_leavesTheScreen() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      for completes in [false, true] {
        stage.host.begin(stage.page.id)
        try lab.require(stage.window.transition == .gesture(stage.page.id))
        try lab.require(stage.page.isCurrent)
        if completes { stage.host.complete() } else { stage.host.letGo() }
        try lab.require(stage.host.gesture == nil && stage.window.transition == nil)
        try lab.require(stage.page.isCurrent == !completes)
        try lab.require(stage.host.screens == stage.window.navigation)
      }
      stage.host.letGo()
      stage.host.complete()
      try lab.require(stage.runtime.refusals.isEmpty, "without a gesture nothing is reported")
    }
  }

  // Prevents: a replacement that is there before the user has decided, or stays when he has not.
  @Test(arguments: [true, false]) func replacement_waitsForTheUser(completes: Bool) async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let next = stage.root.open(2, interactively: true)
      await lab.settle()
      try lab.require(stage.host.gesture?.target == next.id)
      try lab.require(stage.host.screens.top?.id == stage.page.id)
      try lab.require(next.flow?.calls == 0)
      if completes { stage.host.complete() } else { stage.host.letGo() }
      await lab.settle()
      try lab.require(stage.page.isCurrent != completes && next.isCurrent == completes)
      try lab.require(next.flow?.calls == (completes ? 1 : nil))
      try lab.require(stage.host.screens == stage.window.navigation)
    }
  }

  // Prevents: what a lock covers and everybody sees who begins to swipe the lock away.
  @Test(arguments: [Presentation.sheet, .push, .cover]) func cover_isLeftFromWithin(
    presentation: Presentation
  ) async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let above = stage.root.scope.start(as: presentation) { Page(scope: $0) }
      await lab.settle()
      try lab.require(stage.host.screens.top?.id == above.id)
      try lab.require(stage.host.canTakeAway(above.id) == (presentation != .cover))
    }
  }

  // Prevents: a guard that is passed over by a finger, or asked while the finger still moves.
  @Test func guardedScreen_springsBack() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var asked = 0
      stage.page.flow?.scope.guardDismissal {
        asked += 1
        return .keep
      } ask: { _ in
      }
      stage.host.begin(stage.page.id)
      await lab.settle()
      try lab.require(asked == 0)
      stage.host.complete()
      await lab.settle()
      stage.host.swipe(stage.page.id)
      await lab.settle()
      try lab.require(asked == 2 && stage.page.isCurrent)
      try lab.require(stage.host.screens == stage.window.navigation)
    }
  }

  /// What strikes while the user plays.
  enum Strike: String, CaseIterable, Sendable { case dismiss, replace, root, close, takeUpper }

  // Prevents: a gesture that outlives its screen and holds up the window, or a host that keeps what
  // the app took away in the middle of it: the strike may come between any two steps.
  @Test(arguments: Strike.allCases, [true, false])
  func strike_duringAGesture_leavesHostAndTreeAlike(strike: Strike, completes: Bool) async throws {
    try await explore("\(strike)", schedules: 200) { lab in
      let stage = try Stage(lab)
      let upper = stage.page.flow?.open(3)
      lab.always("flows and screens are the same") { stage.window.isConsistent }
      lab.always("a gesture is on a screen that is there") {
        stage.host.gesture.map { stage.host.screens.contains($0.flow) } ?? true
      }
      lab.adversary("\(strike)") {
        switch strike {
        case .dismiss: _ = stage.page.dismiss()
        case .replace: _ = stage.root.open(2)
        case .root: stage.window.replaceRoot(Root { Page(scope: $0) })
        case .close: stage.window.close()
        case .takeUpper: _ = upper?.dismiss()
        }
      }
      for step in 0..<4 {
        await lab.settle()
        guard let top = stage.host.screens.top?.id, stage.host.canTakeAway(top) else { break }
        if step.isMultiple(of: 2) {
          stage.host.begin(top)
        } else if completes {
          stage.host.complete()
        } else {
          stage.host.letGo()
        }
      }
      await lab.settle()
      if completes { stage.host.complete() } else { stage.host.letGo() }
      await lab.advance(by: .seconds(30))
      try lab.require(stage.window.transition == nil, "something is held up for ever")
      if strike != .close { try lab.require(stage.host.screens == stage.window.navigation) }
    }
  }
}
