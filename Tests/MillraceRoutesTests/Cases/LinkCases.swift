// Links against the session, the account, the lock, modals and gestures, and against themselves.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct LinkCases {
  private static let order = "tea://orders/7"
  private static let way: [Place] = [.home, .orders, .order(7)]

  // Fault: at launch the session is not known yet, so that the link counts as signed out, or is
  // dropped since no navigator exists; after login the user lands on the home page.
  @Test(arguments: Strike.allCases)
  func c61_linkAtColdStart(_ strike: Strike) async throws {
    try await LinkStage.run(strike, signedIn: false) { stage in
      let link = stage.deliver(LinkCases.order)
      stage.expect(link, .routed)
      await stage.step()
      try stage.check(link.verdict == .parked(.sessionUndetermined))
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.step()
      // The root is not shown yet.
      try stage.check(link.verdict == .parked(.transition))
      try stage.check(stage.count(of: .order(7)) == 0)
      await stage.answer()
      try stage.check(link.verdict == .routed)
      try stage.check(stage.path == LinkCases.way)
      try stage.check(stage.count(of: .order(7)) == 1)
      try stage.check(stage.accounts.signIns == 0)
    }
  }

  @Test(arguments: Strike.allCases)
  func c61_linkWhileSignedOut(_ strike: Strike) async throws {
    try await LinkStage.run(strike, signedIn: false) { stage in
      stage.stored.open(with: nil)
      await stage.answer()
      let link = stage.deliver(LinkCases.order)
      stage.expect(link, .routed)
      await stage.step()
      try stage.check(link.verdict == .parked(.needsSignIn))
      try stage.check(stage.accounts.signIns == 1)
      let signIn = stage.window.navigation.top?.id
      await stage.answer()
      try stage.check(stage.accounts.signIns == 1)
      stage.runtime.signIn(Account("A"))
      await stage.answer()
      try stage.check(link.verdict == .routed)
      try stage.check(stage.path == LinkCases.way)
      try stage.check(signIn.map { !stage.window.navigation.contains($0) } ?? false)
      try stage.check(stage.count(of: .order(7)) == 1)
    }
  }

  // Fault: tapping a notice of account 2 opens the app in account 1.
  @Test(arguments: Strike.allCases, [true, false])
  func c62_linkForTheOtherAccount(_ strike: Strike, wants: Bool) async throws {
    try await LinkStage.run(strike) { stage in
      let first = stage.runtime.session
      let root = stage.home?.scope.id
      let link = stage.deliver(LinkCases.order + "?account=B")
      await stage.step()
      try stage.check(link.verdict == .parked(.needsAccountSwitch(Account("B"))))
      try stage.check(stage.accounts.questions == 1)
      // The same link once more is no second question.
      let again = stage.deliver(LinkCases.order + "?account=B")
      // The strike may make the first one routed, and the second not asked about.
      stage.expect(link, .superseded, .routed)
      stage.expect(again, wants ? .routed : .rejected(.declined), .routed)
      await stage.step()
      try stage.check(link.verdict == .superseded)
      try stage.check(stage.accounts.questions == 1)
      stage.accounts.user.open(with: wants)
      await stage.answer()
      if wants {
        try stage.check(again.verdict == .routed)
        try stage.check(stage.runtime.session?.account == Account("B"))
        try stage.check(root.map { stage.endings(of: $0) } == [.sessionEnded])
        try stage.check(stage.path == LinkCases.way)
      } else {
        try stage.check(again.verdict == .rejected(.declined))
        try stage.check(stage.runtime.session == first)
        try stage.check(stage.count(of: .order(7)) == 0)
      }
      // In no course was the target loaded for another account.
      for account in stage.checks.accounts(of: .order(7)) {
        try stage.lab.require(account == Account("B"))
      }
      for made in stage.made where made.place == .order(7) {
        try stage.lab.require(made.account == Account("B"))
      }
    }
  }

  @Test(arguments: Strike.allCases)
  func c62_linkForAnUnknownAccount(_ strike: Strike) async throws {
    try await LinkStage.run(strike) { stage in
      _ = stage.commands()
      let link = stage.deliver(LinkCases.order + "?account=C")
      stage.expect(link, .rejected(.unknownAccount(Account("C"))))
      try stage.check(link.verdict == .rejected(.unknownAccount(Account("C"))))
      await stage.step()
      try stage.check(stage.commands().isEmpty)
      try stage.check(stage.accounts.questions == 0)
      try stage.lab.require(stage.count(of: .order(7)) == 0)
      try stage.lab.require(stage.checks.accounts(of: .order(7)).isEmpty)
    }
  }

  enum LockCourse: CaseIterable, Sendable { case coldStart, due, onScreen }

  // Fault: the link opens content past the lock, or the lock comes up on top of a half-done
  // navigation.
  @Test(arguments: Strike.allCases, LockCourse.allCases)
  func c63_linkAgainstTheLock(_ strike: Strike, _ course: LockCourse) async throws {
    try await LinkStage.run(strike, signedIn: course != .coldStart) { stage in
      stage.lock.isLocked = true
      if course == .coldStart { stage.stored.open(with: StoredSession(account: Account("A"))) }
      if course == .onScreen { stage.lock.show() }
      await stage.answer()
      _ = stage.commands()
      let link = stage.deliver(LinkCases.order)
      await stage.answer()
      try stage.check(link.verdict == .parked(.locked))
      try stage.check(stage.checks.all.isEmpty)
      try stage.check(stage.lock.shown == 1)
      // Given up: it stays parked, and the same link again does not pass.
      stage.lock.user.open(with: false)
      await stage.answer()
      try stage.check(link.verdict == .parked(.locked))
      let again = stage.deliver(LinkCases.order)
      stage.expect(link, .superseded, .routed)
      stage.expect(again, .routed)
      await stage.answer()
      try stage.check(link.verdict == .superseded)
      try stage.check(again.verdict == .parked(.locked))
      try stage.check(stage.count(of: .order(7)) == 0)
      stage.lock.user.open(with: true)
      await stage.step()
      // The lock is going; the host has not said that it is gone.
      try stage.check(again.verdict == .parked(.transition))
      try stage.check(stage.checks.all.isEmpty)
      await stage.answer()
      try stage.check(again.verdict == .routed)
      try stage.check(stage.path == LinkCases.way)
      try stage.check(stage.count(of: .order(7)) == 1)
    }
  }

  @Test(arguments: Strike.allCases)
  func c63_linkWithinTheTimeOfGrace(_ strike: Strike) async throws {
    try await LinkStage.run(strike) { stage in
      let link = stage.deliver(LinkCases.order)
      stage.expect(link, .routed)
      await stage.step()
      try stage.check(link.verdict == .routed)
      try stage.check(stage.lock.shown == 0)
    }
  }

  // Fault: the target is pushed inside the modal, or behind it, or showing fails since something is
  // already shown.
  @Test(arguments: Strike.allCases)
  func c68_linkWhileAModalIsUp_thatLetsGo(_ strike: Strike) async throws {
    try await LinkStage.run(strike) { stage in
      let modal = stage.home?.openModal()
      await stage.answer()
      _ = stage.commands()
      let link = stage.deliver(LinkCases.order)
      stage.expect(link, .routed)
      await stage.step()
      guard let modal else { return }
      try stage.check(link.verdict == .routed)
      try stage.check(stage.endings(of: modal.id) == [.replaced])
      try stage.check(stage.commands() == [.dismiss(modal.id)])
      stage.host.answer()
      await stage.step()
      let order = stage.window.navigation.top
      let orders = stage.window.navigation.root?.screens.first?.tabs.first?.screens.first?.id
      try stage.check(
        stage.commands() == [.show(order?.id ?? modal.id, as: .push, over: orders)])
      await stage.answer()
      try stage.check(stage.path == LinkCases.way)
    }
  }

  @Test(arguments: Strike.allCases)
  func c68_linkWhileAModalIsUp_thatIsProtected(_ strike: Strike) async throws {
    try await LinkStage.run(strike) { stage in
      let modal = stage.home?.openModal(isProtected: true)
      await stage.answer()
      _ = stage.commands()
      let link = stage.deliver(LinkCases.order)
      stage.expect(link, .routed)
      await stage.answer()
      guard let modal else { return }
      try stage.check(link.verdict == .parked(.modalBusy(modal.id)))
      try stage.check(stage.commands().isEmpty)
      modal.flow?.scope.finish("sent")
      await stage.answer()
      try stage.check(link.verdict == .routed)
      try stage.check(stage.path == LinkCases.way)
      try stage.check(stage.count(of: .order(7)) == 1)
    }
  }

  @Test(arguments: Strike.allCases, [DismissalAnswer.discard, .stay])
  func c68_linkWhileAModalIsUp_thatAsks(_ strike: Strike, _ answer: DismissalAnswer) async throws {
    try await LinkStage.run(strike) { stage in
      let modal = stage.home?.openModal(asks: true)
      await stage.answer()
      guard let modal, let form = modal.flow else { return }
      let link = stage.deliver(LinkCases.order)
      stage.expect(link, .routed)
      await stage.answer()
      try stage.check(link.verdict == .parked(.modalBusy(modal.id)))
      try stage.check(form.timesAsked == 1)
      form.question?.answer(answer)
      await stage.answer()
      switch answer {
      case .discard:
        try stage.check(link.verdict == .routed)
        try stage.check(stage.endings(of: modal.id) == [.replaced])
      case .stay:
        // He is not asked again because something else has happened.
        let other = stage.home?.openModal()
        await stage.answer()
        other?.dismiss()
        await stage.answer()
        try stage.check(link.verdict == .parked(.modalBusy(modal.id)))
        try stage.check(form.timesAsked == 1)
        modal.dismiss()
        await stage.answer()
        try stage.check(link.verdict == .routed)
      }
    }
  }

  @Test(arguments: Strike.allCases, [true, false])
  func c68_linkWhileAModalIsSwiped(_ strike: Strike, completes: Bool) async throws {
    try await LinkStage.run(strike) { stage in
      let modal = stage.home?.openModal()
      await stage.answer()
      guard let modal else { return }
      _ = stage.commands()
      stage.host.beginGesture(modal.id)
      let link = stage.deliver(LinkCases.order)
      stage.expect(link, .routed)
      await stage.step()
      try stage.check(link.verdict == .parked(.transition))
      try stage.check(stage.commands().isEmpty)
      if completes {
        stage.host.completeGesture(modal.id)
      } else {
        stage.host.cancelGesture(modal.id)
      }
      await stage.step()
      try stage.check(link.verdict == .routed)
      let first = stage.commands().first
      try stage.check((first == .dismiss(modal.id)) == !completes)
      await stage.answer()
      try stage.check(stage.path == LinkCases.way)
    }
  }

  // Fault: the first steps of a link are carried out, then one fails, and the user is left half-way.
  @Test(
    arguments: Strike.allCases,
    [
      ("tea://orders/403", LinkRejection.notPermitted("order(403)")),
      ("tea://orders/405", .notFound("order(405)")),
      ("tea://orders/404", .unreachable("order(404)")),
      ("tea://payments/500", .checkFailed("the server is away")),
    ])
  func c69_halfAPath(_ strike: Strike, _ link: (url: String, why: LinkRejection)) async throws {
    try await LinkStage.run(strike) { stage in
      let modal = stage.home?.openModal()
      if let tab = stage.home?.showing(.chats)?() {
        (stage.window.flow(tab) as? PlaceFlow)?.open(.chat("b"))
      }
      await stage.answer()
      guard let modal else { return }
      let before = stage.window.navigation
      _ = stage.commands()
      let delivery = stage.deliver(link.url)
      stage.expect(delivery, .rejected(link.why))
      await stage.answer()
      try stage.check(delivery.verdict == .rejected(link.why))
      try stage.check(stage.commands().isEmpty)
      try stage.check(stage.window.navigation == before)
      try stage.check(modal.isCurrent)
    }
  }
}
