// How a place is shown again: what it gives way to, and where it is cut.

import Foundation
import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct PlaceRestoringCases {
  typealias Saved = SavedPlace<Place>
  private static let a = Account("A")

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
      // Something has happened that has nothing to do with it.
      stage.router.activate(stage.window)
      await stage.answer()
      try stage.check(stage.checks.all == asked, "checked again")
      answers.open(with: .allowed)
      await stage.answer()
      try stage.check(stage.reports.last == .restored, "\(stage.reports)")
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
      try stage.check(SavedPlace<Place>(stage.window, account: Self.a) == place)
      let before = stage.window.navigation.flows
      stage.runtime.signOut(.expired)
      stage.runtime.signIn(Self.a)
      await stage.answer()
      stage.restore(place)
      await stage.answer()
      try stage.check(SavedPlace<Place>(stage.window, account: Self.a) == place)
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

  // Fault: what the user has opened in a tab, or over the window, does not count.
  @Test(arguments: [true, false])
  func latePlace_givesWayToWhatIsOpen(_ isModal: Bool) async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.keepPlace()
      if isModal {
        stage.home?.openModal()
      } else if let tab = stage.home?.showing(.chats)?() {
        (stage.window.flow(tab) as? PlaceFlow)?.open(.chat("b"))
      }
      await stage.answer()
      stage.places.open(with: try PlaceCases.home([.init(.order(7))]).bytes())
      await stage.answer()
      try stage.check(stage.reports == [.notRestored(.userWasFaster)])
      try stage.check(stage.count(of: .order(7)) == 0)
    }
  }

  // Fault: who gives up at the lock is asked again whenever something happens.
  @Test func unlocking_isAskedForOnce() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.keepPlace()
      stage.lock.isLocked = true
      stage.places.open(with: try PlaceCases.home([.init(.order(7))]).bytes())
      await stage.answer()
      try stage.check(stage.lock.user.waiterCount == 1)
      stage.lock.user.open(with: false)
      await stage.answer()
      stage.router.activate(stage.window)
      await stage.answer()
      try stage.check(stage.lock.user.waiterCount == 0 && stage.reports == [])
    }
  }

  // Fault: a place whose checks end while the user swipes is never shown.
  @Test func placeThatIsCheckedDuringAGesture_isShownAfterIt() async throws {
    try await LinkStage.run(.nothing) { stage in
      let answers = stage.lab.gate(of: RouteAnswer.self, "v")
      stage.checks.hold(at: answers)
      stage.keepPlace()
      stage.places.open(with: try PlaceCases.home([.init(.order(7))]).bytes())
      await stage.answer()
      guard let top = stage.window.navigation.top?.id else { return stage.lab.fail("no screen") }
      stage.host.beginGesture(top)
      stage.checks.end()
      answers.open(with: .allowed)
      await stage.step()
      try stage.check(stage.reports == [] && stage.window.transition != nil, "\(stage.reports)")
      stage.host.cancelGesture(top)
      await stage.answer()
      try stage.check(stage.reports == [.restored], "\(stage.reports)")
      try stage.check(stage.path == [.home, .orders, .order(7)])
    }
  }

  // Fault: a place of another root waits for ever, and no other place is saved meanwhile.
  @Test func placeOfAnotherRoot_givesWayToTheUser() async throws {
    let place = Saved(account: Self.a, stack: [.init(.help)])
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

  // Fault: one check that never answers, and heeds no cancellation, takes the whole place along.
  @Test func stuckCheck_cutsThePlaceThereOnly() async throws {
    let place = PlaceCases.home(
      [.init(.order(7)), .init(.search("a", nil))], chats: [.init(.chat("b"))], selected: 1)
    try await LinkStage.run(.nothing) { stage in
      stage.checks.hold(at: stage.lab.gate(of: RouteAnswer.self, "check", .deaf))
      stage.keepPlace()
      stage.places.open(with: try place.bytes())
      await stage.answer()
      try stage.check(stage.reports == [])
      await stage.lab.advance(by: .seconds(10))
      await stage.answer()
      try stage.check(stage.path == [.home, .chats, .chat("b")])
      try stage.check(stage.reports == [.notChecked("order(7)"), .restored])
      try stage.check(stage.count(of: .order(7)) == 0)
    }
  }

  // Fault: a place of a thousand screens asks a server a thousand things at once.
  @Test func checksOfAPlace_areBounded() async throws {
    let place = PlaceCases.home((1...20).map { .init(.order($0)) })
    try await LinkStage.run(.nothing) { stage in
      let answers = stage.lab.gate(of: RouteAnswer.self, "v")
      stage.checks.hold(at: answers)
      stage.keepPlace()
      stage.places.open(with: try place.bytes())
      await stage.answer()
      let first: [Place] = (1...8).map { .order($0) }
      try stage.check(Set(stage.checks.all) == Set([.home, .orders] + first))
      for _ in 1...3 {
        answers.open(with: .allowed)
        await stage.answer()
      }
      try stage.check(stage.checks.all.count == 23, "\(stage.checks.all)")
    }
  }

  // Fault: a place that was saved while the app was locked is shown before it is unlocked.
  @Test(arguments: Strike.allCases)
  func placeOfALockedApp_locksItAgain(_ strike: Strike) async throws {
    var place = PlaceCases.home([.init(.order(7))])
    place.isLocked = true
    let saved = try place.bytes()
    try await LinkStage.run(strike, signedIn: false) { stage in
      stage.keepPlace()
      stage.places.open(with: saved)
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      try stage.check(stage.lock.isLocked && stage.lock.shown == 1)
      // In every course: not before it was unlocked.
      if strike != .lockAndUnlock {
        try stage.lab.require(stage.count(of: .order(7)) == 0)
        try stage.lab.require(!stage.checks.all.contains(.order(7)))
      }
      stage.lock.user.open(with: true)
      await stage.answer()
      await stage.answer()
      try stage.check(stage.reports == [.restored])
      try stage.check(stage.path == [.home, .orders, .order(7)])
    }
  }
}
