import Millrace
import RaceLab
import Testing

/// R1 and R20: windows, their roots, and what becomes of them.
@Suite struct WindowTests {
  // Two windows share the session; both roots follow it, the older window first.
  @Test func twoWindows_followTheSession() async throws {
    try await Lab.run { lab in
      let log = Log()
      let runtime = FlowRuntime(clock: lab.clock)
      let windows = ["left", "right"].map { name in
        runtime.openWindow { state in
          log("\(name) \(state.session?.account.id ?? "out")")
          return Root { Step($0) }
        }
      }
      runtime.signIn(Account("a"))
      runtime.signOut()
      #expect(
        log.lines == ["left out", "right out", "left a", "right a", "left out", "right out"])
      windows[0].close()
      runtime.signIn(Account("b"))
      #expect(log.lines.count == 7)
      #expect(windows[0].rootFlow == nil)
      #expect(windows[1].rootFlow != nil)
      #expect(runtime.counts.flows == 1)
    }
  }

  // Several changes in one turn: the root is made for the state that is left, once.
  @Test func changesInOneTurn_makeOneRoot() async throws {
    try await Lab.run { lab in
      let log = Log()
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow { state in
        log(state.session?.account.id ?? "out")
        return Root { Step($0) }
      }
      let root = try #require(window.rootFlow as? Step)
      let child = root.scope.step(onOutput: { _ in
        runtime.signIn(Account("a"))
        runtime.signOut()
        runtime.signIn(Account("b"))
      })
      child.scope?.emit(1)
      #expect(log.lines == ["out", "b"])
      #expect((window.rootFlow as? Step)?.scope.session == runtime.session)
    }
  }

  // A root that is asked for and changes the session itself: the window shows the state that is,
  // not the one that was.
  @Test func sessionChangedWhileTheRootIsMade_showsTheNewState() async throws {
    try await Lab.run { lab in
      let log = Log()
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow { state in
        if state.session == nil { runtime.signIn(Account("guest")) }
        let name = state.session?.account.id ?? "out"
        return Root { Step($0, start: { _ in log("start \(name)") }) }
      }
      await lab.settle()
      let root = try #require(window.rootFlow as? Step)
      #expect(root.scope.session == runtime.session)
      #expect(log.lines == ["start guest"])
    }
  }

  // A root that signs in when it starts is replaced like any other, and does not come back.
  @Test func signInInStartOfTheFirstRoot_leavesTheNewRoot() async throws {
    try await Lab.run { lab in
      let log = Log()
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow { state in
        if state.session != nil { return Root { Step($0) } }
        return Root({
          Step(
            $0, start: { step in step.scope.signIn(Account("guest")) },
            willEnd: { _, ending in log(ending.kind) })
        })
      }
      await lab.settle()
      #expect((window.rootFlow as? Step)?.scope.session == runtime.session)
      #expect(log.lines == ["replaced"])
      #expect(runtime.counts.flows == 1)
    }
  }

  // The same while a window follows: the root for a state that is gone must not be started.
  @Test func signOutWhileTheSignedInRootIsMade_startsTheSignedOutRootOnly() async throws {
    try await Lab.run { lab in
      let log = Log()
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow { state in
        if state.session != nil { runtime.signOut() }
        let name = state.session?.account.id ?? "out"
        return Root { Step($0, start: { _ in log("start \(name)") }) }
      }
      log.clear()
      runtime.signIn(Account("a"))
      await lab.settle()
      #expect(runtime.sessionState == .signedOut)
      #expect(window.rootFlow != nil)
      #expect(log.lines == ["start out"])
    }
  }

  // Replaced by hand, the old root and all below it end; the next change makes the usual root.
  @Test func replaceRoot_endsTheOldTreeAndLastsUntilTheNextChange() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab, onEnding: { log("root \($0.kind)") })
      stage.scope.step(willEnd: { _, ending in log("child \(ending.kind)") })
      let answer = stage.window.replaceRoot(
        Root({ Step($0) }, onEnding: { log("other \($0.kind)") }))
      #expect(answer == .accepted)
      #expect(log.lines == ["child ownerEnded", "root replaced"])
      #expect(stage.window.rootFlow !== stage.root)
      stage.runtime.signIn(Account("a"))
      #expect(log.lines.last == "other replaced")
      #expect((stage.window.rootFlow as? Step)?.scope.session == stage.runtime.session)
    }
  }

  // A closed window takes nothing any more, and says so.
  @Test func closedWindow_refuses() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      stage.window.close()
      stage.window.close()
      #expect(stage.window.rootFlow == nil)
      #expect(!stage.scope.isCurrent)
      #expect(stage.window.replaceRoot(Root { Step($0) }) == .refused(.closed))
      #expect(stage.runtime.refusals == [.closed: 1])
      #expect(stage.runtime.counts.flows == 0)
    }
  }

  // Releasing a window ends its root; the other window and the runtime go on.
  @Test func releasedWindow_endsItsRootOnly() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      do {
        let window = stage.runtime.openWindow { _ in
          Root({ Step($0, willEnd: { _, _ in log("ended") }) })
        }
        #expect(window.rootFlow != nil)
      }
      await lab.settle()
      #expect(log.lines == ["ended"])
      #expect(stage.scope.isCurrent)
    }
  }

  // The window may outlive its runtime: everything on it is refused, nothing traps.
  @Test func windowOfAReleasedRuntime_refuses() async throws {
    try await Lab.run { lab in
      let alive = Tally()
      var runtime: FlowRuntime? = FlowRuntime(clock: lab.clock)
      let window = try #require(
        runtime?.openWindow { _ in
          let held = Counted(alive)
          return Root({ Step($0, willEnd: { _, _ in held.touch() }) })
        })
      let root = try #require(window.rootFlow as? Step)
      runtime = nil
      await lab.settle()
      #expect(!root.scope.isCurrent)
      #expect(window.rootFlow == nil)
      #expect(window.replaceRoot(Root { Step($0) }) == .refused(.closed))
      #expect(root.scope.signIn(Account("a")) == nil)
      window.report(.didDismiss(root.scope.id))
      window.close()
    }
  }

  // R25: an id of one window means nothing in another.
  @Test func reportToAnotherWindow_isRefused() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let other = stage.runtime.openWindow { _ in Root { Step($0) } }
      let child = stage.scope.step(as: .sheet)
      other.report(.didDismiss(child.id))
      #expect(child.isCurrent)
      #expect(other.flow(child.id) == nil)
      #expect(stage.window.flow(child.id) === child.flow)
      #expect(stage.refused(.unknownFlow) == 1)
    }
  }

  // R28: a host asks for a view as often as it likes; a second one would lose what was typed.
  @Test func view_isBuiltOnceAndFreedWithItsFlow() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let alive = Tally()
      var built = 0
      @MainActor func view(_ child: Child<Step>) -> Counted? {
        stage.window.view(for: child.id) { _ in
          built += 1
          return Counted(alive)
        }
      }
      let sheet = stage.scope.step(as: .sheet)
      let inline = stage.scope.step()
      #expect(view(sheet) != nil)
      #expect(view(sheet) === view(sheet))
      #expect(built == 1)
      #expect(view(inline) == nil)
      #expect(alive.value == 1)
      sheet.dismiss()
      #expect(alive.value == 0)
      #expect(view(sheet) == nil)
      #expect(built == 1)
    }
  }
}
