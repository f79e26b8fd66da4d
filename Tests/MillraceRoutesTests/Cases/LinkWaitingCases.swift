// Links that wait for a window, and deliveries without an id.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct LinkWaitingCases {
  // Fault: a link at launch is dropped, since the first window is not there yet.
  @Test(arguments: [WindowChoice.lastActive, .named("main")])
  func c61_linkBeforeAnyWindow(_ choice: WindowChoice) async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let link = app.router.deliver("tea://orders/7", to: choice)
      try lab.require(link.verdict == .parked(.windowMissing))
      await lab.advance(by: .seconds(299))
      let other = app.open()
      if choice == .named("main") { app.router.add(other, name: "other") }
      await lab.settle()
      try lab.require(link.verdict == .parked(.windowMissing))
      let window = app.open()
      app.router.add(window, name: "main")
      await lab.settle()
      try lab.require(link.verdict == .routed)
      try lab.require(window.navigation.flows.count == 4 && other.navigation.flows.count == 3)
    }
  }

  // Fault: a link for a window that never comes waits for ever.
  @Test func linkWithoutAWindow_expires() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let link = app.router.deliver("tea://orders/7")
      await lab.advance(by: .seconds(300))
      try lab.require(link.verdict == .rejected(.expired(.windowMissing)))
      let window = app.open()
      app.router.add(window)
      await lab.settle()
      try lab.require(window.navigation.flows.count == 3, "it was used after its time")
    }
  }

  // Fault: a link waits for a form in a window that the user has left.
  @Test func activeWindow_takesTheLinkThatWaits() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let (first, second) = (app.open(), app.open())
      app.router.add(first)
      app.router.add(second)
      (first.rootFlow as? PlaceFlow)?.openModal(isProtected: true)
      await lab.settle()
      let link = app.router.deliver("tea://orders/7")
      await lab.settle()
      guard case .parked(.modalBusy) = link.verdict else { return lab.fail("\(link.verdict)") }
      app.router.activate(second)
      await lab.settle()
      try lab.require(link.verdict == .routed, "\(link.verdict)")
      try lab.require(second.navigation.flows.count == 4 && first.navigation.layers.count == 2)
    }
  }

  // Fault: deliveries without an id are taken for doubles of each other.
  @Test func deliveriesWithoutAnID_areNoDoubles() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let window = app.open()
      app.router.add(window)
      for url in ["tea://orders/7", "tea://orders/8", "tea://orders/8"] {
        let link = app.router.deliver(url)
        await lab.settle()
        try lab.require(link.id == nil && link.verdict == .routed)
      }
      let place = app.router.open(.order(9))
      await lab.settle()
      try lab.require(place.id == nil && place.verdict == .routed)
    }
  }

  // Fault: an id that only looks like another one is taken for it, and its link is lost.
  @Test func idsThatOnlyLookTheSame_areTwo() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let window = app.open()
      app.router.add(window)
      for id in ["\u{e9}", "e\u{301}"] {
        let link = app.router.deliver("tea://orders/7", id: id)
        await lab.settle()
        try lab.require(link.verdict != .rejected(.deliveredBefore), id)
      }
    }
  }

  // Fault: a window that is added again goes by its old name too.
  @Test func windowThatIsAddedAgain_hasItsNewName() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let window = app.open()
      app.router.add(window, name: "old")
      app.router.add(window, name: "new")
      await lab.settle()
      let link = app.router.deliver("tea://orders/7", to: .named("old"))
      await lab.settle()
      try lab.require(link.verdict == .parked(.windowMissing))
      let other = app.router.deliver("tea://orders/7", to: .named("new"))
      await lab.settle()
      try lab.require(other.verdict == .routed && link.verdict == .superseded)
      // One that is closed is not there any more, also while the app holds it.
      window.close()
      let last = app.router.deliver("tea://orders/7", to: .named("new"))
      await lab.settle()
      try lab.require(last.verdict == .parked(.windowMissing))
    }
  }
}
