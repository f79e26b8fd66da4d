// Nothing of a runtime stays when the last who holds it lets go.

import Millrace
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct ReleaseTests {
  /// Held by the runtime only: gone when that is.
  private final class Witness: TraceSink {
    func record(_ event: TraceEvent) {}
  }

  /// Lets go of the runtime first.
  private final class App {
    let runtime: FlowRuntime
    var window: FlowWindow?
    init(_ runtime: FlowRuntime) { self.runtime = runtime }
  }

  private final class Answer: Sendable {}

  /// Where an answer is looked for, without keeping it.
  private final class Trail {
    weak var answer: Answer?
  }

  // Fault: who has signed out is still in memory, since a screen of theirs is.
  @Test(arguments: [true, false])
  func keptAnswer_isFreedWithItsEpoch(signedIn isSignedIn: Bool) async throws {
    try await Lab.run { lab in
      let trail = Trail()
      var runtime: FlowRuntime? = FlowRuntime(clock: lab.clock)
      if isSignedIn { runtime?.signIn(Account("A")) }
      let window = runtime?.openWindow { _ in Root { Page(scope: $0) } }
      let page = try #require(window?.rootFlow as? Page)
      page.scope.task {
        trail.answer = try await page.scope.value(
          JoinKey<Answer>("profile"), .join(keep: .success)
        ) { Answer() }
      }
      await lab.settle()
      try lab.require(trail.answer != nil)
      if isSignedIn { runtime?.signOut() } else { runtime = nil }
      await lab.settle()
      try lab.require(trail.answer == nil && !page.scope.isCurrent)
    }
  }

  /// Asks for its own key to be forgotten when it is gone.
  private final class NosyAnswer: Sendable {
    let leave: @MainActor @Sendable () -> Void
    init(_ leave: @escaping @MainActor @Sendable () -> Void) { self.leave = leave }
    deinit { MainActor.assumeIsolated(leave) }
  }

  // Fault: what is released by the end, or by being forgotten, comes back while it is.
  @Test(arguments: [true, false])
  func keptAnswer_mayAskForItselfWhenItIsFreed(forgotten isForgotten: Bool) async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      let window = runtime.openWindow { _ in Root { Page(scope: $0) } }
      let page = try #require(window.rootFlow as? Page)
      let key = JoinKey<NosyAnswer>("profile")
      let freed = Guarded(0)
      page.scope.task {
        _ = try await page.scope.value(key, .join(keep: .success)) {
          NosyAnswer {
            page.scope.invalidate(key)
            freed.withLock { $0 += 1 }
          }
        }
      }
      await lab.settle()
      try lab.require(freed.withLock { $0 } == 0)
      if isForgotten { page.scope.invalidate(key) } else { runtime.signOut() }
      await lab.settle()
      try lab.require(freed.withLock { $0 } == 1)
    }
  }

  enum Course: CaseIterable { case open, noHost, signedIn, signedOut, closed, workDone }

  // Fault: an app drops its runtime, in a test or with a scene, and windows and screens stay for ever.
  @Test(arguments: Course.allCases)
  func runtimeThatNobodyHolds_isFreed(_ course: Course) async throws {
    try await Lab.run { lab in
      let witness = Witness()
      lab.expectFreed(witness, "the runtime")
      let app = App(FlowRuntime(clock: lab.clock, sinks: [witness]))
      if course == .signedIn || course == .signedOut { app.runtime.signIn(Account("A")) }
      guard course != .noHost else {
        app.window = app.runtime.openWindow { _ in Root { Page(scope: $0) } }
        return
      }
      let host = RecordingHost()
      lab.expectFreed(host, "its host")
      let filled = try FilledWindow(app.runtime, host)
      app.window = filled.window
      filled.tabs[0].flow?.open(.push)
      switch course {
      case .signedOut: app.runtime.signOut()
      case .closed: filled.window.close()
      case .workDone:
        filled.root.scope.perform("once") {
        } then: { _ in
        }
        await lab.settle()
      default: break
      }
    }
  }
}
