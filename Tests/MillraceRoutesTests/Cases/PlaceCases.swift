// Saved places: against links, of another version, of another account, with routes that are gone.

import Foundation
import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

/// The places of a version of the app that knows one more.
private enum NewerPlace: Route {
  case home, orders, chats
  case coupon(v: Int)
  case order(Int)
}

@MainActor @Suite struct PlaceCases {
  typealias Saved = SavedPlace<Place>
  private static let a = Account("A")

  /// The home with its two tabs, and what stands in them.
  static func home(
    _ orders: [Saved.Node] = [], chats: [Saved.Node] = [], selected: Int = 0,
    for account: Account? = a,
    modals: [[Saved.Node]] = []
  ) -> Saved {
    let tabs = [[Saved.Node(.orders)] + orders, [Saved.Node(.chats)] + chats]
    return Saved(
      account: account, stack: [.init(.home, tabs: tabs, selectedTab: selected)], modals: modals)
  }

  // Fault: at cold start the saved place is shown after the link's target and replaces it.
  @Test(arguments: Strike.allCases, [true, false])
  func c66_linkAgainstRestoration(_ strike: Strike, placeFirst: Bool) async throws {
    let saved = try PlaceCases.home(chats: [.init(.chat("1"))], selected: 1).bytes()
    try await LinkStage.run(strike, signedIn: false) { stage in
      stage.comesTooLate = .chat("1")
      let validation = stage.lab.gate(of: RouteAnswer.self, "v")
      stage.checks.hold(at: validation)
      stage.keepPlace()
      let link = stage.deliver("tea://chats/2")
      stage.expect(link, .routed)
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      try stage.check(link.verdict == .deciding)
      if placeFirst {
        stage.places.open(with: saved)
        await stage.answer()
        try stage.check(stage.count(of: .chat("1")) == 0)
        validation.open(with: .allowed)
      } else {
        validation.open(with: .allowed)
        await stage.answer()
        // The link waits for nothing that it does not need.
        try stage.check(link.verdict == .routed)
        stage.places.open(with: saved)
      }
      await stage.answer()
      try stage.check(link.verdict == .routed)
      try stage.check(stage.path == [.home, .chats, .chat("2")])
      try stage.check(stage.count(of: .chat("1")) == 0)
      try stage.check(stage.reports == [.notRestored(.linkCame)])
    }
  }

  // Fault: a link that is refused takes the saved place along.
  @Test(arguments: Strike.allCases)
  func c66_refusedLink_leavesThePlace(_ strike: Strike) async throws {
    let saved = try PlaceCases.home(chats: [.init(.chat("1"))], selected: 1).bytes()
    try await LinkStage.run(strike, signedIn: false) { stage in
      stage.comesTooLate = .chat("1")
      stage.keepPlace()
      let link = stage.deliver("tea://orders/405")
      stage.expect(link, .rejected(.notFound("order(405)")))
      stage.places.open(with: saved)
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      await stage.answer()
      try stage.check(link.verdict == .rejected(.notFound("order(405)")))
      try stage.check(stage.path == [.home, .chats, .chat("1")])
      try stage.check(stage.reports == [.restored])
    }
  }

  // Fault: a route from another version cannot be decoded, and the app stops at every launch.
  @Test(arguments: Strike.allCases)
  func c70_unknownSavedRoute(_ strike: Strike) async throws {
    let tabs: [[SavedPlace<NewerPlace>.Node]] = [
      [.init(.orders), .init(.coupon(v: 3)), .init(.order(9))], [.init(.chats)],
    ]
    let saved = try SavedPlace<NewerPlace>(
      account: Account("A"), stack: [.init(.home, tabs: tabs, selectedTab: 0)],
      modals: [[.init(.order(1))]]
    ).bytes()
    try await LinkStage.run(strike, signedIn: false) { stage in
      stage.keepPlace()
      stage.places.open(with: saved)
      await stage.step()
      // Written anew at once: nobody may sign in before the next launch.
      let told = try stage.places.stored.map { try Saved.read($0).reports }
      try stage.check(told == [])
      try stage.lab.require(told ?? [] == [], "the next launch is told \(told as Any)")
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      await stage.answer()
      try stage.check(stage.path == [.home, .orders])
      try stage.check(stage.reports == [.unknownRoute("coupon"), .restored])
      try stage.check(stage.places.place == PlaceCases.home())
    }
  }

  @Test func c70_unknownSavedRoute_secondLaunch() async throws {
    let saved = try PlaceCases.home().bytes()
    try await LinkStage.run(.nothing, signedIn: false) { stage in
      stage.keepPlace()
      stage.places.open(with: saved)
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      try stage.check(stage.reports == [.restored])
    }
  }

  // Fault: broken bytes, no bytes and a newer version stop the app, or show half a place.
  @Test(
    arguments: Strike.allCases,
    [
      ("", "is damaged"), ("\0\0", "is damaged"), ("{", "is damaged"),
      (#"{"version":2,"account":"A","screens":[]}"#, "has version 2"),
      (#"{"version":1,"account":"A","stack":[]}"#, "is empty"),
      (#"{"version":1,"account":"A","stack":[{"route":{"moon":{}}}]}"#, "unknown route: moon"),
    ])
  func c70_brokenPlace_givesTheDefaultRoot(
    _ strike: Strike, _ saved: (text: String, why: String)
  ) async throws {
    try await LinkStage.run(strike, signedIn: false) { stage in
      stage.keepPlace()
      stage.places.open(with: Array(saved.text.utf8))
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      try stage.check(stage.path == [.home, .orders])
      // Told once, whatever strikes, and never half shown.
      guard case .unreadable(let error)? = stage.reports.first, stage.reports.count == 1 else {
        return stage.lab.fail("\(stage.reports)")
      }
      try stage.lab.require("\(error)".contains(saved.why), "\(error)")
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.place == PlaceCases.home())
      try stage.lab.require(stage.places.stored != Array(saved.text.utf8), "it is still there")
    }
  }

  // Fault: after a change of user the former user's screen is shown.
  @Test(arguments: Strike.allCases)
  func c72_savedPlaceOfAnotherUser(_ strike: Strike) async throws {
    let saved = try PlaceCases.home([.init(.order(5))]).bytes()
    try await LinkStage.run(strike, signedIn: false) { stage in
      stage.keepPlace()
      stage.places.open(with: saved)
      stage.stored.open(with: StoredSession(account: Account("B")))
      await stage.answer()
      try stage.check(stage.path == [.home, .orders])
      try stage.check(stage.reports == [.notRestored(.otherAccount)])
      // It is never asked about for B, nor shown to B; a strike can sign its owner in.
      try stage.check(!stage.checks.all.contains(.order(5)))
      let accounts =
        stage.checks.accounts(of: .order(5))
        + stage.made.filter { $0.place == .order(5) }.map(\.account)
      try stage.lab.require(accounts.allSatisfy { $0 == Account("A") }, "\(accounts)")
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.place == PlaceCases.home(for: Account("B")))
    }
  }

  // Fault: after a deliberate sign-out the place is still there at the next sign-in.
  @Test(arguments: Strike.allCases, [SignOutReason.requested, .expired])
  func c72_signOut_clearsThePlace(_ strike: Strike, _ reason: SignOutReason) async throws {
    try await LinkStage.run(strike) { stage in
      stage.keepPlace()
      stage.places.open(with: nil)
      await stage.answer()
      stage.deliver("tea://orders/7")
      await stage.answer()
      await stage.lab.advance(by: .seconds(1))
      let place = PlaceCases.home([.init(.order(7))])
      try stage.check(stage.places.place == place)
      let signedOut = stage.runtime.session
      stage.runtime.signOut(reason)
      await stage.answer()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.place == (reason == .expired ? place : nil))
      // Whatever struck: after a deliberate sign-out nothing is left of whom it was.
      if reason == .requested, let signedOut, stage.runtime.session == nil {
        try stage.lab.require(
          stage.places.place?.account != signedOut.account, "\(stage.places.place as Any) is left")
      }
    }
  }

  // Fault: a store that answers after a sign-out brings back what the sign-out has cleared.
  @Test(arguments: Strike.allCases, [true, false])
  func c72_placeThatIsLoadedAfterTheSignOut_isGone(
    _ strike: Strike, isDamaged: Bool
  ) async throws {
    var saved = try PlaceCases.home([.init(.order(7))]).bytes()
    if isDamaged {
      saved = Array(
        #"{"version":1,"account":"A","stack":[{"route":{"home":{}}},{"route":{"moon":{}}}]}"#.utf8)
    }
    try await LinkStage.run(strike) { stage in
      stage.keepPlace()
      await stage.step()
      stage.runtime.signOut()
      stage.runtime.signIn(Account("A"))
      stage.places.open(with: saved)
      await stage.answer()
      await stage.answer()
      try stage.check(stage.reports.last == .notRestored(.signedOut), "\(stage.reports)")
      try stage.check(!stage.reports.contains(.restored))
      try stage.check(stage.path == [.home, .orders] && stage.count(of: .order(7)) == 0)
    }
  }

  // Fault: who signs out before it is known who is signed in finds his place at the next launch.
  @Test(arguments: [true, false])
  func c72_signOutAtColdStart_clearsThePlace(isLoaded: Bool) async throws {
    let saved = try PlaceCases.home([.init(.order(7))]).bytes()
    try await LinkStage.run(.nothing, signedIn: false) { stage in
      stage.keepPlace()
      if isLoaded {
        stage.places.open(with: saved)
        await stage.step()
      }
      stage.runtime.signOut()
      await stage.step()
      if !isLoaded { stage.places.open(with: saved) }
      await stage.answer()
      try stage.check(stage.reports == [.notRestored(.signedOut)], "\(stage.reports)")
      try stage.check(stage.places.stored == nil)
    }
  }
}
