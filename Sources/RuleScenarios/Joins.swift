// R17: one run per key and epoch, waiters that leave alone, a slot that only its run frees.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var joins: [Scenario] {
    // Fault: a refresh runs twice, stops while somebody waits, or runs on when nobody does.
    rule("work that is joined runs once, and as long as somebody waits", 17) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let answer = lab.gate(of: Int.self, "answer")
      let key = JoinKey<Int>("refresh")
      let running = Guarded(0)
      let most = Guarded(0)
      let begun = Guarded(0)
      let children = (0..<3).map { _ in stage.scope.step() }
      var heard = [0, 0, 0]
      var gone: Set<Int> = []
      for (number, child) in children.enumerated() {
        let scope = try found(child.flow?.scope)
        let ask: @MainActor () -> Void = {
          guard scope.isCurrent else { return }
          scope.perform(key) {
            begun.withLock { $0 += 1 }
            let now = running.withLock { value in
              value += 1
              return value
            }
            most.withLock { $0 = max($0, now) }
            defer { running.withLock { $0 -= 1 } }
            return try await answer.wait()
          } then: { result in
            lab.check(scope.isCurrent, "a flow that has left is told")
            if case .success(1) = result { heard[number] += 1 } else { lab.fail("\(result)") }
          }
        }
        if number < 2 { ask() } else { lab.adversary("a third asks") { ask() } }
      }
      let leavers = lab.choose(from: [[0], [1], [0, 1]])
      for number in leavers {
        lab.adversary("\(number) leaves") {
          children[number].dismiss()
          gone.insert(number)
        }
      }
      await lab.settle()
      let isWanted = gone.count < 2 || answer.waiterCount > 0
      answer.open(with: 1)
      await lab.settle()
      for number in 0..<3 where !gone.contains(number) {
        try lab.require(heard[number] == 1, "one who waits is told once: \(heard)")
      }
      try lab.require(most.withLock { $0 } <= 2, "a run that was given up may overlap, no other")
      if leavers.count == 1 {
        try lab.require(begun.withLock { $0 } == 1, "one run for all who wait")
        try lab.require(
          stage.oracle.outcomes(of: "refresh").filter { $0 == .cancelled(.noWaiter) } == [])
      }
      _ = isWanted
      try lab.require(stage.runtime.counts.operations == 0, "a run goes on for nobody")
      try await stage.close()
    }

    // Fault: a kept answer crosses an epoch, outlives its invalidation, or is not kept.
    rule("a kept answer holds until it is invalidated or the epoch ends", 17, 19) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let key = JoinKey<Int>("profile")
      let runs = Guarded(0)
      var epochs: [Int] = [0]
      let pause = lab.gate("pause", .deaf)
      @MainActor func ask(_ scope: FlowScope<Int>) async throws -> Int {
        try await scope.value(key, .join(keep: .success)) {
          let run = runs.withLock { value in
            value += 1
            return value
          }
          if run == 1 { try await pause.wait() }
          return run
        }
      }
      @MainActor func root() throws -> FlowScope<Int> {
        try found(stage.window.rootFlow as? Step).scope
      }
      var first: Int?
      let old = stage.scope
      old.task { first = try await ask(old) }
      let way = lab.choose(3)
      lab.adversary("change") {
        if way == 0 { old.invalidate(key) }
        if way == 1 { stage.runtime.signIn(Account("A")) }
        epochs.append(runs.withLock { $0 })
      }
      lab.adversary("answer") { pause.open() }
      await lab.settle()
      let new = try root()
      var later: [Int] = []
      for _ in 0..<2 { new.task { later.append(try await ask(new)) } }
      await lab.settle()
      try lab.require(later.count == 2 && Set(later).count == 1, "\(later)")
      switch way {
      case 2: try lab.require(later == [1, 1] && first == 1, "what was kept is asked for again")
      case 1: try lab.require(first == nil || later == [2, 2] || later == [1, 1], "\(later)")
      default: try lab.require(first == 1, "who waits is told, though it is not kept")
      }
      if way == 0 { try lab.require(later[0] >= 1 && runs.withLock { $0 } <= 2) }
      if way == 1, let seen = epochs.last, seen == 1 {
        try lab.require(later == [2, 2], "an answer has crossed the epoch")
      }
      pause.open()
      try await stage.close()
    }

    // Fault: a run that was invalidated frees the slot of the one that came after it.
    rule("a slot is freed only by the run that holds it", 17) { lab in
      let stage = try Stage(lab)
      let key = JoinKey<Int>("load")
      let gates = [lab.gate(of: Int.self, "first"), lab.gate(of: Int.self, "second")]
      let begun = Guarded(0)
      var heard: [[Int]] = [[], [], [], []]
      let scope = stage.scope
      @MainActor func ask(_ number: Int) -> Operation<Int> {
        scope.perform(key) {
          let run = begun.withLock { value in
            value += 1
            return value
          }
          return try await gates[min(run, 2) - 1].wait()
        } then: {
          if case .success(let value) = $0 { heard[number].append(value) }
        }
      }
      let first = ask(0)
      await lab.settle()
      scope.invalidate(key)
      _ = ask(1)
      let cancels = lab.flip()
      lab.adversary("the first comes") {
        if cancels { first.cancel() } else { gates[0].open(with: 1) }
      }
      await lab.settle()
      _ = ask(2)
      await lab.settle()
      try lab.require(begun.withLock { $0 } == 2, "the third joins the second run")
      gates[1].open(with: 2)
      await lab.settle()
      try lab.require(heard == [cancels ? [] : [1], [2], [2], []], "\(heard)")
      // A failure is told to all, and not kept.
      gates[1].fail(Oops())
      let failing = [ask(3), ask(3)]
      await lab.settle()
      try lab.require(failing.allSatisfy { $0.outcome?.error is Oops })
      try await stage.close()
    }
  }
}
