// Places that wait to be shown, for whom they belong to and behind the lock: nothing takes them away
// meanwhile.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct PlaceWaitingCases {
  // Fault: who signs out takes along the place of somebody else.
  @Test(arguments: [true, false])
  func c72_placeThatWaits_outlivesTheSignOutOfAnother(isLoaded: Bool) async throws {
    let saved = try PlaceCases.home([.init(.order(7))], for: Account("B")).bytes()
    try await LinkStage.run(.nothing) { stage in
      stage.keepPlace()
      if isLoaded {
        // A link that is checked holds it up.
        stage.checks.hold(at: stage.lab.gate(of: RouteAnswer.self, "v"))
        stage.deliver("tea://orders/405")
        stage.places.open(with: saved)
        await stage.answer()
        try stage.check(stage.reports == [], "\(stage.reports)")
        stage.checks.end()
      }
      await stage.step()
      stage.runtime.signOut()
      stage.runtime.signIn(Account("B"))
      if !isLoaded { stage.places.open(with: saved) }
      await stage.answer()
      await stage.answer()
      try stage.check(stage.reports == [.restored], "\(stage.reports)")
      try stage.check(stage.path == [.home, .orders, .order(7)])
    }
  }

  // Fault: an app that goes into the background, or is locked, writes what it shows over the place that
  // it has not shown yet.
  @Test func placeThatWaits_isNotWrittenOver() async throws {
    let saved = try PlaceCases.home([.init(.order(7))]).bytes()
    try await LinkStage.run(.nothing) { stage in
      stage.keepPlace()
      stage.router.savePlaces()
      stage.lock.isLocked = true
      await stage.answer()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.saves == 0, "before it was read")
      stage.places.open(with: saved)
      await stage.answer()
      stage.router.savePlaces()
      await stage.answer()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.saves == 0 && stage.places.stored == saved)
      stage.lock.user.open(with: true)
      await stage.answer()
      await stage.answer()
      try stage.check(stage.reports == [.restored], "\(stage.reports)")
    }
  }

  // Fault: who signs out on purpose and comes back in the same turn finds the place that was cleared.
  @Test func placeThatWaits_isGoneWhenItsOwnerSignsOutAndIn() async throws {
    let saved = try PlaceCases.home([.init(.chat("b"))]).bytes()
    try await LinkStage.run(.nothing) { stage in
      stage.keepPlace()
      // A link holds the place up; who hears of it acts in the turn in which it is refused.
      let answer = stage.lab.gate(of: RouteAnswer.self, "v")
      stage.checks.hold(at: answer)
      let (hear, runtime) = (stage.router.onVerdict, stage.runtime)
      stage.router.onVerdict = {
        hear?($0)
        guard $0.verdict.isFinal else { return }
        runtime.signOut()
        runtime.signIn(Account("A"))
      }
      stage.deliver("tea://orders/7")
      stage.places.open(with: saved)
      await stage.answer()
      try stage.check(stage.reports == [] && stage.places.stored != nil)
      answer.open(with: .notFound)
      await stage.answer()
      await stage.answer()
      try stage.check(stage.reports == [.notRestored(.signedOut)], "\(stage.reports)")
      try stage.check(stage.count(of: .chat("b")) == 0)
    }
  }

  // Fault: a place is shown while the host is busy with something else, and its screens come in between.
  @Test func placeThatComesDuringATransition_isShownAfterIt() async throws {
    let saved = try PlaceCases.home([.init(.order(7))]).bytes()
    try await LinkStage.run(.nothing) { stage in
      stage.keepPlace()
      // The user has opened a screen and left it again: the host has done neither.
      stage.home?.open(.search("a", nil)).dismiss()
      await stage.step()
      guard case .command? = stage.window.transition else {
        return stage.lab.fail("the host is not busy: \(stage.window.transition as Any)")
      }
      stage.places.open(with: saved)
      await stage.step()
      try stage.check(stage.reports == [] && stage.count(of: .order(7)) == 0, "\(stage.reports)")
      await stage.answer()
      try stage.check(stage.reports == [.restored], "\(stage.reports)")
      try stage.check(stage.path == [.home, .orders, .order(7)])
    }
  }

  // Fault: a link that is shown in one window takes away the place of another, for good.
  @Test func placeOfAWindow_givesWayToLinksOfThatWindowOnly() async throws {
    let saved = try PlaceCases.home([.init(.order(7))]).bytes()
    try await Lab.run { lab in
      let app = BareApp(lab)
      let windows = (app.openForLinks(name: "main"), app.openForLinks(name: "side"))
      let stores = (TestPlaces(lab), TestPlaces(lab))
      var reports: [String] = []
      app.router.keepPlace(of: windows.0, in: stores.0) { reports.append("main: \($0)") }
      app.router.keepPlace(of: windows.1, in: stores.1) { reports.append("side: \($0)") }
      await lab.settle()
      let link = app.router.deliver("tea://chats/b", to: .named("side"))
      await lab.settle()
      try lab.require(link.verdict == .routed, "\(link.verdict)")
      stores.0.open(with: saved)
      stores.1.open(with: saved)
      await lab.settle()
      try lab.require(
        Set(reports) == [
          "main: \(PlaceReport.restored)", "side: \(PlaceReport.notRestored(.linkCame))",
        ], "\(reports)")
      #expect(windows.0.navigation.places(in: windows.0) == [.home, .orders, .order(7)])
    }
  }

  // Fault: a link that waits for something in another window keeps a place back, and all that is shown after
  // it from being saved.
  @Test func placeOfAWindow_waitsForLinksOfThatWindowOnly() async throws {
    let saved = try PlaceCases.home([.init(.order(7))]).bytes()
    try await Lab.run { lab in
      let app = BareApp(lab)
      let windows = (app.openForLinks(name: "main"), app.openForLinks(name: "side"))
      var reports: [String] = []
      for (name, window) in [("main", windows.0), ("side", windows.1)] {
        app.router.keepPlace(of: window, in: MemoryPlaceStore(saved)) {
          reports.append("\(name): \($0)")
        }
      }
      let link = app.router.deliver("tea://help", to: .named("side"))
      await lab.settle()
      try lab.require(link.verdict == .parked(.rootMissing), "\(link.verdict)")
      try lab.require(reports == ["main: \(PlaceReport.restored)"], "\(reports)")
      await lab.advance(by: .seconds(300))
      try lab.require(link.verdict == .rejected(.expired(.rootMissing)), "\(link.verdict)")
      try lab.require(reports.last == "side: \(PlaceReport.restored)", "\(reports)")
    }
  }
}
