// R33 and R34: a link is committed as a whole or not at all, waits for its own reason only and is used
// once, whatever strikes.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab

extension RuleScenarios {
  /// A scenario on the stage of links, with anything that may strike.
  static func struck(
    _ name: String, _ rules: Int..., signedIn: Bool = true,
    script: @escaping @MainActor (LinkStage) async throws -> Void
  ) -> Scenario {
    Scenario(name, summary: rules.map { "R\($0)" }.joined(separator: ", ")) { lab in
      let strike = lab.choose(from: Strike.allCases)
      try await LinkStage.play(lab, strike, signedIn: signedIn, script)
    }
  }

  private static let order = "tea://orders/7"

  @ScenarioList static var links: [Scenario] {
    // Fault: a link at launch counts as signed out, is dropped, or is rejected for what comes between.
    struck("a link at cold start waits for who is signed in", 33, signedIn: false) { stage in
      let link = stage.deliver(order)
      stage.expect(link, .routed)
      await stage.step()
      if stage.lab.flip() {
        stage.stored.open(with: nil)
        await stage.answer()
        stage.runtime.signIn(Account("A"))
      } else {
        stage.stored.open(with: StoredSession(account: Account("A")))
      }
      await stage.answer()
      await stage.answer()
    }

    // Fault: what happens while a link is checked takes the link along, or the answer is of another
    // session, or of an older link.
    struck("a link that is checked goes on when the answer comes", 33) { stage in
      let gate = stage.lab.gate(
        of: RouteAnswer.self, "check", stage.lab.flip() ? .deaf : .cooperative)
      stage.checks.hold(at: gate)
      let old = stage.deliver(order)
      await stage.step()
      if stage.lab.flip() {
        let new = stage.deliver(stage.lab.flip() ? order : "tea://chats/b")
        stage.expect(new, .routed)
        stage.expect(old, .superseded)
      } else {
        stage.expect(old, .routed)
      }
      // The window of a session that came meanwhile is shown before the answer of the check comes.
      await stage.answer()
      gate.open(with: .allowed)
      await stage.answer()
    }

    // Fault: a link opens something past the lock, is lost at it, or passes at the second tap.
    struck("a link waits for the lock", 33) { stage in
      stage.lock.isLocked = true
      await stage.answer()
      let link = stage.deliver(order)
      await stage.answer()
      if stage.lab.flip() {
        stage.lock.user.open(with: false)
        await stage.answer()
        stage.expect(stage.deliver(order), .routed)
        // The strike may have unlocked it.
        stage.expect(link, .superseded, .routed)
      } else {
        stage.expect(link, .routed)
      }
      await stage.answer()
      stage.lock.user.open(with: true)
      await stage.answer()
    }

    // Fault: a parked link fires hours later, or never has a last word.
    struck("a parked link expires", 33) { stage in
      stage.comesToRest = false
      stage.lock.isLocked = true
      let link = stage.deliver(order)
      await stage.lab.advance(by: .seconds(299))
      await stage.answer()
      try stage.check(link.verdict == .parked(.locked))
      await stage.lab.advance(by: .seconds(1))
      try stage.lab.require(link.verdict.isFinal, "\(link.verdict) after its time is over")
      try stage.check(link.verdict == .rejected(.expired(.locked)))
    }

    // Fault: a notice of one account opens the app in another.
    struck("a link for another account waits for the change", 33) { stage in
      let link = stage.deliver(order + "?account=B")
      await stage.step()
      let wants = stage.lab.flip()
      // Who is B by the strike is not asked, and for who signs in anew the answer comes too late.
      if wants {
        stage.expect(link, .routed)
      } else {
        stage.expect(link, .routed, .rejected(.declined))
      }
      stage.accounts.user.open(with: wants)
      await stage.answer()
      for place in [Place.order(7), .orders] {
        let askedAs = Set(stage.checks.accounts(of: place))
        try stage.lab.require(askedAs.isSubset(of: [Account("B")]), "\(place) asked as \(askedAs)")
      }
    }

    // Fault: the first steps of a link are carried out, then one fails.
    struck("a link that is refused changes nothing", 33) { stage in
      let modal = stage.home?.openModal()
      await stage.answer()
      let (url, why) = stage.lab.choose(from: [
        ("tea://orders/403", LinkRejection.notPermitted("order(403)")),
        ("tea://orders/404", .unreachable("order(404)")),
        ("tea://payments/500", .checkFailed("the server is away")),
      ])
      stage.expect(stage.deliver(url), .rejected(why))
      await stage.answer()
      try stage.check(modal?.isCurrent == true)
    }

    // Fault: a delivery that comes twice opens twice, or a second tap is dead.
    struck("a delivery is used once, and a second tap is another", 33) { stage in
      let first = stage.deliver(order, id: "d1")
      stage.expect(stage.deliver(order, id: "d1"), .rejected(.deliveredBefore))
      await stage.answer()
      // What holds the first tap up lets the second one pass it.
      stage.expect(first, .routed, .superseded)
      stage.expect(stage.deliver(order, id: "d2"), .routed)
      await stage.answer()
    }

    // Fault: the target is shown behind a modal or inside it, or a form that keeps itself is lost.
    struck("a modal in the way goes first, or the link waits for it", 34) { stage in
      let (keeps, asks) = stage.lab.choose(from: [(false, false), (true, false), (false, true)])
      let modal = stage.home?.openModal(isProtected: keeps, asks: asks)
      await stage.answer()
      let link = stage.deliver(order)
      stage.expect(link, .routed)
      await stage.answer()
      if keeps {
        try stage.lab.require(modal.map { stage.endings(of: $0.id) } != [.replaced], "it was taken")
        modal?.flow?.scope.finish("sent")
      } else if asks {
        modal?.flow?.question?.answer(stage.lab.flip() ? .discard : .stay)
      }
      await stage.answer()
    }
  }
}
