// Links that come at the worst of times: from within a verdict or a gate, while somebody signs out, at the
// limit, and for a router that is not alone or not there any more.

import Millrace
import MillraceRoutes
import MillraceTesting
import Observation
import RaceLab
import RuleScenarios
import Testing

/// A lock that calls out once when it is asked, and is open from then on.
@MainActor @Observable private final class CallingLock: Lock {
  @ObservationIgnored var call: (@MainActor () -> Void)?

  var isLocked: Bool {
    let call = call
    self.call = nil
    call?()
    return call != nil
  }

  func unlock() async -> Bool { true }
}

@MainActor @Suite struct LinkIntrusionCases {
  // Fault: a lock that is asked delivers a link, and the older one waits on after it was superseded.
  @Test func linkFromWithinAGate_isTheNewest() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let log = TraceLog()
      runtime.addSink(log)
      runtime.signIn(Account("A"))
      let window = BareApp.open(runtime)
      let lock = CallingLock()
      let router = LinkRouter(runtime, links: Place.links, lock: lock) { _, _ in .allowed }
      router.add(window)
      await lab.settle()
      var second: LinkDelivery?
      lock.call = { second = router.deliver("tea://chats/b") }
      let first = router.deliver("tea://orders/7")
      await lab.settle()
      try lab.require(first.verdict == .superseded, "\(first.verdict)")
      try lab.require(second?.verdict == .routed, "\(second?.verdict as Any)")
      let tabs = window.navigation.root?.screens[0].tabs ?? []
      try lab.require(tabs.map(\.screens.count) == [1, 2])
      try lab.require(log.events.starts(of: "expiry of a link") == 0)
    }
  }

  // Fault: a flow that waits for the last word on a link cannot end before that is said.
  @Test func flowThatWaitsForAVerdict_endsAtOnce() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let window = app.open()
      let link = app.router.deliver("tea://orders/7")
      try lab.require(link.verdict == .parked(.windowMissing), "\(link.verdict)")
      var heard: [LinkVerdict] = []
      let child = (window.rootFlow as? PlaceFlow)?.scope.start(as: .sheet) { ModalFlow($0, .letGo) }
      child?.flow?.scope.task { heard.append(await link.settled()) }
      await lab.settle()
      try lab.require(heard.isEmpty)
      child?.dismiss()
      await lab.settle()
      try lab.require(heard == [.parked(.windowMissing)], "\(heard)")
      // Who was cancelled before he waits does not wait either.
      let late = Task { @MainActor in await link.settled() }
      late.cancel()
      #expect(await late.value == .parked(.windowMissing))
      app.router.add(window)
      #expect(await link.settled() == .routed)
    }
  }

  // Fault: who hears a verdict and delivers a link is heard in the middle of the one before.
  @Test func linkFromWithinAVerdict_isTheNewest() async throws {
    try await LinkStage.run(.nothing) { stage in
      stage.lock.isLocked = true
      var later: LinkDelivery?
      let hear = stage.router.onVerdict
      stage.router.onVerdict = {
        hear?($0)
        if $0.verdict == .parked(.locked), later == nil { later = stage.deliver("tea://chats/b") }
      }
      let link = stage.deliver("tea://orders/7")
      await stage.step()
      try stage.check(link.verdict == .superseded, "\(link.verdict)")
      stage.lock.user.open(with: true)
      await stage.answer()
      await stage.answer()
      try stage.check(later?.verdict == .routed && stage.count(of: .order(7)) == 0)
    }
  }

  // Fault: a link is lost, or never answered, when somebody signs out while it comes in.
  @Test func linksFromEightThreads_whileSomebodySignsOut() async throws {
    let runtime = FlowRuntime()
    runtime.signIn(Account("A"))
    let window = BareApp.open(runtime)
    let router = LinkRouter(runtime, links: Place.links) { _, _ in .allowed }
    router.add(window)
    for round in 0..<50 {
      let deliveries = await withTaskGroup(of: LinkDelivery.self) { group in
        for thread in 0..<8 {
          group.addTask { router.deliver("tea://orders/\(thread + 1)", id: "\(round) \(thread)") }
        }
        runtime.signOut()
        if round.isMultiple(of: 2) { runtime.signIn(Account("A")) }
        var all: [LinkDelivery] = []
        for await delivery in group { all.append(delivery) }
        return all
      }
      if !round.isMultiple(of: 2) { runtime.signIn(Account("A")) }
      var verdicts: [LinkVerdict] = []
      for delivery in deliveries { verdicts.append(await delivery.settled()) }
      #expect(verdicts.allSatisfy { $0 == .routed || $0 == .superseded }, "\(verdicts)")
      #expect(verdicts.contains(.routed))
    }
    #expect(window.isConsistent && router.pending == nil)
  }

  // Fault: at the very limit a link is used and rejected, or neither.
  @Test func linkAtItsLimit_hasOneLastWord() async throws {
    try await explore(schedules: 100) { lab in
      let stage = LinkStage(lab)
      stage.stored.open(with: StoredSession(account: Account("A")))
      await stage.answer()
      stage.lock.isLocked = true
      let link = stage.deliver("tea://orders/7")
      let (clock, lock) = (lab.clock, stage.lock)
      let unlocking = Task {
        try await clock.sleep(for: .seconds(300))
        lock.isLocked = false
      }
      await lab.advance(by: .seconds(300))
      try await unlocking.value
      await stage.answer()
      let words: [LinkVerdict] = [.routed, .rejected(.expired(.locked))]
      try lab.require(words.contains(link.verdict), "\(link.verdict)")
      try lab.require(stage.count(of: .order(7)) == (link.verdict == .routed ? 1 : 0))
      try lab.require(stage.verdicts.count(where: \.isFinal) == 1)
    }
  }

  // Fault: a link that waits when its router is released waits for ever.
  @Test func releasedRouter_rejectsWhatWaits() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let lock = TestLock(lab)
      lock.isLocked = true
      var router: LinkRouter<Place>? = LinkRouter(runtime, links: Place.links, lock: lock) {
        _, _ in .allowed
      }
      runtime.signIn(Account("A"))
      let link = router?.deliver("tea://orders/7")
      try lab.require(link?.verdict == .parked(.locked))
      let last = Task.detached { [router] in _ = router }
      router = nil
      await last.value
      await lab.settle()
      try lab.require(link?.verdict == .rejected(.closed))
      try lab.require(runtime.counts.flows == 0)
      lock.isLocked = false
      await lab.settle()
      try lab.require(link?.verdict == .rejected(.closed))
    }
  }

  // Fault: two routers of one runtime share what waits, or one passes the other's lock or transition.
  @Test func twoRouters_areOnTheirOwn() async throws {
    try await LinkStage.run(.nothing) { stage in
      let other = LinkRouter(
        stage.runtime, links: Place.links, accounts: stage.accounts, lock: stage.lock
      ) { _, _ in .allowed }
      other.add(stage.window)
      stage.lock.isLocked = true
      let first = stage.deliver("tea://chats/b", id: "d1")
      let second = other.deliver("tea://search?q=a", id: "d1")
      await stage.answer()
      try stage.check(first.verdict == .parked(.locked) && second.verdict == .parked(.locked))
      stage.lock.user.open(with: true)
      await stage.answer()
      await stage.answer()
      await stage.answer()
      try stage.check(first.verdict == .routed && second.verdict == .routed, "\(second.verdict)")
      try stage.check(stage.window.isConsistent)
      other.close()
      try stage.check(stage.deliver("tea://orders").verdict != .rejected(.closed))
      await stage.answer()
    }
  }

  // Fault: a place below a flow that shows nothing takes along what is in the way.
  @Test func placeBelowAFlowThatShowsNothing_changesNothing() async throws {
    enum Twig: Route {
      case root, leaf
      var parent: Twig? { self == .leaf ? .root : nil }
    }
    @MainActor final class Bare: RoutedFlow {
      let scope: FlowScope<Never>
      let route = Twig.root
      init(_ scope: FlowScope<Never>) { self.scope = scope }
    }
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      let window = runtime.openWindow(host: RecordingHost()) { _ in Root { Bare($0) } }
      let router = LinkRouter(runtime, links: LinkTable<Twig>(schemes: ["twig"], [])) { _, _ in
        .allowed
      }
      router.add(window)
      await lab.settle()
      (window.rootFlow as? Bare)?.scope.start(as: .sheet) { ModalFlow($0, .letGo) }
      await lab.settle()
      let before = window.navigation
      let link = router.open(.leaf)
      await lab.settle()
      try lab.require(link.verdict == .rejected(.unreachable("leaf")), "\(link.verdict)")
      try lab.require(window.navigation == before)
    }
  }
}
