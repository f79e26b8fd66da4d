import Millrace
import RaceLab
import Testing

/// R6: ending never waits, `drained` does, and names who is left.
@Suite struct DrainTests {
  // With nothing to wait for it returns at once, also with no limit to speak of.
  @Test func nothingRunning_returnsAtOnce() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let stage = try Stage(lab)
      let child = stage.scope.step()
      try await stage.runtime.drained(limit: .zero)
      try await stage.scope.drained(limit: .seconds(-1))
      try await child.drained(limit: .seconds(Int64.max))
    }
  }

  // It waits for all below, for what starts meanwhile, and for deaf work of ended flows.
  @Test func drained_waitsForAllThatRunsBelow() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let (deaf, gate, late) = (lab.gate("deaf", .deaf), lab.gate("gate"), lab.gate("late"))
      let owner = stage.scope.step()
      let scope = try #require(owner.scope)
      let below = scope.step(start: { step in step.scope.task { try await deaf.wait() } })
      scope.perform("work") {
        try await gate.wait()
      } then: { _ in
        scope.perform("more") { try await late.wait() }
      }
      await lab.settle()
      below.dismiss()
      Task { @MainActor in
        try await owner.drained(limit: .seconds(60))
        log("drained")
      }
      await lab.settle()
      gate.open()
      await lab.settle()
      deaf.open()
      await lab.settle()
      #expect(log.lines == [])
      late.open()
      await lab.settle()
      #expect(log.lines == ["drained"])
      #expect(lab.clock.sleeperCount == 0)
    }
  }

  // At the limit the list says what, whose, and for how long it has been deaf.
  @Test func atTheLimit_theListNamesEachTask() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let deaf = lab.gate("deaf", .deaf)
      let child = stage.scope.step()
      let upload = child.scope?.task("upload") { try await deaf.wait() }
      let sync = child.scope?.perform("sync", lifetime: .session) { try await deaf.wait() }
      await lab.settle()
      child.dismiss()
      await lab.advance(by: .seconds(2))
      let waiting = Task { @MainActor in try await stage.runtime.drained(limit: .seconds(3)) }
      await lab.advance(by: .seconds(3))
      let error = await #expect(throws: NotDrained.self) { try await waiting.value }
      let uploadID = try #require(upload?.id)
      let syncID = try #require(sync?.id)
      #expect(
        Set(error?.leftovers.map(\.description) ?? []) == [
          "upload \(uploadID) Step \(child.id) 5.0 seconds", "sync \(syncID) session nil",
        ])
      #expect(error?.limit == .seconds(3))
      let text = error?.description ?? ""
      #expect(text.hasPrefix("not drained within 3.0 seconds; still running:\n  "))
      let upload1 = "\n  upload \(uploadID) of Step \(child.id): cancelled 5.0 seconds ago, deaf"
      #expect(text.contains(upload1))
      #expect(text.contains("\n  sync \(syncID) of session: not cancelled"))
    }
  }

  // Each place asks for its own part of the tree only.
  @Test func scopeChildSessionAndRuntime_waitForTheirOwn() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow(fixedRoot: Root { Step($0) })
      let root = try #require(window.rootFlow as? Step)
      let session = try #require(runtime.signIn(Account("a")))
      let deaf = lab.gate("deaf", .deaf)
      let inside = root.scope.start(in: session) { Step($0) }
      let outside = root.scope.step()
      outside.scope?.task("outside") { try await deaf.wait() }
      await lab.settle()
      try await inside.drained(limit: .zero)
      try await runtime.drained(session, limit: .zero)
      inside.scope?.task("inside") { try await deaf.wait() }
      await lab.settle()
      runtime.signOut()
      // The closed session still answers for what it left.
      var error = await #expect(throws: NotDrained.self) {
        try await runtime.drained(session, limit: .zero)
      }
      #expect(error?.leftovers.map(\.name) == ["inside"])
      error = await #expect(throws: NotDrained.self) { try await outside.drained(limit: .zero) }
      #expect(error?.leftovers.map(\.name) == ["outside"])
      error = await #expect(throws: NotDrained.self) { try await runtime.drained(limit: .zero) }
      #expect(Set(error?.leftovers.map(\.name) ?? []) == ["inside", "outside"])
      deaf.open()
      await lab.settle()
      try await runtime.drained(limit: .zero)
    }
  }

  // Several who wait, with limits of their own, are each answered once.
  @Test func waitersWithTheirOwnLimits_areEachAnswered() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let deaf = lab.gate("deaf", .deaf)
      stage.scope.task("deaf") { try await deaf.wait() }
      await lab.settle()
      for limit in [1, 5, 60] {
        Task { @MainActor in
          do {
            try await stage.runtime.drained(limit: .seconds(limit))
            log("\(limit) drained")
          } catch { log("\(limit) not") }
        }
      }
      await lab.advance(by: .seconds(10))
      #expect(log.lines == ["1 not", "5 not"])
      deaf.open()
      await lab.settle()
      #expect(log.lines == ["1 not", "5 not", "60 drained"])
    }
  }

  // Released while somebody waits: the runtime ends, and the wait is answered all the same.
  @Test func runtimeReleasedWhileDrainedWaits_isAnswered() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let deaf = lab.gate("deaf", .deaf)
      do {
        let stage = try Stage(lab)
        let child = stage.scope.step()
        child.scope?.task("deaf") { try await deaf.wait() }
        Task { @MainActor in
          do {
            try await child.drained(limit: .seconds(60))
            log("drained")
          } catch { log("not drained") }
        }
        await lab.settle()
      }
      await lab.settle()
      #expect(log.lines == [])
      deaf.open()
      await lab.settle()
      #expect(log.lines == ["drained"])
    }
  }

  // The same when it never finishes: the limit still holds.
  @Test func runtimeReleasedWhileDrainedWaits_keepsTheLimit() async throws {
    try await Lab.run { lab in
      let log = Log()
      let deaf = lab.gate("deaf", .deaf)
      do {
        let stage = try Stage(lab)
        let child = stage.scope.step()
        child.scope?.task("deaf") { try await deaf.wait() }
        Task { @MainActor in
          do { try await child.drained(limit: .seconds(60)) } catch { log("not drained") }
        }
        await lab.settle()
      }
      await lab.advance(by: .seconds(60))
      #expect(log.lines == ["not drained"])
    }
  }
}

extension NotDrained.Leftover {
  fileprivate var description: String {
    "\(name) \(id) \(owner) \(cancelledAgo.map { "\($0)" } ?? "nil")"
  }
}
