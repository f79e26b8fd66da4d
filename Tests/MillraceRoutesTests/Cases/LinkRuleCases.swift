// The rules of R33 that no field case names: newest wins, expiry, single use, deliveries with ids,
// threads, windows, the end of the router.

import Foundation
import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct LinkRuleCases {
  // Fault: an older link overtakes the newest one, because its check took longer.
  @Test(arguments: Strike.allCases)
  func newestLink_wins(_ strike: Strike) async throws {
    try await LinkStage.run(strike) { stage in
      let gate = stage.lab.gate(of: RouteAnswer.self, "check", .deaf)
      stage.checks.hold(at: gate)
      let old = stage.deliver("tea://orders/7")
      await stage.step()
      try stage.check(old.verdict == .deciding)
      let new = stage.deliver("tea://chats/b")
      await stage.answer()
      gate.open(with: .allowed)
      await stage.answer()
      try stage.check(old.verdict == .superseded)
      try stage.check(new.verdict == .routed)
      try stage.check(stage.path == [.home, .chats, .chat("b")])
      try stage.lab.require(old.verdict != .routed)
    }
  }

  // Fault: a link that cannot be read throws a good one away.
  @Test func unreadableLink_supersedesNothing() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.lock.isLocked = true
      let good = stage.deliver("tea://orders/7")
      let bad = stage.deliver("tea://orders/seven")
      guard case .rejected(.unreadable(.wrongValue)) = bad.verdict else {
        return stage.lab.fail("\(bad.verdict)")
      }
      try stage.check(good.verdict == .parked(.locked))
    }
  }

  // Fault: a system that delivers twice opens twice; or a second tap on the same link is dead.
  @Test(arguments: Strike.allCases)
  func sameDelivery_isIgnored_aSecondTapIsNot(_ strike: Strike) async throws {
    try await LinkStage.run(strike) { stage in
      let first = stage.deliver("tea://orders/7", id: "d1")
      let twin = stage.deliver("tea://orders/7", id: "d1")
      try stage.check(twin.verdict == .rejected(.deliveredBefore))
      await stage.answer()
      try stage.check(first.verdict == .routed)
      let tap = stage.deliver("tea://orders/7", id: "d2")
      await stage.answer()
      try stage.check(tap.verdict == .routed)
      // It was there already.
      try stage.check(stage.count(of: .order(7)) == 1)
    }
  }

  // Fault: a parked link fires hours later, or twice.
  @Test func parkedLink_expires() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.lock.isLocked = true
      let link = stage.deliver("tea://orders/7")
      await stage.lab.advance(by: .seconds(299))
      try stage.check(link.verdict == .parked(.locked))
      await stage.lab.advance(by: .seconds(1))
      try stage.check(link.verdict == .rejected(.expired(.locked)))
      stage.lock.user.open(with: true)
      await stage.answer()
      try stage.check(stage.count(of: .order(7)) == 0)
    }
  }

  // Fault: a used link is used again at the next change of session.
  @Test func routedLink_isUsedOnce() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.deliver("tea://orders/7")
      await stage.answer()
      stage.runtime.signOut()
      await stage.answer()
      stage.runtime.signIn(Account("A"))
      await stage.answer()
      try stage.check(stage.path == [.home, .orders])
      try stage.check(stage.count(of: .order(7)) == 1)
    }
  }

  // Fault: checks that never answer keep the newest link out of the app for ever.
  @Test func deafCheck_timesOut() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.checks.hold(at: stage.lab.gate(of: RouteAnswer.self, "check", .deaf))
      let link = stage.deliver("tea://orders/7")
      await stage.lab.advance(by: .seconds(10))
      try stage.check(link.verdict == .rejected(.checkTimedOut(.seconds(10))))
    }
  }

  // Fault: what was checked for one session is committed in the next.
  @Test(arguments: Strike.allCases)
  func checksOfAnEarlierSession_areMadeAnew(_ strike: Strike) async throws {
    try await LinkStage.run(strike) { stage in
      let gate = stage.lab.gate(of: RouteAnswer.self, "check", .deaf)
      stage.checks.hold(at: gate)
      let link = stage.deliver("tea://orders/7")
      await stage.step()
      stage.runtime.signIn(Account("B"))
      stage.checks.end()
      await stage.answer()
      gate.open(with: .notPermitted)
      await stage.answer()
      try stage.check(link.verdict == .routed)
      try stage.check(stage.checks.accounts(of: .order(7)) == [Account("A"), Account("B")])
    }
  }

  // Fault: a link that is shown already is shown once more on top of itself; one to a place below
  // leaves what is above.
  @Test func linkToWhatIsThere_changesOnlyWhatIsInTheWay() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.deliver("tea://orders/7")
      await stage.answer()
      let order = stage.window.navigation.top?.id
      _ = stage.commands()
      stage.deliver("https://tea.example/orders/7/")
      await stage.answer()
      try stage.check(stage.commands().isEmpty)
      stage.deliver("tea://chats/b")
      await stage.answer()
      try stage.check(stage.path == [.home, .chats, .chat("b")])
      // The other tab was left as it was.
      let plan = stage.router.plan(.order(7))
      try stage.check(plan?.shown == [] && plan?.dismissed == [])
      try stage.check(plan?.selected.map(\.route) == [.orders])
      stage.deliver("tea://orders/7")
      await stage.answer()
      try stage.check(stage.window.navigation.top?.id == order)
      stage.deliver("tea://orders")
      await stage.answer()
      try stage.check(stage.path == [.home, .orders])
      try stage.check(order.map { stage.endings(of: $0) } == [.replaced])
    }
  }

  // C76: links are reported from eight threads at once, mixed with reports of the host.
  @Test func c76_linksFromEightThreads() async throws {
    let runtime = FlowRuntime()
    runtime.signIn(Account("A"))
    let host = RecordingHost()
    let window = BareApp.open(runtime, host)
    let router = LinkRouter(runtime, links: Place.links) { _, _ in .allowed }
    router.add(window)
    for _ in 0..<100 {
      let deliveries = await withTaskGroup(of: LinkDelivery.self) { group in
        for thread in 0..<8 {
          group.addTask {
            window.report(.gestureCancelled(FlowID(rawValue: 999_999)))
            return router.deliver("tea://chats/t\(thread)")
          }
        }
        var all: [LinkDelivery] = []
        for await delivery in group { all.append(delivery) }
        return all
      }
      for delivery in deliveries {
        let verdict = await delivery.settled()
        #expect(verdict == .routed || verdict == .superseded)
      }
    }
    #expect(window.isConsistent)
    #expect(window.navigation.root?.screens[0].tabs[1].screens.count == 2)
  }

  // Fault: all links go to the first window, whatever was last in front.
  @Test func window_isChosenByPolicy() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      let hosts = (0..<3).map { _ in RecordingHost() }
      @MainActor func open(_ host: RecordingHost) -> FlowWindow {
        BareApp.open(runtime, host)
      }
      @MainActor func count(_ window: FlowWindow) -> Int { window.navigation.flows.count }
      let first = open(hosts[0])
      var second: FlowWindow? = open(hosts[1])
      var third: FlowWindow?
      let router = LinkRouter(runtime, links: Place.links) { _, _ in .allowed }
      @MainActor func verdict(
        of url: String, to choice: WindowChoice = .lastActive
      ) async -> LinkVerdict {
        let delivery = router.deliver(url, to: choice)
        await lab.settle()
        return delivery.verdict
      }
      router.add(first)
      router.add(try #require(second), name: "second")
      #expect(await verdict(of: "tea://orders/1") == .routed)
      #expect(count(first) == 4)
      router.activate(try #require(second))
      #expect(await verdict(of: "tea://orders/1") == .routed)
      #expect(second.map(count) == 4)
      router.activate(first)
      #expect(await verdict(of: "tea://orders/2", to: .named("second")) == .routed)
      #expect(count(first) == 4)
      #expect(await verdict(of: "tea://orders/2", to: .new) == .rejected(.noWindow))
      var opened = 0
      router.newWindow = {
        opened += 1
        third = open(hosts[2])
        return third
      }
      #expect(await verdict(of: "tea://orders/2", to: .new) == .routed)
      #expect(third.map(count) == 4 && opened == 1)
      // A window that is closed, or released, is none.
      second = nil
      third?.close()
      await lab.settle()
      #expect(
        await verdict(of: "tea://orders/2", to: .named("second")) == .parked(.windowMissing))
      #expect(await verdict(of: "tea://orders/3") == .routed)
      #expect(count(first) == 4)
    }
  }

  // Fault: a link for a router that is gone is never answered; a router keeps the app in memory.
  @Test func router_endsWithTheRuntimeAndWithItself() async throws {
    try await Lab.run { lab in
      var runtime: FlowRuntime? = FlowRuntime(clock: lab.clock)
      var router: LinkRouter<Place>? = runtime.map {
        LinkRouter($0, links: Place.links) { _, _ in .allowed }
      }
      let lock = TestLock(lab)
      lock.isLocked = true
      let locked = runtime.map {
        LinkRouter($0, links: Place.links, lock: lock) { _, _ in .allowed }
      }
      let parked = locked?.deliver("tea://orders/7")
      #expect(parked?.verdict == .parked(.locked))
      let closed = runtime.map {
        LinkRouter($0, links: Place.links, lock: lock) { _, _ in .allowed }
      }
      let waiting = closed?.deliver("tea://orders/7")
      closed?.close()
      #expect(waiting?.verdict == .rejected(.closed))
      #expect(closed?.deliver("tea://orders/7").verdict == .rejected(.closed))
      #expect(runtime?.counts.flows == 2)
      #expect(router != nil)
      router = nil
      await lab.settle()
      #expect(runtime?.counts.flows == 1)
      weak let released = runtime
      runtime = nil
      await lab.settle()
      #expect(released == nil)
      #expect(parked?.verdict == .rejected(.closed))
      #expect(locked?.deliver("tea://orders/7").verdict == .rejected(.closed))
    }
  }
}
