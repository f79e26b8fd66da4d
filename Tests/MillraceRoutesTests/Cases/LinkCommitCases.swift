// What happens from within a commit: what a link takes away, or what is shown for it, delivers links, ends
// the router, the window or the session.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

/// A form over the window that calls out once, at a moment of its end.
@MainActor private final class Caller: Flow {
  enum Moment: CaseIterable, Sendable { case asked, willEnd, ending }
  let scope: FlowScope<Never>
  private var call: [@MainActor () -> Void]
  private let moment: Moment

  init(_ scope: FlowScope<Never>, at moment: Moment, _ call: @escaping @MainActor () -> Void) {
    (self.scope, self.moment, self.call) = (scope, moment, [call])
  }

  func start() {
    scope.guardDismissal(
      { [self] in
        if moment == .asked { call.popLast()?() }
        return .letGo
      }, ask: { _ in })
  }

  func willEnd(_ ending: Ending<Never>) { if moment == .willEnd { call.popLast()?() } }
}

@MainActor @Suite struct LinkCommitCases {
  // Fault: a link that is delivered by what a link takes away supersedes that one in the middle of its
  // commit: its place is shown, and its verdict says that nothing was changed.
  @Test(arguments: Caller.Moment.allCases)
  fileprivate func linkFromWithinACommit_comesAfterIt(_ moment: Caller.Moment) async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let (window, router) = (app.openForLinks(), app.router)
      await lab.settle()
      var told: [LinkVerdict] = []
      router.onVerdict = { told.append($0.verdict) }
      var second: LinkDelivery?
      let deliver = { @MainActor in second = router.deliver("tea://chats/b") }
      (window.rootFlow as? PlaceFlow)?.scope.start(as: .sheet) {
        Caller($0, at: moment, deliver)
      } onEnding: { _ in
        if moment == .ending { deliver() }
      }
      await lab.settle()
      let first = router.deliver("tea://orders/7")
      await lab.settle()
      try lab.require(first.verdict == .routed, "\(first.verdict)")
      try lab.require(second?.verdict == .routed, "\(second?.verdict as Any)")
      try lab.require(told.filter(\.isFinal) == [.routed, .routed], "\(told)")
      let tabs = window.navigation.root?.screens[0].tabs ?? []
      try lab.require(tabs.map(\.screens.count) == [2, 2])
    }
  }

  // Fault: a router that is closed by what a link takes away loses the link, or traps.
  @Test func routerThatIsClosedFromWithinACommit_saysWhatWasDone() async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let (window, router) = (app.openForLinks(), app.router)
      await lab.settle()
      (window.rootFlow as? PlaceFlow)?.scope.start(as: .sheet) {
        Caller($0, at: .asked) { router.close() }
      }
      await lab.settle()
      let link = router.deliver("tea://orders/7")
      await lab.settle()
      let count = window.navigation.flows.count
      try lab.require(link.verdict == (count == 4 ? .routed : .rejected(.closed)), "\(count)")
    }
  }

  // Fault: a link that comes from within a commit, as does the end of the router, is never answered.
  @Test(arguments: Caller.Moment.allCases)
  fileprivate func linkFromWithinACommit_thatClosesTheRouter_isAnswered(
    _ moment: Caller.Moment
  ) async throws {
    try await Lab.run { lab in
      let app = BareApp(lab)
      let (window, router) = (app.openForLinks(), app.router)
      await lab.settle()
      var late: [LinkDelivery] = []
      let call = { @MainActor in
        late.append(router.deliver("tea://chats/b"))
        router.close()
        late.append(router.deliver("tea://chats/c"))
      }
      (window.rootFlow as? PlaceFlow)?.scope.start(as: .sheet) {
        Caller($0, at: moment, call)
      } onEnding: { _ in
        if moment == .ending { call() }
      }
      await lab.settle()
      router.deliver("tea://orders/7")
      await lab.settle()
      let verdicts = late.map(\.verdict)
      try lab.require(verdicts.count == 2 && verdicts.allSatisfy(\.isFinal), "\(verdicts)")
    }
  }

  /// What a flow does to the app while it is shown for a link.
  enum Deed: CaseIterable, Sendable {
    case signOut, signIn, lock, closeWindow, closeRouter, dismiss
  }

  // Fault: a flow that is shown for a link ends what it is shown in, and the link has no last word, or one
  // that is not so.
  @Test(arguments: Deed.allCases)
  func flowThatActsWhileItIsShown_leavesNothingOpen(_ deed: Deed) async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      let lock = TestLock(lab)
      var acts: [@MainActor () -> Void] = []
      let window = runtime.openWindow(host: RecordingHost()) { _ in
        Root { PlaceFlow($0, .home) { place, _ in if place == .order(7) { acts.popLast()?() } } }
      }
      let router = LinkRouter(runtime, links: Place.links, lock: lock) { _, _ in .allowed }
      router.add(window)
      let store = MemoryPlaceStore()
      router.keepPlace(of: window, in: store)
      await lab.settle()
      acts.append {
        switch deed {
        case .signOut: runtime.signOut()
        case .signIn: runtime.signIn(Account("B"))
        case .lock: lock.isLocked = true
        case .closeWindow: window.close()
        case .closeRouter: router.close()
        case .dismiss:
          for id in window.navigation.flows { (window.flow(id) as? PlaceFlow)?.scope.finish("") }
        }
      }
      let link = router.deliver("tea://orders/7")
      await lab.settle()
      await lab.advance(by: .seconds(1))
      try lab.require(acts.isEmpty && link.verdict.isFinal, "\(link.verdict)")
      try lab.require(router.pending == nil && window.isConsistent)
      let isShown = window.navigation.places(in: window).contains(.order(7))
      switch link.verdict {
      case .routed: try lab.require(isShown || deed == .dismiss, "it is not shown")
      case .rejected(.notShown): try lab.require(!isShown, "it is shown")
      case .rejected(.closed): try lab.require(deed == .closeRouter)
      default: lab.fail("\(link.verdict)")
      }
    }
  }
}
