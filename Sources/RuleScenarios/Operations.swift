// R14 to R16: registered before it runs, accepted in the step of the check, cancelled for a reason.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var operations: [Scenario] {
    // Fault: work that was cancelled before it began runs a line all the same.
    rule("what is cancelled in the job that asked for it runs not one line", 14) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let begun = Guarded<[String]>([])
      @Sendable func line(_ name: String) { begun.withLock { $0.append(name) } }
      let hold = lab.gate("hold")
      let child = stage.scope.step()
      let scope = try found(child.flow?.scope)
      var isOver = false
      stage.scope.task("asks") {
        guard scope.isCurrent else { return }
        scope.perform("running", .queue) {
          line("running")
          try await hold.wait()
        }
        let waiting = scope.perform("running", .queue) { line("waiting") }
        let first = scope.perform("cancelled") { line("cancelled") }
        let turnedAway = scope.perform("running", .first) { line("turned away") }
        lab.check(turnedAway.outcome?.cancellation == .alreadyRunning, "the second is turned away")
        let task = scope.task { line("task") }
        let superseded = scope.perform("newest") { line("superseded") }
        scope.perform("newest") { line("newest") }
        lab.check(superseded.outcome?.cancellation == .superseded, "the newest wins at once")
        scope.perform("debounced", .debounce(.seconds(1))) { line("debounced") }
        scope.cancel("debounced")
        lab.check(begun.withLock { $0.isEmpty }, "a line runs in the job that asked")
        for operation in [first, task, waiting] as [AnyOperation] {
          lab.check(operation.cancel() == .accepted && !operation.isCurrent, "it is cancelled")
          lab.check(operation.cancel() != .accepted, "it is cancelled once")
        }
        scope.perform("ended") { line("ended") }
        scope.task { line("ended task") }
        isOver = true
        if lab.flip() { child.dismiss() }
      }
      lab.adversary("dismiss") { child.dismiss() }
      lab.adversary("let go") { hold.open() }
      await lab.settle()
      await lab.advance(by: .seconds(2))
      let lines = begun.withLock { $0 }
      let mayBegin: Set = ["running", "newest", "ended", "ended task"]
      try lab.require(
        Set(lines).isSubset(of: mayBegin) && Set(lines).count == lines.count, "\(lines)")
      _ = isOver
      hold.open()
      try await stage.close()
    }

    // Fault: a late answer is shown, or a task goes on in a flow that has ended.
    rule("only the current run is heard, and a stale result is counted once", 15) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let answers = (0..<3).map { lab.gate(of: Int.self, "answer \($0)", .deaf) }
      var current = -1
      var heard: [Int] = []
      let child = stage.scope.step()
      let scope = try found(child.flow?.scope)
      @MainActor func load(_ number: Int) {
        guard scope.isCurrent else { return }
        current = number
        let gate = answers[number]
        scope.perform("load") {
          try await gate.wait()
        } then: { result in
          lab.check(scope.isCurrent && current == number, "a stale result is heard")
          if case .success(let value) = result { heard.append(value) }
        }
      }
      load(0)
      lab.adversary("load again") { load(1) }
      lab.adversary("load once more") { load(2) }
      for (number, gate) in answers.enumerated() {
        lab.adversary("answer \(number)") {
          if number == 1, lab.flip() { gate.fail(Oops()) } else { gate.open(with: number) }
        }
      }
      lab.adversary("dismiss") { child.dismiss() }
      await lab.settle()
      for gate in answers { gate.open(with: 9) }
      await lab.settle()
      try lab.require(Set(heard).count == heard.count, "\(heard)")
      let outcomes = stage.oracle.outcomes(of: "load")
      let begun = stage.oracle.events.count {
        if case .operationStarted(_, "load", _) = $0 { true } else { false }
      }
      try lab.require(outcomes.count == begun, "each run has one outcome")
      let cancelled = outcomes.count { if case .cancelled = $0 { true } else { false } }
      try lab.require(stage.oracle.stale("load") <= cancelled, "a stale result is counted once")
      try await stage.close()
    }

    // Fault: a value that was on its way when the flow ended is taken by its task.
    rule("who waits takes a value after the check, in a step of his own", 15, 10) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let answer = lab.gate(of: Int.self, "answer", .deaf)
      var ends: [String] = []
      let child = stage.scope.step()
      let scope = try found(child.flow?.scope)
      let grandchild = scope.step()
      let below = try found(grandchild.flow?.scope)
      @MainActor func wait(_ name: String, _ body: @escaping @MainActor () async throws -> Void) {
        scope.task(name) {
          do {
            try await body()
            lab.check(scope.isCurrent, "\(name) goes on after the end")
            ends.append(name)
          } catch let error as OperationCancelled {
            lab.check(!scope.isCurrent, "\(name) is cancelled while the flow lives")
            ends.append("\(error.cause)")
          } catch is Refused {
            lab.check(!scope.isCurrent, "\(name) is refused while the flow lives")
            ends.append("refused")
          }
        }
      }
      wait("value") {
        let value = try await scope.value("load") { try await answer.wait() }
        lab.check(value == 1, "\(value)")
      }
      wait("reply") {
        let value = try await scope.reply("scan") { reply in
          Task.detached {
            let value = try await answer.wait()
            reply.succeed(value)
            reply.succeed(value + 1)
          }
        }
        lab.check(value == 1, "\(value)")
      }
      wait("sleep") { try await scope.sleep(for: .seconds(1)) }
      wait("joined") {
        _ = try await scope.value(JoinKey<Int>("joined")) { try await answer.wait() }
      }
      // Read from outside, as by a task that nobody owns: it gets the end of its owner.
      Task {
        let ending = await grandchild.ending
        if scope.isCurrent {
          lab.check(ending.output == 5, "\(ending)")
        } else {
          lab.check(ending.kind == .ownerEnded || ending.kind == .sessionEnded, "\(ending)")
        }
      }
      Task {
        for try await _ in grandchild.outputs {
          lab.check(scope.isCurrent, "a value is read by an owner that has ended")
        }
      }
      lab.adversary("finish below") { below.finish(5) }
      lab.adversary("answer") { answer.open(with: 1) }
      let way = lab.choose(3)
      if way > 0 {
        lab.adversary("end") { if way == 1 { child.dismiss() } else { stage.runtime.signOut() } }
      }
      await lab.settle()
      await lab.advance(by: .seconds(1))
      answer.open(with: 1)
      await lab.settle()
      if way == 0 {
        try lab.require(Set(ends) == ["value", "reply", "sleep", "joined"], "\(ends)")
        try lab.require(stage.refused(.secondAnswer) == 1, "a second answer is refused")
      }
      for _ in 0..<3 { answer.open(with: 1) }
      try await stage.close()
    }

    // Fault: a cancellation is shown as an error, or an error as a cancellation.
    rule("a cancellation is an outcome with a cause, never an error", 16) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let answer = lab.gate(of: Int.self, "answer")
      let child = stage.scope.step()
      let scope = try found(child.flow?.scope)
      var causes: [CancellationCause] = []
      var errors: [any Error] = []
      var values: [Int] = []
      let run = scope.perform("load") {
        do { return try await answer.wait() } catch is CancellationError { throw Oops() }
      } then: { result in
        switch result {
        case .success(let value): values.append(value)
        case .failure(let error): errors.append(error)
        }
      } onCancel: {
        causes.append($0)
      }
      var first: CancellationCause?
      @MainActor func strike(_ cause: CancellationCause, _ act: @escaping @MainActor () -> Void) {
        lab.adversary(cause.rawValue) {
          let wasCurrent = run.isCurrent
          act()
          if wasCurrent {
            first = cause
            lab.check(run.outcome?.cancellation == cause, "\(run.outcome as Any)")
          }
        }
      }
      strike(.superseded) { scope.perform("load") { 2 } }
      strike(.requested) { run.cancel() }
      switch lab.choose(3) {
      case 0: strike(.flowEnded) { child.dismiss() }
      case 1: strike(.sessionEnded) { stage.runtime.signOut() }
      default: strike(.ownerEnded) { stage.window.close() }
      }
      let way = lab.choose(3)
      lab.adversary("answer") {
        switch way {
        case 0: answer.open(with: 1)
        case 1: answer.fail(Oops())
        default: answer.fail(LabError.noThread)
        }
      }
      await lab.settle()
      if let first {
        try lab.require(run.outcome?.cancellation == first, "the first cause stays")
        try lab.require(values.isEmpty && errors.isEmpty, "a cancelled run is heard")
        let isHeard = first == .superseded || first == .requested
        try lab.require(causes == (isHeard ? [first] : []), "\(causes)")
      } else {
        try lab.require(causes.isEmpty && values.count + errors.count == 1)
        try lab.require(
          (run.outcome?.value == 1) == (way == 0) && (run.outcome?.error != nil) == (way > 0))
      }
      // An operation that nobody cancelled and that throws a cancellation has failed.
      guard stage.scope.isCurrent else { return try await stage.close() }
      let failing = stage.scope.perform("fails") { throw CancellationError() }
      var caught: (any Error)?
      stage.scope.task("waits", onError: { caught = $0 }) {
        _ = try await stage.scope.value("fails too") { () -> Int in throw CancellationError() }
      }
      let never = lab.gate(of: Int.self, "never")
      let superseded = stage.scope.task(
        "superseded", onError: { _ in lab.fail("shown as an error") }
      ) {
        _ = try await stage.scope.value("twice") { try await never.wait() }
      }
      await lab.settle()
      stage.scope.perform("twice") {}
      await lab.settle()
      try lab.require(failing.outcome?.error is CancellationError, "\(failing.outcome as Any)")
      try lab.require(caught is CancellationError, "\(caught as Any)")
      try lab.require(
        superseded.outcome?.cancellation == .superseded || superseded.outcome?.value != nil)
      try await stage.close()
    }
  }
}
