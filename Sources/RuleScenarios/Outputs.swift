// R9 to R11: what a child tells comes in order, once, and not after a dismissal.

import Millrace
import RaceLab

extension RuleScenarios {
  @ScenarioList static var outputs: [Scenario] {
    // Fault: what a child tells in its `start` is lost or comes before its owner has it; values
    // change places when some are read and some come at once.
    rule("values come in order, each once, from the first on", 9) { lab in
      let stage = try Stage(lab)
      let sent = [1, 2, 0, 3, 3, 4, 5]
      var heard: [Int] = []
      let isReturned = Held(false)
      let reads = lab.choose(3)
      let hear: @MainActor (Int) -> Void = {
        lab.check(isReturned.value, "a value comes before start has returned")
        heard.append($0)
      }
      let child = stage.scope.step(
        start: { step in
          step.scope.emit(1)
          step.scope.emit(2)
          step.scope.task {
            step.scope.emit(3)
            await Task.yield()
            step.scope.emit(3)
            step.scope.emit(4)
          }
        }, onOutput: reads == 0 ? hear : nil)
      isReturned.value = true
      let scope = try found(child.flow?.scope)
      // In the same job: it comes after those that wait for the next one.
      scope.emit(0)
      try lab.require(heard.isEmpty, "a later value overtakes")
      lab.always("what was heard is a beginning") { sent.starts(with: heard) }
      if reads == 1 {
        stage.scope.task {
          for try await value in child.outputs {
            hear(value)
            if value == 3 { await Task.yield() }
          }
        }
      } else if reads == 2 {
        stage.scope.task {
          for await value in child.outputs.asyncStream { hear(value) }
        }
      }
      await lab.settle()
      scope.emit(5)
      if reads == 0 { try lab.require(heard == sent, "outside a turn a value comes in the call") }
      await lab.settle()
      try lab.require(heard == sent, "\(heard)")
      try lab.require(stage.runtime.counts.outputsDelivered == sent.count)
      try await stage.close()
    }

    // Fault: a dismissal undoes a finish, or the last value is lost, told twice, or comes after
    // the ending.
    rule("finish settles at once, and its value comes exactly once", 10) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      var lines: [String] = []
      let reads = lab.choose(3)
      let hear: @MainActor (Int) -> Void = { lines.append("\($0)") }
      let child = stage.scope.step(
        buffer: 1,
        start: { step in if reads == 0 { step.scope.emit(1) } },
        onOutput: reads == 1 ? nil : hear,
        onEnding: { lines.append($0.output == 2 ? "ending 2" : "ending") })
      let scope = try found(child.flow?.scope)
      if reads == 1 {
        stage.scope.task { for try await value in child.outputs { lines.append("\(value)") } }
        scope.emit(1)
      }
      var isFinished = false
      lab.adversary("finish") {
        let wasCurrent = scope.isCurrent
        isFinished = scope.tryFinish(2) == .accepted
        lab.check(isFinished == wasCurrent, "it finishes unless it has ended")
        lab.check(!scope.isCurrent && scope.tryEmit(3) != .accepted, "it is inert at once")
        lab.check(scope.tryFinish(4) != .accepted, "it finishes once")
      }
      lab.adversary("dismiss") {
        let wasCurrent = child.isCurrent
        lab.check(
          child.dismiss().acceptance.isAccepted == wasCurrent, "a dismissal undoes a finish")
      }
      let signsOut = lab.flip()
      if signsOut { lab.adversary("sign out") { stage.runtime.signOut() } }
      await lab.settle()
      let finals = lines.count { $0 == "2" }
      let endings = lines.filter { $0.hasPrefix("ending") }
      if isFinished {
        try lab.require(finals == 1 || (signsOut && finals == 0), "\(lines)")
        try lab.require(endings == ["ending 2"] || (signsOut && endings.isEmpty), "\(lines)")
        if reads != 1, finals == 1, endings.count == 1 {
          try lab.require(lines.suffix(2) == ["2", "ending 2"], "\(lines)")
        }
        let ending = await child.ending
        let isOwn = stage.scope.isCurrent
        try lab.require(isOwn ? ending.output == 2 : ending.kind == .sessionEnded, "\(ending)")
      } else {
        try lab.require(finals == 0, "\(lines)")
      }
      try await stage.close()
    }

    // Fault: a value that the owner had not read comes after the flow was taken away.
    rule("what was not read is dropped with a flow that is taken away", 11) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let slot = Slot<Step>()
      var heard: [Int] = []
      let go = lab.gate("reader")
      let child = stage.scope.start(in: slot) { scope in
        Step(scope, start: { $0.scope.emit(1) })
      }
      let scope = try found(child.flow?.scope)
      stage.scope.task {
        for try await value in child.outputs {
          lab.check(child.isCurrent, "a value of a flow that was taken away is read")
          heard.append(value)
          try await go.wait()
        }
      }
      for value in 2...4 { scope.emit(value) }
      for _ in 0..<2 { lab.adversary("read on") { go.open() } }
      let way = lab.choose(4)
      var dropped: Int?
      lab.adversary("take away") {
        let before = heard.count
        switch way {
        case 0: child.dismiss()
        case 1: _ = stage.scope.start(in: slot) { Step($0) }
        case 2: stage.runtime.signOut()
        default: child.cancel()
        }
        dropped = stage.runtime.counts.outputsDropped
        lab.check(heard.count == before, "a value comes in the call")
      }
      await lab.settle()
      let counts = stage.runtime.counts
      try lab.require(heard == Array([1, 2, 3, 4].prefix(heard.count)), "\(heard)")
      try lab.require(counts.outputsDropped == dropped && dropped == 4 - heard.count, "\(counts)")
      try lab.require(counts.outputsDelivered == heard.count)
      go.open()
      await lab.settle()
      try lab.require(counts.outputsDelivered == heard.count, "nothing comes later")
      try await stage.close()
    }
  }
}
