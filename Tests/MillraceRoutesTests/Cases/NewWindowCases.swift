// Links that want a window of their own: one is opened when they are not refused, once, and what becomes
// of it meanwhile.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct NewWindowCases {
  /// An app with one window, which opens others on demand.
  @MainActor private final class Desktop {
    let checks = Checks()
    let runtime: FlowRuntime
    let first: FlowWindow
    let router: LinkRouter<Place>
    let host = RecordingHost(.whenTold)
    let log = TraceLog()
    private(set) var opened: [FlowWindow] = []

    init(_ lab: Lab, whileOpening act: @escaping @MainActor (Desktop) -> Void = { _ in }) {
      let runtime = FlowRuntime(clock: lab.clock)
      self.runtime = runtime
      runtime.addSink(log)
      runtime.signIn(Account("A"))
      first = BareApp.open(runtime)
      router = LinkRouter(runtime, links: Place.links) { [checks] place, session in
        try await checks.check(place, session)
      }
      router.add(first)
      router.newWindow = { [weak self] in
        guard let self else { return nil }
        opened.append(BareApp.open(runtime, host))
        act(self)
        return opened.last
      }
    }

    func path(_ window: FlowWindow) -> [Place] {
      window.navigation.places(in: window).compactMap(\.self)
    }
  }

  // Fault: a link that is refused, or that a newer one supersedes while it is checked, leaves an empty
  // window behind.
  @Test(arguments: ["tea://orders/403", "tea://orders/405", "tea://payments/500"])
  func refusedLink_opensNoWindow(_ url: String) async throws {
    try await Lab.run { lab in
      let app = Desktop(lab)
      app.checks.hold(at: lab.gate(of: RouteAnswer.self, "check"))
      let older = app.router.deliver("tea://orders/7", to: .new)
      await lab.settle()
      try lab.require(older.verdict == .deciding, "\(older.verdict)")
      app.checks.end()
      let link = app.router.deliver(url, to: .new)
      await lab.settle()
      guard case .rejected = link.verdict else { return lab.fail("\(link.verdict)") }
      try lab.require(older.verdict == .superseded && app.opened.isEmpty, "\(app.opened.count)")
    }
  }

  // Fault: a link whose window was closed waits for it, or opens another one.
  @Test func windowThatIsClosedAgain_rejectsItsLink() async throws {
    try await Lab.run { lab in
      let app = Desktop(lab)
      let link = app.router.deliver("tea://orders/7", to: .new)
      await lab.settle()
      // Its host is still busy with the root.
      try lab.require(link.verdict == .parked(.transition), "\(link.verdict)")
      app.opened.first?.close()
      await lab.settle()
      try lab.require(link.verdict == .rejected(.noWindow), "\(link.verdict)")
      try lab.require(app.opened.count == 1 && app.path(app.first) == [.home, .orders])
    }
  }

  // Fault: the check that ends when its window is gone shows the link elsewhere, or leaves it undecided.
  @Test func windowThatIsClosedDuringTheCheck_rejectsItsLink() async throws {
    try await Lab.run { lab in
      let app = Desktop(lab)
      let link = app.router.deliver("tea://orders/7", to: .new)
      await lab.settle()
      let gate = lab.gate(of: RouteAnswer.self, "check")
      app.checks.hold(at: gate)
      app.host.answerAll()
      await lab.settle()
      try lab.require(link.verdict == .deciding, "\(link.verdict)")
      app.opened.first?.close()
      await lab.settle()
      gate.open(with: .allowed)
      await lab.settle()
      try lab.require(link.verdict == .rejected(.noWindow), "\(link.verdict)")
      try lab.require(app.opened.count == 1 && app.path(app.first) == [.home, .orders])
    }
  }

  // Fault: a window that is closed before it is handed over leaves its link undecided.
  @Test func windowThatIsClosedAtOnce_rejectsItsLink() async throws {
    try await Lab.run { lab in
      let app = Desktop(lab) { $0.opened.last?.close() }
      let link = app.router.deliver("tea://orders/7", to: .new)
      await lab.settle()
      try lab.require(link.verdict == .rejected(.noWindow), "\(link.verdict)")
      try lab.require(app.opened.count == 1)
    }
  }

  // Fault: whatever opens the window delivers a link, and both are shown.
  @Test func linkThatComesWithTheWindow_isTheNewest() async throws {
    try await Lab.run { lab in
      var later: LinkDelivery?
      let app = Desktop(lab) { later = $0.router.deliver("tea://chats/b") }
      let link = app.router.deliver("tea://orders/7", to: .new)
      await lab.settle()
      app.host.answerAll()
      await lab.settle()
      try lab.require(link.verdict == .superseded, "\(link.verdict)")
      try lab.require(later?.verdict == .routed, "\(later?.verdict as Any)")
      let shown = app.opened.map(app.path)
      try lab.require(shown == [[.home, .orders]], "\(shown)")
      // Nor does the older one wait for its expiry.
      try lab.require(app.log.events.starts(of: "expiry of a link") == 0)
    }
  }
}
