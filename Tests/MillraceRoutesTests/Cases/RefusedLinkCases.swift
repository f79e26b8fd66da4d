// A link that is refused supersedes nothing: what waited before it goes on waiting, and is used when
// its own reason is over.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct RefusedLinkCases {
  nonisolated private static let refused: [(url: String, why: LinkRejection)] = [
    ("tea://orders/7?account=C", .unknownAccount(Account("C"))),
    ("tea://orders/403", .notPermitted("order(403)")),
    ("tea://orders/405", .notFound("order(405)")),
    ("tea://orders/404", .unreachable("order(404)")),
    ("tea://payments/500", .checkFailed("the server is away")),
  ]

  // Fault: a link that comes to nothing throws away the one that waits.
  @Test(arguments: Strike.allCases, refused)
  func refusedLink_leavesTheOneThatWaits(
    _ strike: Strike, _ bad: (url: String, why: LinkRejection)
  ) async throws {
    try await LinkStage.run(strike) { stage in
      let modal = stage.home?.openModal(isProtected: true)
      await stage.answer()
      guard let modal else { return }
      let good = stage.deliver("tea://chats/b")
      await stage.answer()
      try stage.check(good.verdict == .parked(.modalBusy(modal.id)))
      let refused = stage.deliver(bad.url)
      stage.expect(refused, .rejected(bad.why))
      // A strike may let the second one wait, and then it is the newest.
      stage.expect(good, .routed, .superseded)
      await stage.answer()
      try stage.check(refused.verdict == .rejected(bad.why))
      try stage.check(good.verdict == .parked(.modalBusy(modal.id)), "\(good.verdict)")
      modal.flow?.scope.finish("sent")
      await stage.answer()
      try stage.check(good.verdict == .routed)
      try stage.check(stage.path == [.home, .chats, .chat("b")])
    }
  }

  // Fault: a link for an account that nobody knows waits for the lock, and takes another's place there.
  @Test func linkForAnUnknownAccount_doesNotWaitForTheLock() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.lock.isLocked = true
      let good = stage.deliver("tea://orders/7")
      let bad = stage.deliver("tea://orders/7?account=C")
      try stage.check(bad.verdict == .rejected(.unknownAccount(Account("C"))))
      try stage.check(good.verdict == .parked(.locked))
      stage.lock.user.open(with: true)
      await stage.answer()
      await stage.answer()
      try stage.check(good.verdict == .routed)
    }
  }

  // Fault: a link waits for a lock that was opened elsewhere, with no screen of it in the window.
  @Test func lockThatIsOpenedElsewhere_isHeard() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.lock.window = nil
      stage.lock.isLocked = true
      let link = stage.deliver("tea://orders/7")
      await stage.step()
      stage.lock.user.open(with: false)
      await stage.step()
      try stage.check(link.verdict == .parked(.locked))
      stage.lock.isLocked = false
      await stage.answer()
      try stage.check(link.verdict == .routed)
    }
  }

  // Fault: the older link passes the newer one while that is checked.
  @Test(arguments: [RouteAnswer.allowed, .notFound])
  func linkThatWaits_staysBehindTheOneThatIsChecked(_ answer: RouteAnswer) async throws {
    try await LinkStage.run(.nothing) { stage in
      let modal = stage.home?.openModal(isProtected: true)
      await stage.answer()
      let old = stage.deliver("tea://chats/b")
      await stage.answer()
      let gate = stage.lab.gate(of: RouteAnswer.self, "check")
      stage.checks.hold(at: gate)
      let new = stage.deliver("tea://orders/7")
      await stage.answer()
      modal?.flow?.scope.finish("sent")
      await stage.answer()
      try stage.check(!old.verdict.isFinal && stage.count(of: .chat("b")) == 0)
      stage.checks.end()
      gate.open(with: answer)
      await stage.answer()
      if answer == .allowed {
        try stage.check(new.verdict == .routed && old.verdict == .superseded)
        try stage.check(stage.path == [.home, .orders, .order(7)])
      } else {
        try stage.check(new.verdict == .rejected(.notFound("order(7)")), "\(new.verdict)")
        try stage.check(old.verdict == .routed)
        try stage.check(stage.path == [.home, .chats, .chat("b")])
      }
    }
  }

  // Fault: an expiry, or the user's answer, that comes while a newer link is checked is lost.
  @Test func linkThatWaits_hasItsLastWordBehindAnother() async throws {
    try await LinkStage.run(.nothing) { stage in
      let declined = stage.deliver("tea://orders/7?account=B")
      await stage.step()
      try stage.check(declined.verdict == .parked(.needsAccountSwitch(Account("B"))))
      let gate = stage.lab.gate(of: RouteAnswer.self, "check")
      stage.checks.hold(at: gate)
      stage.deliver("tea://orders/405")
      await stage.step()
      stage.accounts.user.open(with: false)
      await stage.step()
      try stage.check(declined.verdict == .rejected(.declined))
      gate.open(with: .notFound)
      await stage.answer()

      stage.checks.end()
      let modal = stage.home?.openModal(isProtected: true)
      await stage.answer()
      let expired = stage.deliver("tea://chats/b")
      await stage.answer()
      await stage.lab.advance(by: .seconds(295))
      stage.checks.hold(at: gate)
      stage.deliver("tea://orders/405")
      await stage.lab.advance(by: .seconds(5))
      guard let modal else { return stage.lab.fail("no modal") }
      try stage.check(expired.verdict == .rejected(.expired(.modalBusy(modal.id))))
      gate.open(with: .notFound)
      await stage.answer()
      modal.flow?.scope.finish("sent")
      await stage.answer()
      try stage.check(stage.count(of: .chat("b")) == 0)
    }
  }

  // Fault: a link that is checked when its time is over, or just then, and then has to wait again, waits
  // for ever.
  @Test(arguments: [5, 6])
  func linkThatIsCheckedAtItsExpiry_isNotParkedAgain(seconds: Int) async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.lock.isLocked = true
      let link = stage.deliver("tea://orders/7")
      await stage.lab.advance(by: .seconds(295))
      let gate = stage.lab.gate(of: RouteAnswer.self, "check")
      stage.checks.hold(at: gate)
      stage.lock.user.open(with: true)
      await stage.answer()
      try stage.check(link.verdict == .deciding)
      guard let modal = stage.home?.openModal(isProtected: true) else { return }
      await stage.answer()
      await stage.lab.advance(by: .seconds(seconds))
      try stage.check(link.verdict == .deciding)
      gate.open(with: .allowed)
      await stage.answer()
      try stage.check(
        link.verdict == .rejected(.expired(.modalBusy(modal.id))), "\(link.verdict)")
      modal.flow?.scope.finish("sent")
      await stage.answer()
      try stage.check(stage.count(of: .order(7)) == 0)
    }
  }

  // Fault: of two links that are on their way one is never told that the router is closed.
  @Test func bothLinks_areToldThatTheRouterIsClosed() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      let host = RecordingHost()
      let window = BareApp.open(runtime, host)
      let gate = lab.gate(of: RouteAnswer.self, "check")
      let router = LinkRouter(
        runtime, links: Place.links, accounts: TestAccounts(lab, runtime)
      ) { _, _ in
        try await gate.wait()
      }
      router.add(window)
      let old = router.deliver("tea://orders/7?account=B")
      await lab.settle()
      let new = router.deliver("tea://orders/7")
      #expect(old.verdict == .parked(.needsAccountSwitch(Account("B"))))
      #expect(new.verdict == .deciding)
      router.close()
      #expect(new.verdict == .rejected(.closed) && old.verdict == .rejected(.closed))
    }
  }
}
