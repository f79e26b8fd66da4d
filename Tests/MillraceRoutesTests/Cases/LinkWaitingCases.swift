// What ends a wait, and what does not: windows that come, answers of the user that come too late.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

/// Each question waits at a gate of its own.
@MainActor private final class Questions: AccountDirectory {
  private let lab: Lab
  private let runtime: FlowRuntime
  private(set) var asked: [(account: Account, user: Gate<Bool>)] = []
  init(_ lab: Lab, _ runtime: FlowRuntime) { (self.lab, self.runtime) = (lab, runtime) }

  func knows(_ account: Account) -> Bool { true }

  func switchAccount(to account: Account) async -> Bool {
    let gate = lab.gate(of: Bool.self, "question \(asked.count)")
    asked.append((account, gate))
    guard let wants = try? await gate.wait(), wants else { return false }
    runtime.signIn(account)
    return true
  }
}

@MainActor @Suite struct LinkWaitingCases {
  /// An app that is signed in, without a window.
  private struct App {
    let runtime: FlowRuntime
    let router: LinkRouter<Place>
    let questions: Questions

    @MainActor init(_ lab: Lab) {
      runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      questions = Questions(lab, runtime)
      router = LinkRouter(runtime, links: Place.links, accounts: questions) { _, _ in .allowed }
    }

    @MainActor func open() -> FlowWindow {
      runtime.openWindow(host: RecordingHost()) { _ in Root { PlaceFlow($0, .home) { _, _ in } } }
    }
  }

  // Fault: a link at launch is dropped, since the first window is not there yet.
  @Test(arguments: [WindowChoice.lastActive, .named("main")])
  func c61_linkBeforeAnyWindow(_ choice: WindowChoice) async throws {
    try await Lab.run { lab in
      let app = App(lab)
      let link = app.router.deliver("tea://orders/7", to: choice)
      try lab.require(link.verdict == .parked(.windowMissing))
      await lab.advance(by: .seconds(299))
      let other = app.open()
      if choice == .named("main") { app.router.add(other, name: "other") }
      await lab.settle()
      try lab.require(link.verdict == .parked(.windowMissing))
      let window = app.open()
      app.router.add(window, name: "main")
      await lab.settle()
      try lab.require(link.verdict == .routed)
      try lab.require(window.navigation.flows.count == 4 && other.navigation.flows.count == 3)
    }
  }

  // Fault: a link for a window that never comes waits for ever.
  @Test func linkWithoutAWindow_expires() async throws {
    try await Lab.run { lab in
      let app = App(lab)
      let link = app.router.deliver("tea://orders/7")
      await lab.advance(by: .seconds(300))
      try lab.require(link.verdict == .rejected(.expired(.windowMissing)))
      let window = app.open()
      app.router.add(window)
      await lab.settle()
      try lab.require(window.navigation.flows.count == 3, "it was used after its time")
    }
  }

  // Fault: a link waits for a form in a window that the user has left.
  @Test func activeWindow_takesTheLinkThatWaits() async throws {
    try await Lab.run { lab in
      let app = App(lab)
      let (first, second) = (app.open(), app.open())
      app.router.add(first)
      app.router.add(second)
      (first.rootFlow as? PlaceFlow)?.openModal(isProtected: true)
      await lab.settle()
      let link = app.router.deliver("tea://orders/7")
      await lab.settle()
      guard case .parked(.modalBusy) = link.verdict else { return lab.fail("\(link.verdict)") }
      app.router.activate(second)
      await lab.settle()
      try lab.require(link.verdict == .routed, "\(link.verdict)")
      try lab.require(second.navigation.flows.count == 4 && first.navigation.layers.count == 2)
    }
  }

  // Fault: the "no" to an earlier question is taken for the answer to a newer one.
  @Test func lateNo_declinesNoNewerLink() async throws {
    try await Lab.run { lab in
      let app = App(lab)
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
      let app = App(lab)
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

  // Fault: deliveries without an id are taken for doubles of each other.
  @Test func deliveriesWithoutAnID_areNoDoubles() async throws {
    try await Lab.run { lab in
      let app = App(lab)
      let window = app.open()
      app.router.add(window)
      for url in ["tea://orders/7", "tea://orders/8", "tea://orders/8"] {
        let link = app.router.deliver(url)
        await lab.settle()
        try lab.require(link.id == nil && link.verdict == .routed)
      }
      let place = app.router.open(.order(9))
      await lab.settle()
      try lab.require(place.id == nil && place.verdict == .routed)
    }
  }
}
