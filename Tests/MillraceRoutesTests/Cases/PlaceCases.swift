// Saved places: against links, of another version, of another account, with routes that are gone.

import Foundation
import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
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

  // Fault: a deep place is asked about screen by screen, runs out of time, and is not shown.
  @Test func checksOfAPlace_areMadeOnceAndTogether() async throws {
    let deep = [Saved.Node](repeating: .init(.chat("1")), count: 100) + [.init(.chat("2"))]
    let saved = try PlaceCases.home([.init(.order(7))], chats: deep, selected: 1).bytes()
    try await LinkStage.run(.nothing) { stage in
      let answers = stage.lab.gate(of: RouteAnswer.self, "v")
      stage.checks.hold(at: answers)
      stage.keepPlace()
      stage.places.open(with: saved)
      await stage.answer()
      let asked = stage.checks.all
      try stage.check(asked.contains(.order(7)) && asked.contains(.chat("2")), "\(asked)")
      try stage.check(Set(asked).count == asked.count, "\(asked.count) checks")
      answers.open(with: .allowed)
      await stage.answer()
      try stage.check(!stage.reports.contains(.notRestored(.checkTimedOut)))
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
      let cut = try stage.places.stored.map { try Saved.read($0).cut }
      try stage.check(cut == .some(nil))
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
      try stage.lab.require(!stage.checks.all.contains(.order(5)))
      try stage.lab.require(stage.count(of: .order(5)) == 0)
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

  // Fault: the whole navigation is read for each of many changes in one turn, or each change is a
  // write; or what the host has not shown yet is written.
  @Test func place_isSavedOnceAfterChangesThatHaveSettled() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.keepPlace()
      stage.places.open(with: nil)
      await stage.answer()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.saves == 1)
      let looks = stage.count(of: "save place 1")
      for number in 1...20 { stage.home?.open(.search("\(number)", nil)) }
      await stage.step()
      try stage.check(stage.count(of: "save place 1") == looks + 1)
      await stage.lab.advance(by: .seconds(2))
      // The host has shown none of them.
      try stage.check(stage.places.saves == 1)
      stage.host.answerAll()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.saves == 2)
      try stage.check(stage.places.place?.stack.count == 21)
      // What changes nothing in the end is not written.
      let child = stage.home?.open(.search("x", nil))
      child?.dismiss()
      await stage.answer()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.saves == 2)
    }
  }

  // Fault: a form that is restored has a new key, and is sent a second time; flows that come back
  // count as the old ones.
  @Test func restoredForm_keepsItsKey_andIsANewFlow() async throws {
    let intent = Intent()
    let place = PlaceCases.home(
      [.init(.order(7)), .init(.search("tea", .audio))], chats: [.init(.chat("b"))],
      modals: [[.init(.checkout(intent)), .init(.search("cup", nil))]])
    try await LinkStage.run(.nothing, signedIn: false) { stage in
      stage.keepPlace()
      stage.places.open(with: try place.bytes())
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      try stage.check(stage.reports == [.restored])
      try stage.check(
        stage.path == [
          .home, .orders, .order(7), .search("tea", .audio), .checkout(intent), .search("cup", nil),
        ])
      await stage.answer()
      // Three levels deep, and with a modal: what is saved of it is what was restored.
      try stage.check(SavedPlace<Place>(stage.window, account: PlaceCases.a) == place)
      let before = stage.window.navigation.flows
      stage.runtime.signOut(.expired)
      stage.runtime.signIn(PlaceCases.a)
      await stage.answer()
      stage.router.restore(place, in: stage.window)
      await stage.answer()
      try stage.check(SavedPlace<Place>(stage.window, account: PlaceCases.a) == place)
      try stage.check(Set(before).isDisjoint(with: stage.window.navigation.flows))
    }
  }

  // Fault: what is gone meanwhile, or is not permitted any more, is shown all the same.
  @Test func restoredPlace_isCutWhereACheckRefuses() async throws {
    let place = PlaceCases.home(
      [.init(.order(405)), .init(.search("a", nil))], chats: [.init(.chat("b"))], selected: 1,
      modals: [[.init(.checkout(Intent()))]])
    try await LinkStage.run(.nothing, signedIn: false) { stage in
      stage.keepPlace()
      stage.places.open(with: try place.bytes())
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      try stage.check(stage.path == [.home, .chats, .chat("b")])
      try stage.check(stage.reports == [.notShown("order(405)"), .restored])
      await stage.answer()
      await stage.lab.advance(by: .seconds(1))
      try stage.check(
        stage.places.place == PlaceCases.home(chats: [.init(.chat("b"))], selected: 1))
    }
  }

  // Fault: a place that came late takes the user away from where he went meanwhile; or it is shown
  // past the lock.
  @Test(arguments: [true, false])
  func latePlace_givesWayToTheUserAndTheLock(_ locks: Bool) async throws {
    let place = PlaceCases.home([.init(.order(7))])
    try await LinkStage.run(.nothing) { stage in
      stage.keepPlace()
      if locks {
        stage.lock.isLocked = true
        stage.places.open(with: try place.bytes())
        await stage.answer()
        try stage.check(stage.checks.all.isEmpty && stage.count(of: .order(7)) == 0)
        stage.lock.user.open(with: true)
        await stage.answer()
        await stage.answer()
        try stage.check(stage.reports == [.restored])
        try stage.check(stage.path == [.home, .orders, .order(7)])
      } else {
        stage.home?.open(.search("a", nil))
        await stage.answer()
        stage.places.open(with: try place.bytes())
        await stage.answer()
        try stage.check(stage.reports == [.notRestored(.userWasFaster)])
        try stage.check(stage.count(of: .order(7)) == 0)
      }
    }
  }

  // Fault: a place of another root waits for ever, and no other place is saved meanwhile.
  @Test func placeOfAnotherRoot_givesWayToTheUser() async throws {
    let place = Saved(account: PlaceCases.a, stack: [.init(.help)])
    try await LinkStage.run(.nothing) { stage in
      stage.keepPlace()
      stage.places.open(with: try place.bytes())
      await stage.answer()
      try stage.check(stage.reports == [])
      stage.home?.open(.search("a", nil))
      await stage.answer()
      try stage.check(stage.reports == [.notRestored(.userWasFaster)])
      await stage.lab.advance(by: .seconds(1))
      try stage.check(stage.places.place?.stack.count == 2)
    }
  }

  // Fault: what is declared transient is written all the same, or takes along what is under it.
  @Test func transientPlaces_cutWhatIsSaved() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.home?.open(.photo(Transient("pixels")))
      await stage.answer()
      try stage.check(
        SavedPlace<Place>(stage.window, account: PlaceCases.a) == PlaceCases.home())
      stage.deliver("tea://payments/5")
      await stage.answer()
      try stage.check(stage.path == [.home, .orders, .payment(5)])
      try stage.check(
        SavedPlace<Place>(stage.window, account: PlaceCases.a) == PlaceCases.home())
      // A form that names no place is passed over.
      stage.home?.openModal()
      await stage.answer()
      try stage.check(
        SavedPlace<Place>(stage.window, account: PlaceCases.a) == PlaceCases.home())
    }
  }

  // Fault: a store that fails stops the app, or is not told of.
  @Test func failingStore_isReported() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let host = RecordingHost()
      let window = runtime.openWindow(host: host) { _ in Root { PlaceFlow($0, .home) { _, _ in } } }
      let router = LinkRouter(runtime, links: Place.links)
      var reports: [PlaceReport] = []
      router.keepPlace(
        of: window, in: FilePlaceStore(file: URL(filePath: "/nowhere/at/all/place.json"))
      ) {
        reports.append($0)
      }
      await lab.settle()
      await lab.advance(by: .seconds(1))
      guard reports.count == 1, case .storeFailed(let words) = reports[0] else {
        return lab.fail("\(reports)")
      }
      #expect(words.contains("/nowhere/at/all"))
    }
  }
}
