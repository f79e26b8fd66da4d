import Millrace
import RaceLab
import Testing

/// What happens when an operation is asked for while one runs under the same key.
@Suite struct PolicyTests {
  /// Starts a run that waits at a gate and answers with a number; writes down all that it does.
  @MainActor @discardableResult
  private func run(
    _ number: Int, _ scope: FlowScope<Int>, _ policy: OperationPolicy, _ gate: Gate<Void>,
    _ log: Log, limit: Duration? = nil
  ) -> Operation<Int> {
    scope.perform("key", policy, limit: limit) {
      log("begin \(number)")
      try await gate.wait()
      return number
    } then: { result in
      switch result {
      case .success(let value): log("value \(value)")
      case .failure(let error): log("failed \(error)")
      }
    } onCancel: { cause in
      log("cancelled \(number) \(cause)")
    }
  }

  // The slow answer to an old question must not overwrite that to the new one.
  @Test func latest_cancelsTheOlderAndHearsTheNewest() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gates = (lab.gate("1", .deaf), lab.gate("2", .deaf))
      let first = run(1, stage.scope, .latest, gates.0, log)
      await lab.settle()
      run(2, stage.scope, .latest, gates.1, log)
      #expect(first.outcome?.cancellation == .superseded)
      await lab.settle()
      gates.1.open()
      await lab.settle()
      gates.0.open()
      await lab.settle()
      #expect(log.lines == ["begin 1", "cancelled 1 superseded", "begin 2", "value 2"])
      #expect(stage.refused(.staleResult) == 1)
      #expect(first.outcome?.cancellation == .superseded)
    }
  }

  // R14: superseded in the job that asked for it, a run does not run a line.
  @Test func latestInOneJob_runsTheLastOnly() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      gate.open()
      for number in 1...3 { run(number, stage.scope, .latest, gate, log) }
      await lab.settle()
      #expect(
        log.lines == [
          "cancelled 1 superseded", "cancelled 2 superseded", "begin 3", "value 3",
        ])
    }
  }

  // The cancellation handler of the older run asks again: still only one may be the newest.
  @Test func latestAskedForInACancellationHandler_leavesOneRunning() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let flow = stage.root
      let gate = lab.gate("gate")
      let inner = Held<Operation<Void>?>(nil)
      let first = flow.scope.perform("key") {
        try await withTaskCancellationHandler {
          try await gate.wait()
        } onCancel: {
          MainActor.assumeIsolated {
            inner.value = flow.scope.perform("key") { try await gate.wait() }
          }
        }
      }
      await lab.settle()
      let second = flow.scope.perform("key") { try await gate.wait() }
      await lab.settle()
      #expect(!first.isCurrent)
      #expect(inner.value != nil)
      let current = [second.isCurrent, inner.value?.isCurrent ?? false]
      #expect(current.count { $0 } == 1)
      flow.scope.cancel("key")
      #expect(!second.isCurrent)
      #expect(inner.value?.isCurrent == false)
    }
  }

  // A second tap must not send twice, and must be told that it did nothing.
  @Test func first_refusesTheNewer() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      run(1, stage.scope, .first, gate, log)
      let second = run(2, stage.scope, .first, gate, log)
      #expect(second.outcome?.cancellation == .alreadyRunning)
      await lab.settle()
      gate.open()
      await lab.settle()
      #expect(log.lines == ["cancelled 2 alreadyRunning", "begin 1", "value 1"])
      #expect(stage.refused(.alreadyRunning) == 1)
      gate.open()
      run(3, stage.scope, .first, gate, log)
      await lab.settle()
      #expect(log.lines.suffix(2) == ["begin 3", "value 3"])
    }
  }

  // A run counts until it has its outcome: deaf work that runs on holds no slot.
  @Test func firstAfterACancelledDeafRun_begins() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let deaf = lab.gate("deaf", .deaf)
      let open = lab.gate("open")
      run(1, stage.scope, .first, deaf, log)
      await lab.settle()
      stage.scope.cancel("key")
      run(2, stage.scope, .first, open, log)
      await lab.settle()
      open.open()
      await lab.settle()
      #expect(log.lines == ["begin 1", "cancelled 1 requested", "begin 2", "value 2"])
      // The old run, when it comes back, must not free the slot of a new one.
      run(3, stage.scope, .first, open, log)
      deaf.open()
      await lab.settle()
      #expect(run(4, stage.scope, .first, open, log).outcome?.cancellation == .alreadyRunning)
    }
  }

  // One after the other, in the order of asking, also when one of them fails.
  @Test func queue_runsOneAfterTheOther() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      for number in 1...3 { run(number, stage.scope, .queue, gate, log) }
      await lab.settle()
      #expect(log.lines == ["begin 1"])
      gate.open()
      await lab.settle()
      #expect(log.lines == ["begin 1", "value 1", "begin 2"])
      gate.fail(Oops())
      await lab.settle()
      gate.open()
      await lab.settle()
      #expect(
        log.lines == ["begin 1", "value 1", "begin 2", "failed Oops()", "begin 3", "value 3"])
    }
  }

  // A run that leaves the line while it waits never begins, and holds nobody up.
  @Test func queuedRunThatIsCancelled_neverBegins() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      run(1, stage.scope, .queue, gate, log)
      let second = run(2, stage.scope, .queue, gate, log)
      run(3, stage.scope, .queue, gate, log)
      await lab.settle()
      #expect(second.cancel() == .accepted)
      #expect(second.cancel() == .refused(.endAfterEnd))
      gate.open()
      await lab.settle()
      gate.open()
      await lab.settle()
      #expect(
        log.lines == ["begin 1", "cancelled 2 requested", "value 1", "begin 3", "value 3"])
    }
  }

  // The run in front that is cancelled makes room at once, though its body is deaf.
  @Test func queueBehindACancelledDeafRun_goesOn() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let deaf = lab.gate("deaf", .deaf)
      let gate = lab.gate("gate")
      let first = run(1, stage.scope, .queue, deaf, log)
      run(2, stage.scope, .queue, gate, log)
      await lab.settle()
      first.cancel()
      await lab.settle()
      #expect(log.lines == ["begin 1", "cancelled 1 requested", "begin 2"])
    }
  }

  // At most so many at once; the rest in order.
  @Test(arguments: [(-1, 1), (0, 1), (2, 2), (.max, 5)])
  func concurrent_runsAtMostItsWidth(_ width: Int, _ expected: Int) async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      for number in 1...5 { run(number, stage.scope, .concurrent(width), gate, log) }
      await lab.settle()
      #expect(gate.waiterCount == expected)
      while gate.waiterCount > 0 {
        gate.open()
        await lab.settle()
        #expect(gate.waiterCount <= expected)
      }
      #expect(log.lines.filter { $0.hasPrefix("begin") } == (1...5).map { "begin \($0)" })
      #expect(log.lines.count { $0.hasPrefix("value") } == 5)
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // Changing the policy under one key: the newest one asked for decides.
  @Test func latestAfterALine_clearsTheLine() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      for number in 1...3 { run(number, stage.scope, .queue, gate, log) }
      await lab.settle()
      run(4, stage.scope, .latest, gate, log)
      await lab.settle()
      gate.open()
      await lab.settle()
      #expect(log.lines.first == "begin 1")
      #expect(
        Set(log.lines.dropFirst().prefix(3)) == [
          "cancelled 1 superseded", "cancelled 2 superseded", "cancelled 3 superseded",
        ])
      #expect(log.lines.suffix(2) == ["begin 4", "value 4"])
    }
  }

  // A limit is a failure that is told, whether or not the body listens.
  @Test(arguments: [
    OperationPolicy.latest, .first, .queue, .concurrent(2), .debounce(.zero), .throttle(.zero),
  ])
  func limitOfADeafRun_failsItInTime(_ policy: OperationPolicy) async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let deaf = lab.gate("deaf", .deaf)
      let work = run(1, stage.scope, policy, deaf, log, limit: .seconds(5))
      await lab.settle()
      await lab.advance(by: .seconds(4))
      #expect(log.lines == ["begin 1"])
      await lab.advance(by: .seconds(1))
      #expect(work.outcome?.error as? OperationTimedOut == OperationTimedOut(limit: .seconds(5)))
      #expect(log.lines.last == "failed no answer within 5.0 seconds")
      deaf.open()
      await lab.settle()
      #expect(log.lines.count == 2)
      #expect(stage.refused(.staleResult) == 1)
      #expect(stage.runtime.counts.operations == 0)
    }
  }

  // The limit runs from the beginning of the run, not from its place in the line.
  @Test func limitInALine_beginsWithTheRun() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      run(1, stage.scope, .queue, gate, log)
      run(2, stage.scope, .queue, gate, log, limit: .seconds(5))
      await lab.settle()
      await lab.advance(by: .seconds(60))
      gate.open()
      await lab.settle()
      #expect(log.lines == ["begin 1", "value 1", "begin 2"])
      await lab.advance(by: .seconds(4))
      gate.open()
      await lab.settle()
      #expect(log.lines.last == "value 2")
      await lab.advance(by: .seconds(60))
      #expect(log.lines.count == 4)
    }
  }

  // C42's rule for all lifetimes: keys live inside one instance.
  @Test(arguments: [OperationLifetime.flow, .appearance, .session])
  func sameKeyInTwoFlows_areTwoKeys(_ lifetime: OperationLifetime) async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab, signedInAs: Account("a"))
      let gate = lab.gate("gate")
      let flows = [stage.scope.step(), stage.scope.step()]
      let runs = flows.compactMap {
        $0.scope?.perform("key", .latest, lifetime: lifetime) { try await gate.wait() }
      }
      #expect(runs.map(\.isCurrent) == [true, true])
      flows[0].scope?.cancel("key")
      #expect(runs.map(\.isCurrent) == [false, true])
    }
  }

  // An empty key is a key.
  @Test func emptyKey_isAKey() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("gate")
      let first = stage.scope.perform("") { try await gate.wait() }
      let second = stage.scope.perform("") { try await gate.wait() }
      #expect(first.outcome?.cancellation == .superseded)
      stage.scope.cancel("")
      #expect(second.outcome?.cancellation == .requested)
    }
  }
}
