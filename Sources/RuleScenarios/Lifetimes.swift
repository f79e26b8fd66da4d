// R8: who starts work owns it, and a flow works under one owner only.

import Millrace
import RaceLab

extension RuleScenarios {
  @ScenarioList static var lifetimes: [Scenario] {
    // Fault: work that the owner starts when a child tells it something ends with the child.
    rule("who starts an operation owns it, whatever it was that triggered it", 8) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let mine = lab.gate(of: Int.self, "the owner's")
      let its = lab.gate(of: Int.self, "the child's")
      var saved: [Int] = []
      var late = 0
      let child = stage.scope.step(
        start: { step in
          step.scope.perform("child's") {
            try await its.wait()
          } then: { _ in
            if step.scope.isCurrent { step.scope.emit(2) } else { late += 1 }
          }
        },
        onOutput: { [scope = stage.scope] _ in
          scope.perform("owner's", .queue) {
            try await mine.wait()
          } then: {
            if case .success(let value) = $0 { saved.append(value) }
          }
        })
      child.flow?.scope.emit(1)
      lab.adversary("dismiss") { child.dismiss() }
      lab.adversary("the owner's answer") { mine.open(with: 7) }
      lab.adversary("the child's answer") { its.open(with: 8) }
      await lab.settle()
      try lab.require(saved == [7], "the owner's work has ended with the child")
      try lab.require(late == 0, "the child's work has outlived it")
      let outcome = try found(stage.oracle.outcomes(of: "child's").first)
      try lab.require(outcome == .succeeded || outcome == .cancelled(.flowEnded), "\(outcome)")
      mine.open(with: 9)
      try await stage.close()
    }

    // Fault: a scope or a slot of another flow is used, and the other flow acts.
    rule("a flow or slot that belongs to another is refused", 1, 8) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let slot = Slot<Step>()
      let first = stage.scope.start(in: slot) { Step($0) }
      let other = stage.scope.step()
      lab.adversary("dismiss") { first.dismiss() }
      await lab.settle()
      let scope = try found(other.flow?.scope)
      let stolen = scope.start(in: slot) { scope in
        lab.fail("a slot of another flow starts a child")
        return Step(scope)
      }
      try lab.require(!stolen.isCurrent && stage.refused(.foreignSlot) == 1)
      _ = stage.scope.start(Step.self) { _ in Step(scope) }
      try lab.require(stage.refused(.foreignScope) == 1)
      let again = stage.scope.start(in: slot) { Step($0) }
      try lab.require(again.isCurrent && slot.child?.id == again.id)
      try await stage.close()
    }

    // Fault: an open preview flow is freed, or keeps its runtime for ever.
    rule("a flow that is built alone lives as long as it is held", 1) { lab in
      var heard: [Int] = []
      var endings = 0
      let end = lab.flip()
      do {
        let flow = Step(
          .preview(onOutput: { heard.append($0) }, onEnding: { _ in endings += 1 }))
        lab.expectFreed(flow, "the flow of a preview")
        flow.scope.emit(1)
        if end { flow.scope.finish(2) }
        lab.check(flow.scope.isCurrent != end, "it ends itself, and not by itself")
        await lab.settle()
        lab.check(heard == (end ? [1, 2] : [1]), "\(heard)")
        lab.check(endings == (end ? 1 : 0), "\(endings)")
      }
    }
  }
}
