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
}
