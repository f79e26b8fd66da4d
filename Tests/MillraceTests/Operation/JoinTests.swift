import Millrace
import RaceLab
import Testing

/// R17: one run per key and epoch, shared by all who ask.
@Suite struct JoinTests {
  private let key = JoinKey<String>("load")

  /// Asks in a task of its own; writes down the value or the error.
  @MainActor @discardableResult
  private func ask(
    _ name: String, _ scope: FlowScope<Int>?, _ gate: Gate<String>, _ calls: Tally, _ log: Log,
    _ policy: JoinPolicy = .join, limit: Duration? = nil
  ) -> Task<Void, Never> {
    Task { @MainActor in
      do {
        let value = try await scope?.value(key, policy, limit: limit) {
          calls.add()
          return try await gate.wait()
        }
        log("\(name) \(value ?? "no scope")")
      } catch { log("\(name) \(error)") }
    }
  }

  // Two callers that both find the cache empty both load.
  @Test func askedForTogether_runsOnce() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let (log, calls) = (Log(), Tally())
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      for number in 1...3 { ask("\(number)", stage.scope, gate, calls, log) }
      await lab.settle()
      gate.open(with: "v")
      await lab.settle()
      #expect(calls.value == 1)
      #expect(log.lines == ["1 v", "2 v", "3 v"])
      gate.open(with: "w")
      ask("4", stage.scope, gate, calls, log)
      await lab.settle()
      #expect(log.lines.last == "4 w")
      #expect(calls.value == 2)
    }
  }

  // A kept answer serves until it is invalidated, and no longer than its epoch.
  @Test func keptSuccess_answersUntilInvalidatedOrTheEpochEnds() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let (log, calls) = (Log(), Tally())
      let stage = try Stage(lab, signedInAs: Account("a"))
      let gate = lab.gate(of: String.self, "gate")
      for value in ["v", "w", "x"] { gate.open(with: value) }
      ask("1", stage.scope, gate, calls, log, .join(keep: .success))
      await lab.settle()
      ask("2", stage.scope, gate, calls, log)
      await lab.settle()
      #expect(log.lines == ["1 v", "2 v"])
      stage.scope.invalidate(key)
      ask("3", stage.scope, gate, calls, log, .join(keep: .success))
      await lab.settle()
      #expect(log.lines.last == "3 w")
      stage.runtime.signIn(Account("a"))
      let root = stage.window.rootFlow as? Step
      ask("4", root?.scope, gate, calls, log)
      await lab.settle()
      #expect(log.lines.last == "4 x")
      #expect(calls.value == 3)
    }
  }

  // A failure is told to all who waited, and is never kept.
  @Test func failure_isToldToAllAndNotKept() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let (log, calls) = (Log(), Tally())
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      for number in 1...2 { ask("\(number)", stage.scope, gate, calls, log, .join(keep: .success)) }
      await lab.settle()
      gate.fail(Oops())
      await lab.settle()
      #expect(log.lines == ["1 Oops()", "2 Oops()"])
      gate.open(with: "v")
      ask("3", stage.scope, gate, calls, log)
      await lab.settle()
      #expect(log.lines.last == "3 v")
    }
  }

  // Invalidated while it runs: those who wait get it, nobody later does.
  @Test func invalidateInFlight_keepsNothingAndDisturbsNobody() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let (log, calls) = (Log(), Tally())
      let stage = try Stage(lab)
      let old = lab.gate(of: String.self, "old")
      let new = lab.gate(of: String.self, "new")
      ask("1", stage.scope, old, calls, log, .join(keep: .success))
      await lab.settle()
      stage.scope.invalidate(key)
      ask("2", stage.scope, new, calls, log, .join(keep: .success))
      await lab.settle()
      #expect(calls.value == 2)
      new.open(with: "new")
      await lab.settle()
      old.open(with: "old")
      await lab.settle()
      #expect(log.lines == ["2 new", "1 old"])
      ask("3", stage.scope, old, calls, log)
      await lab.settle()
      #expect(log.lines.last == "3 new")
    }
  }

  // One who leaves detaches himself: neither the run nor its slot is his.
  @Test func waiterThatLeaves_leavesTheRunToTheOthers() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let (log, calls) = (Log(), Tally())
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      let flows = (0..<3).map { _ in stage.scope.step() }
      let first = ask("1", flows[0].scope, gate, calls, log)
      ask("2", flows[1].scope, gate, calls, log)
      await lab.settle()
      first.cancel()
      await lab.settle()
      #expect(log.lines == ["1 the operation was cancelled: requested"])
      flows[0].dismiss()
      ask("3", flows[2].scope, gate, calls, log)
      await lab.settle()
      gate.open(with: "v")
      await lab.settle()
      #expect(calls.value == 1)
      #expect(log.lines.suffix(2) == ["2 v", "3 v"])
    }
  }

  // When nobody waits any more the work stops, and the next one asks anew.
  @Test func lastWaiterThatLeaves_stopsTheRun() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let (log, calls) = (Log(), Tally())
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate", .cooperative)
      let flows = (0..<2).map { _ in stage.scope.step() }
      for flow in flows { ask("1", flow.scope, gate, calls, log) }
      await lab.settle()
      for flow in flows { flow.dismiss() }
      await lab.settle()
      #expect(gate.waiterCount == 0)
      #expect(stage.runtime.counts.operations == 0)
      ask("2", stage.scope, gate, calls, log)
      await lab.settle()
      gate.open(with: "v")
      await lab.settle()
      #expect(calls.value == 2)
      #expect(log.lines.last == "2 v")
    }
  }

  // A limit is one waiter's: he gives up, the run goes on for the others.
  @Test func limitOfOneWaiter_isHisAlone() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let (log, calls) = (Log(), Tally())
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "gate")
      ask("1", stage.scope, gate, calls, log, limit: .seconds(5))
      ask("2", stage.scope, gate, calls, log)
      await lab.settle()
      await lab.advance(by: .seconds(5))
      #expect(log.lines == ["1 no answer within 5.0 seconds"])
      gate.open(with: "v")
      await lab.settle()
      #expect(log.lines.last == "2 v")
      #expect(calls.value == 1)
      #expect(stage.runtime.refusals.isEmpty)
    }
  }

  // A limit of the only waiter stops the run, deaf or not.
  @Test func limitOfTheLastWaiter_stopsTheRun() async throws {
    try await Lab.run { lab in
      let (log, calls) = (Log(), Tally())
      let stage = try Stage(lab)
      let gate = lab.gate(of: String.self, "deaf", .deaf)
      ask("1", stage.scope, gate, calls, log, limit: .seconds(5))
      await lab.advance(by: .seconds(5))
      #expect(log.lines == ["1 no answer within 5.0 seconds"])
      let other = lab.gate(of: String.self, "other")
      ask("2", stage.scope, other, calls, log)
      await lab.settle()
      gate.open(with: "old")
      await lab.settle()
      #expect(log.lines.count == 1)
      other.open(with: "new")
      await lab.settle()
      #expect(log.lines.last == "2 new")
    }
  }

  // R5: the body of one who left before the run began is not run; the next one's is.
  @Test func giverGoneBeforeTheRunBegan_theNextBodyRuns() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let flows = (0..<2).map { _ in stage.scope.step() }
      for (number, flow) in flows.enumerated() {
        flow.scope?.perform(key) {
          log("body \(number)")
          return "v"
        } then: { _ in
          log("heard \(number)")
        }
      }
      flows[0].dismiss()
      await lab.settle()
      #expect(log.lines == ["body 1", "heard 1"])
    }
  }

  // Both gone: no body runs at all.
  @Test func allGoneBeforeTheRunBegan_nothingRuns() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let calls = Tally()
      let stage = try Stage(lab)
      let runs = (0..<2).map { _ in
        stage.scope.perform(key) {
          calls.add()
          return "v"
        } then: { _ in
          calls.add()
        }
      }
      for run in runs { run.cancel() }
      await lab.settle()
      #expect(calls.value == 0)
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // R19: joined loads do not cross an epoch, and a late run frees no slot but its own.
  @Test func signOut_endsTheRunAndTheNextEpochHasItsOwn() async throws {
    try await Lab.run { lab in
      let (log, calls) = (Log(), Tally())
      let stage = try Stage(lab, signedInAs: Account("a"))
      let old = lab.gate(of: String.self, "old", .deaf)
      let new = lab.gate(of: String.self, "new")
      ask("1", stage.scope, old, calls, log)
      await lab.settle()
      stage.runtime.signIn(Account("a"))
      let root = stage.window.rootFlow as? Step
      ask("2", root?.scope, new, calls, log)
      await lab.settle()
      #expect(log.lines == ["1 the operation was cancelled: sessionEnded"])
      old.open(with: "old")
      await lab.settle()
      ask("3", root?.scope, old, calls, log)
      await lab.settle()
      new.open(with: "new")
      await lab.settle()
      #expect(log.lines.suffix(2) == ["2 new", "3 new"])
      #expect(calls.value == 2)
    }
  }

  // One key name for two types is two keys: a cast would fail, or worse, not.
  @Test func sameNameOfTwoTypes_areTwoKeys() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let stage = try Stage(lab)
      let log = Log()
      stage.scope.perform(JoinKey<String>("same")) {
        "text"
      } then: {
        log((try? $0.get()) ?? "")
      }
      stage.scope.perform(JoinKey<Int>("same")) {
        7
      } then: {
        log((try? $0.get()) ?? 0)
      }
      await lab.settle()
      #expect(log.lines == ["text", "7"])
    }
  }

  // R13: those who listen are told one after the other, though one of them ends another.
  @Test func waiterEndedByTheHandlerOfAnother_isNotTold() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let log = Log()
      let stage = try Stage(lab)
      let flows = (0..<3).map { _ in stage.scope.step() }
      let held = Held(flows)
      for (number, flow) in flows.enumerated() {
        flow.scope?.perform(key) {
          "v"
        } then: { _ in
          log("in \(number)")
          if number == 0 { held.value[1].dismiss() }
          log("out \(number)")
        }
      }
      await lab.settle()
      #expect(log.lines == ["in 0", "out 0", "in 2", "out 2"])
    }
  }
}
