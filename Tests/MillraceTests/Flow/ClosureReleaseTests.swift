import Millrace
import RaceLab
import Testing

/// R5: when a flow has ended, no closure of its begins to run, and the runtime holds none.
@Suite struct ClosureReleaseTests {
  // R5: closures are released at the state step, not when a queue gets round to it.
  @Test func closuresOfAnEndedFlow_areReleasedInTheCall() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let alive = Tally()
      let gate = lab.gate("work")
      let child = stage.scope.step(as: .push)
      do {
        let scope = try #require(child.scope)
        let held = Counted(alive)
        scope.task("waits") {
          try await gate.wait()
          held.touch()
        }
        scope.perform("queued", .queue) { try await gate.wait() }
        scope.perform("queued", .queue) {
          held.touch()
        } then: { _ in
          held.touch()
        }
        scope.perform("then") {
          try await gate.wait()
        } then: { _ in
          held.touch()
        }
        scope.perform("session", lifetime: .session) {
          try await gate.wait()
        } then: { _ in
          held.touch()
        } onCancel: { _ in
          held.touch()
        }
        scope.perform("late", .debounce(.seconds(5))) { held.touch() }
        scope.perform(JoinKey<Void>("joined")) {
          try await gate.wait()
        } then: { _ in
          held.touch()
        }
        scope.step(onOutput: { _ in held.touch() }, onEnding: { _ in held.touch() })
        scope.perform("covered", lifetime: .appearance) { held.touch() }
        stage.window.report(.didCover(child.id))
      }
      #expect(alive.value == 1)
      child.dismiss()
      // Only the task that was created and has not run yet may still hold its closure.
      await lab.settle()
      #expect(alive.value == 0)
    }
  }

  // Closures that no task was made for must be gone before `dismiss` returns.
  @Test func waitingClosuresOfAnEndedFlow_areGoneBeforeTheCallReturns() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let gate = lab.gate("work")
      let alive: [String: Tally] = [
        "then": Tally(), "queued": Tally(), "session": Tally(), "late": Tally(),
        "listener": Tally(), "covered": Tally(), "onError": Tally(), "joined": Tally(),
      ]
      let child = stage.scope.step(as: .push)
      do {
        let scope = try #require(child.scope)
        func held(_ name: String) throws -> Counted { Counted(try #require(alive[name])) }
        let then = try held("then")
        scope.perform("then") {
          try await gate.wait()
        } then: { _ in
          then.touch()
        }
        let queued = try held("queued")
        scope.perform("queued", .queue) { try await gate.wait() }
        scope.perform("queued", .queue) { queued.touch() }
        let session = try held("session")
        scope.perform("session", lifetime: .session) {
          try await gate.wait()
        } then: { _ in
          session.touch()
        }
        let late = try held("late")
        scope.perform("late", .debounce(.seconds(5))) { late.touch() }
        let listener = try held("listener")
        scope.step(
          onOutput: { _ in listener.touch() }, onOverflow: { listener.touch() },
          onEnding: { _ in listener.touch() })
        let onError = try held("onError")
        scope.task(onError: { _ in onError.touch() }) { try await gate.wait() }
        let joined = try held("joined")
        scope.perform(JoinKey<Void>("joined")) {
          try await gate.wait()
        } then: { _ in
          joined.touch()
        }
        await lab.settle()
        stage.window.report(.didCover(child.id))
        let covered = try held("covered")
        scope.perform("covered", lifetime: .appearance) { covered.touch() }
      }
      #expect(alive.values.allSatisfy { $0.value == 1 })
      child.dismiss()
      let left = alive.filter { $0.value.value > 0 }.keys.sorted()
      #expect(left == [])
    }
  }

  // R5: also the closures with which an ended owner listened to a child that had finished before.
  @Test func closuresForAFinishedChild_areReleasedWhenTheOwnerEnds() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let alive = Tally()
      let owner = stage.scope.step()
      do {
        let held = Counted(alive)
        owner.scope?.step(
          start: { $0.scope.finish(1) }, onOutput: { _ in held.touch() },
          onEnding: { _ in held.touch() })
      }
      #expect(alive.value == 1)
      owner.dismiss()
      #expect(alive.value == 0)
      await lab.settle()
    }
  }

  // R5: a body that had begun may run on, keeps what it captured, and can change nothing.
  @Test func deafBodyOfAnEndedFlow_keepsItsCapturesAndChangesNothing() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let alive = Tally()
      let gate = lab.gate("deaf", .deaf)
      let child = stage.scope.step(onOutput: { _ in Issue.record("a dead flow was heard") })
      do {
        let flow = try #require(child.flow)
        let held = Counted(alive)
        flow.scope.task {
          try await gate.wait()
          held.touch()
          flow.scope.emit(1)
          flow.scope.finish(2)
        }
      }
      await lab.settle()
      child.dismiss()
      await lab.settle()
      #expect(alive.value == 1)
      #expect(stage.runtime.counts.operations == 1)
      gate.open()
      await lab.settle()
      #expect(alive.value == 0)
      #expect(stage.runtime.counts.operations == 0)
      #expect(stage.refused(.emitAfterEnd) == 1)
      #expect(stage.refused(.endAfterEnd) == 1)
    }
  }

  // In a turn the telling waits; the closures of the flows below must not wait with it.
  @Test func closuresBelowAFlowEndedInATurn_areGoneBeforeTheCallReturns() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let alive = Tally()
      let top = stage.scope.step()
      do {
        let held = Counted(alive)
        top.scope?.step().scope?.step(
          onOutput: { _ in held.touch() }, onOverflow: { held.touch() },
          onEnding: { _ in held.touch() })
      }
      var left: Int?
      let trigger = stage.scope.step(onOutput: { _ in
        top.dismiss()
        left = alive.value
      })
      trigger.scope?.emit(1)
      #expect(left == 0)
    }
  }

  // A view model that keeps the handle of a cancelled run must not keep its closures with it.
  @Test func handleOfACancelledRun_holdsNoClosure() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let alive = Tally()
      var runs: [AnyOperation] = []
      do {
        let held = Counted(alive)
        let scope = stage.scope
        runs = [
          scope.perform("a") {
            held.touch()
          } then: { _ in
            held.touch()
          } onCancel: { _ in
            held.touch()
          },
          scope.perform("b", .debounce(.seconds(1))) { held.touch() },
          scope.task(onError: { _ in held.touch() }) { held.touch() },
          scope.every(.seconds(1)) { held.touch() },
          scope.perform(JoinKey<Void>("c")) {
            held.touch()
          } then: { _ in
            held.touch()
          },
        ]
      }
      for run in runs { run.cancel() }
      await lab.settle()
      #expect(alive.value == 0)
      #expect(runs.count == 5)
    }
  }
}
