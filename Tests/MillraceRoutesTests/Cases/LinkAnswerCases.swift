// What the user is asked for a link, and what his answers count for: those that come too late for nothing.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct LinkAnswerCases {
  // Fault: the "no" to an earlier question is taken for the answer to a newer one.
  @Test func lateNo_declinesNoNewerLink() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let window = app.open()
      app.router.add(window)
      app.router.deliver("tea://orders/7?account=B")
      await lab.settle()
      app.router.deliver("tea://orders/7?account=C")
      await lab.settle()
      let link = app.router.deliver("tea://orders/7?account=B")
      await lab.settle()
      try lab.require(app.questions.asked.map(\.account.id) == ["B", "C", "B"])
      app.questions.asked[0].user.open(with: false)
      app.questions.asked[1].user.open(with: false)
      await lab.settle()
      try lab.require(link.verdict == .parked(.needsAccountSwitch(Account("B"))))
      app.questions.asked[2].user.open(with: true)
      await lab.settle()
      try lab.require(link.verdict == .routed)
    }
  }

  // Fault: a "no" that was meant for a session that is over declines the link, or nobody asks again.
  @Test(arguments: [true, false])
  func noOfAnEarlierSession_declinesNothing(wants: Bool) async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let window = app.open()
      app.router.add(window)
      let link = app.router.deliver("tea://orders/7?account=B")
      await lab.settle()
      app.runtime.signIn(Account("A"))
      await lab.settle()
      try lab.require(app.questions.asked.count == 2)
      app.questions.asked[0].user.open(with: false)
      await lab.settle()
      try lab.require(link.verdict == .parked(.needsAccountSwitch(Account("B"))))
      app.questions.asked[1].user.open(with: wants)
      await lab.settle()
      try lab.require(link.verdict == (wants ? .routed : .rejected(.declined)))
    }
  }

  // Fault: the user gives up at a lock that was opened meanwhile; the app is locked anew, and nobody
  // asks for that.
  @Test(arguments: [true, false])
  func answerToTheLockBefore_isNotTheLastOne(_ opens: Bool) async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.lock.window = nil
      stage.lock.isLocked = true
      stage.deliver("tea://orders/7")
      await stage.step()
      stage.lock.isLocked = false
      await stage.answer()
      stage.lock.isLocked = true
      await stage.step()
      let link = stage.deliver("tea://chats/b")
      await stage.step()
      try stage.check(link.verdict == .parked(.locked))
      try stage.check(stage.lock.user.waiterCount == 1)
      stage.lock.user.open(with: false)
      await stage.step()
      try stage.check(stage.lock.user.waiterCount == 1, "nobody asks")
      stage.lock.user.open(with: opens)
      await stage.answer()
      try stage.check(link.verdict == (opens ? .routed : .parked(.locked)))
      // Who gives up at the lock that is there is not asked again.
      try stage.check(stage.lock.user.waiterCount == 0)
    }
  }

  // Fault: a link that was parked while another one came is asked for nothing when that one is refused,
  // and waits for an answer that nobody was asked for.
  @Test(arguments: ["locked", "signed out", "account"])
  func linkThatIsLeftByARefusedOne_isAskedFor(_ state: String) async throws {
    try await LinkStage.run(.nothing, signedIn: state != "signed out") { stage in
      if state == "locked" { stage.lock.isLocked = true }
      if state == "signed out" { stage.stored.open(with: nil) }
      await stage.answer()
      var came = 0
      let hear = stage.router.onVerdict
      stage.router.onVerdict = {
        hear?($0)
        guard case .parked = $0.verdict, came == 0 else { return }
        came += 1
        stage.deliver("tea://orders?account=C")
      }
      let link = stage.deliver("tea://orders/7" + (state == "account" ? "?account=B" : ""))
      await stage.step()
      try stage.check(came == 1 && stage.verdicts.contains { $0.isFinal })
      guard case .parked = link.verdict else { return stage.lab.fail("\(link.verdict)") }
      try stage.check(stage.lock.user.waiterCount == (state == "locked" ? 1 : 0), "lock")
      try stage.check(stage.accounts.signIns == (state == "signed out" ? 1 : 0), "sign-in")
      try stage.check(stage.accounts.questions == (state == "account" ? 1 : 0), "account")
    }
  }

  // Fault: a "no" of a session that is over declines a link that waits behind another one.
  @Test func noOfAnEarlierSession_declinesNothingBehindAnother() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let gate = lab.gate(of: RouteAnswer.self, "check")
      let router = LinkRouter(app.runtime, links: Place.links, accounts: app.questions) { _, _ in
        try await gate.wait()
      }
      let window = app.open()
      router.add(window)
      await lab.settle()
      let link = router.deliver("tea://orders/7?account=B")
      await lab.settle()
      let newer = router.deliver("tea://orders/8")
      await lab.settle()
      app.runtime.signIn(Account("A"))
      await lab.settle()
      try lab.require(newer.verdict == .deciding, "\(newer.verdict)")
      app.questions.asked[0].user.open(with: false)
      await lab.settle()
      try lab.require(link.verdict == .parked(.needsAccountSwitch(Account("B"))))
      gate.open(with: .notFound)
      await lab.settle()
      try lab.require(newer.verdict.isFinal && app.questions.asked.count == 2)
    }
  }

  // Fault: the user is asked for a link that gave way when it was told that it waits.
  @Test func linkThatGaveWay_isNotAskedFor() async throws {
    try await LinkStage.run(.nothing) { stage in
      var newer: LinkDelivery?
      let hear = stage.router.onVerdict
      stage.router.onVerdict = {
        hear?($0)
        if case .parked = $0.verdict, newer == nil { newer = stage.deliver("tea://chats/b") }
      }
      let link = stage.deliver("tea://orders/7?account=B")
      await stage.answer()
      try stage.check(link.verdict == .superseded && newer?.verdict == .routed)
      try stage.check(stage.accounts.questions == 0)
    }
  }

  // Fault: an app is told twice of one link that somebody has to sign in.
  @Test func signIn_isAskedForOnce() async throws {
    try await LinkStage.run(.nothing) { stage in
      let link = stage.deliver("tea://orders/7?account=B")
      for _ in 0..<2 {
        stage.runtime.signOut()
        await stage.answer()
        try stage.check(link.verdict == .parked(.needsSignIn), "\(link.verdict)")
        stage.runtime.signIn(Account("A"))
        await stage.answer()
        try stage.check(link.verdict == .parked(.needsAccountSwitch(Account("B"))))
      }
      try stage.check(stage.accounts.signIns == 1)
    }
  }

  // Fault: a link that was parked twice leaves a timer behind that runs on for minutes.
  @Test func linkThatWasParkedTwice_leavesNothing() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let link = app.router.deliver("tea://orders/7")
      try lab.require(link.verdict == .parked(.windowMissing))
      let window = app.open()
      let modal = (window.rootFlow as? PlaceFlow)?.openModal(isProtected: true)
      await lab.settle()
      app.router.add(window)
      await lab.settle()
      try lab.require(modal.map { .parked(.modalBusy($0.id)) } == link.verdict)
      modal?.flow?.scope.finish("sent")
      await lab.settle()
      try lab.require(link.verdict == .routed && app.runtime.counts.operations == 0)
    }
  }

  // Fault: the user is asked to unlock an app in which nothing waits for that.
  @Test func lockThatComesBack_asksForNothingThatDoesNotWait() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.lock.window = nil
      stage.lock.isLocked = true
      let link = stage.deliver("tea://orders/7")
      await stage.step()
      stage.lock.isLocked = false
      await stage.answer()
      try stage.check(link.verdict == .routed)
      stage.lock.isLocked = true
      await stage.step()
      stage.lock.user.open(with: false)
      await stage.step()
      try stage.check(stage.lock.user.waiterCount == 0)
    }
  }

  // Fault: a check whose link is superseded runs on.
  @Test func checkOfASupersededLink_isCancelled() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.comesToRest = false
      let gate = stage.lab.gate(of: RouteAnswer.self, "check")
      stage.checks.hold(at: gate)
      let link = stage.deliver("tea://orders/7")
      await stage.step()
      try stage.check(link.verdict == .deciding && gate.waiterCount == 1)
      let newer = stage.deliver("tea://help")
      await stage.step()
      try stage.check(newer.verdict == .parked(.rootMissing) && link.verdict == .superseded)
      try stage.check(gate.waiterCount == 0)
    }
  }

  // Fault: the ids of all deliveries of a process are kept.
  @Test func oldIDs_areForgotten() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let router = LinkRouter(
        app.runtime, links: Place.links, options: LinkOptions(remembered: 2)
      ) { _, _ in .allowed }
      @MainActor func verdict(of id: String) -> LinkVerdict {
        router.deliver("tea://help", id: id).verdict
      }
      for id in ["1", "2", "3", "4"] {
        try lab.require(verdict(of: id) == .parked(.windowMissing))
      }
      try lab.require(verdict(of: "4") == .rejected(.deliveredBefore))
      try lab.require(verdict(of: "3") == .rejected(.deliveredBefore))
      try lab.require(verdict(of: "1") == .parked(.windowMissing))
    }
  }
}
