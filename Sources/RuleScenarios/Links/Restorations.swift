// R35: a saved place is cut where it cannot be read and written anew, belongs to an account, and gives way
// to a link, whatever strikes.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab

extension RuleScenarios {
  private static func home(
    _ orders: [SavedPlace<Place>.Node] = [], chats: [SavedPlace<Place>.Node] = []
  ) -> SavedPlace<Place> {
    let tabs = [[.init(.orders)] + orders, [.init(.chats)] + chats]
    return SavedPlace(
      account: Account("A"),
      stack: [.init(.home, tabs: tabs, selectedTab: chats.isEmpty ? 0 : 1)])
  }

  @ScenarioList static var restorations: [Scenario] {
    // Fault: at cold start the saved place is shown over the link's target, or takes the link along.
    struck("a link is faster than a saved place", 33, 35, signedIn: false) { stage in
      let saved = try home(chats: [.init(.chat("1"))]).bytes()
      stage.comesTooLate = .chat("1")
      let validation = stage.lab.gate(of: RouteAnswer.self, "v")
      stage.checks.hold(at: validation)
      stage.keepPlace()
      let isRefused = stage.lab.flip()
      let link = stage.deliver(isRefused ? "tea://orders/403" : "tea://chats/2")
      stage.expect(link, isRefused ? .rejected(.notPermitted("order(403)")) : .routed)
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      let isPlaceFirst = stage.lab.flip()
      if isPlaceFirst { stage.places.open(with: saved) }
      await stage.answer()
      validation.open(with: isRefused ? .notPermitted : .allowed)
      await stage.answer()
      if !isPlaceFirst { stage.places.open(with: saved) }
      await stage.answer()
    }

    // Fault: a place is shown to somebody else, or before the app is unlocked.
    struck("a saved place waits for its account and the lock", 35, signedIn: false) { stage in
      var place = home([.init(.order(7))])
      place.isLocked = stage.lab.flip()
      stage.keepPlace()
      let account = Account(stage.lab.flip() ? "B" : "A")
      if stage.lab.flip() {
        stage.places.open(with: try place.bytes())
        await stage.step()
        stage.stored.open(with: StoredSession(account: account))
      } else {
        stage.stored.open(with: StoredSession(account: account))
        await stage.step()
        stage.places.open(with: try place.bytes())
      }
      await stage.answer()
      await stage.answer()
      for made in stage.made where made.place == .order(7) {
        try stage.lab.require(made.account == place.account, "shown to \(made.account as Any)")
      }
      if account == Account("B"), stage.strike == .nothing {
        try stage.lab.require(stage.reports == [.notRestored(.otherAccount)])
      }
    }

    // Fault: what cannot be read stops the app at every launch, since it is still there at the next.
    struck("what cannot be read of a place is gone at once", 35, signedIn: false) { stage in
      let unknown =
        #"{"version":1,"account":"A","stack":[{"route":{"home":{}}},{"route":{"moon":{}}}]}"#
      let text = stage.lab.choose(from: [unknown, "{", #"{"version":2,"stack":[]}"#])
      stage.keepPlace()
      stage.places.open(with: Array(text.utf8))
      await stage.step()
      // Nobody may sign in before the next launch.
      try stage.lab.require(
        stage.places.stored != Array(text.utf8), "the next launch finds the same")
      let told: PlaceReport? = stage.reports.first
      if text == unknown {
        try stage.lab.require(told == .unknownRoute("moon"), "\(stage.reports)")
      }
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
    }
  }
}
