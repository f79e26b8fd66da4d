// R5 to R7: after an end nothing of the flow begins, nothing of it is held, and what it leaves behind
// is known by name.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var endings: [Scenario] {
    // Fault: a closure of a flow that has ended is called, or kept until deaf work comes back.
    rule("after its end no closure of a flow begins, and none is held", 5) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let held = Guarded(0)
      let deaf = lab.gate(of: Int.self, "deaf", .deaf)
      let way = lab.choose(4)
      var child: Child<Step>?
      child = stage.scope.step(
        as: .sheet,
        start: { step in
          let scope = step.scope
          @MainActor func alive(_ what: String) {
            lab.check(scope.isCurrent, "\(what) begins after the end")
          }
          // Each closure has an object of its own: what is not released is counted.
          let tokens = (0..<9).map { _ in Counted(held) }
          scope.perform("deaf") {
            try await deaf.wait()
          } then: { _ in
            tokens[0].touch()
            alive("then")
          } onCancel: { _ in
            tokens[0].touch()
            alive("onCancel")
          }
          scope.perform("session", lifetime: .session) {
            try await deaf.wait()
          } then: { _ in
            tokens[1].touch()
            alive("then of the session's work")
          }
          scope.perform(JoinKey<Int>("joined")) {
            try await deaf.wait()
          } then: { _ in
            tokens[2].touch()
            alive("then of joined work")
          }
          for _ in 0..<2 {
            scope.perform("line", .queue) {
              tokens[3].touch()
            } then: { _ in
              tokens[3].touch()
              alive("then in a line")
            }
          }
          scope.perform("later", .debounce(.seconds(1))) {
            tokens[4].touch()
          } then: { _ in
            alive("then after a debounce")
          }
          scope.every(.seconds(1)) {
            tokens[5].touch()
            alive("every")
          }
          scope.task {
            alive("task")
            try await scope.sleep(for: .seconds(2))
            tokens[6].touch()
            alive("task after a sleep")
          }
          let grandchild = scope.step { _ in
            tokens[7].touch()
          } onOutput: { _ in
            tokens[7].touch()
            alive("onOutput")
          } onEnding: { _ in
            tokens[7].touch()
            alive("onEnding")
          }
          grandchild.flow?.scope.emit(1)
          scope.guardDismissal {
            tokens[8].touch()
            alive("guard")
            return .letGo
          } ask: { _ in
            tokens[8].touch()
          }
        })
      let scope = try found(child?.flow?.scope)
      if let flow = child?.flow { lab.expectFreed(flow, "the flow") }
      lab.adversary("end") {
        switch way {
        case 0: child?.dismiss()
        case 1: scope.finish(1)
        case 2: stage.runtime.signOut()
        default: stage.window.report(.didDismiss(scope.id))
        }
        lab.check(!scope.isCurrent, "it has ended")
      }
      await lab.settle()
      await lab.advance(by: .seconds(3))
      // What deaf bodies hold is none of these.
      try lab.require(held.withLock { $0 } == 0, "the runtime holds closures of an ended flow")
      let leaks = stage.runtime.leaks().filter { $0.id == scope.id }
      try lab.require(leaks.isEmpty, "\(leaks)")
      for _ in 0..<2 { deaf.open(with: 1) }
      try await stage.close()
    }

    // Fault: waiting for the end of work ends before it, or never; an end waits for work.
    rule("drained waits for what runs, and at its limit says what is left", 6) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let deaf = lab.gate("deaf", .deaf)
      let child = stage.scope.step(
        start: { step in
          step.scope.step { inner in inner.scope.perform("deaf") { try await deaf.wait() } }
          step.scope.perform("heeds") { try await lab.clock.sleep(for: .seconds(60)) }
          step.scope.step { inner in
            inner.scope.task("below") { try await inner.scope.sleep(for: .seconds(60)) }
          }
        })
      let scope = try found(child.flow?.scope)
      var results: [Result<Void, any Error>] = []
      var ways: [@MainActor () async throws -> Void] = [
        { try await scope.drained(limit: .seconds(5)) },
        { try await stage.runtime.drained(limit: .seconds(5)) },
      ]
      if let session = stage.runtime.session {
        ways.append { try await stage.runtime.drained(session, limit: .seconds(5)) }
      }
      for way in ways {
        Task {
          do {
            try await way()
            lab.check(stage.runtime.counts.operations == 0, "drained, and something runs")
            lab.check(lab.clock.now.elapsed == .zero, "it comes back late")
            results.append(.success(()))
          } catch {
            lab.check(lab.clock.now.elapsed >= .seconds(5), "the limit comes early")
            results.append(.failure(error))
          }
        }
      }
      lab.adversary("dismiss") {
        child.dismiss()
        lab.check(!scope.isCurrent, "the end waits for nobody")
      }
      if lab.flip() { lab.adversary("open") { deaf.open() } }
      await lab.advance(by: .seconds(6))
      try lab.require(results.count == ways.count, "a call of drained has not come back")
      for result in results {
        guard case .failure(let error) = result else { continue }
        let left = try found(error as? NotDrained)
        try lab.require(left.leftovers.map(\.name) == ["deaf"], "\(left)")
        try lab.require(left.leftovers.allSatisfy { $0.cancelledAgo != nil }, "\(left)")
        let owner = left.leftovers.first?.owner ?? ""
        try lab.require(owner.hasPrefix("Step #"), "\(left)")
        let leaks = stage.runtime.leaks()
        try lab.require(leaks.isEmpty, "the flow is free: a deaf body does not hold it")
      }
      deaf.open()
      await lab.settle()
      try await scope.drained(limit: .seconds(1))
      try await stage.close()
    }

    // Fault: a flow that has ended starts something, or its last record is lost.
    rule("willEnd hands work to the session, and all else is refused", 7) { lab in
      let sent = Guarded<[String]>([])
      let stage = try Stage(lab, signedInAs: "A") { record, session in
        await Task.yield()
        sent.withLock { $0.append("\(record.name) for \(session.account)") }
      }
      let handovers = lab.flip() ? HandoverPolicy.discard : .keep
      var answers: [Acceptance] = []
      var signedOut = false
      let child = stage.scope.step(
        willEnd: { step, _ in
          answers.append(step.scope.handOver(Handover(name: "draft", body: [1])))
          let late = step.scope.step { _ in lab.fail("a child of an ended flow starts") }
          lab.check(!late.isCurrent, "a child of an ended flow has ended")
          lab.check(step.scope.task { lab.fail("a late task begins") }.isCurrent == false, "task")
          let work = step.scope.perform("late") { lab.fail("late work begins") }
          lab.check(work.outcome?.cancellation == .refused, "\(work.outcome as Any)")
          step.scope.every(.seconds(1)) { lab.fail("a late timer begins") }
          step.scope.cancel("nothing")
          step.scope.invalidate(JoinKey<Int>("nothing"))
          let joined = step.scope.perform(JoinKey<Int>("late")) {
            1
          } then: { _ in
            lab.fail("late joined work is heard")
          }
          lab.check(joined.outcome?.cancellation == .refused, "joined")
        })
      let scope = try found(child.flow?.scope)
      lab.adversary("dismiss") { child.dismiss() }
      lab.adversary("sign out") {
        signedOut = child.isCurrent
        stage.runtime.signOut(handovers: handovers)
      }
      await lab.settle()
      var refused = 0
      for way in 0..<6 {
        Task {
          do {
            switch way {
            case 0: _ = try await scope.value("late") { lab.fail("late work begins") }
            case 1: _ = try await scope.value(JoinKey<Int>("late")) { 1 }
            case 2: try await scope.sleep(for: .seconds(1))
            case 3: _ = try await scope.reply { (_: Reply<Int>) in lab.fail("it is asked") }
            case 4: _ = try await scope.phase(of: Intent(key: "late"), until: .sent)
            default:
              _ = try await scope.write(Write("late", intent: Intent(key: "late")), until: .sent)
            }
            lab.fail("a flow that has ended gets an answer")
          } catch {
            lab.check((error as? Refused)?.kind == .workAfterEnd, "\(way): \(error)")
            refused += 1
          }
        }
      }
      await lab.settle()
      try lab.require(refused == 6, "\(refused) of 6 are refused")
      try lab.require(stage.refused(.startAfterEnd) == 1, "the refused child is counted")
      try lab.require(stage.refused(.workAfterEnd) == 12, "refused work is counted")
      try lab.require(scope.handOver(Handover(name: "late", body: [])) != .accepted, "told by then")
      let isLost = signedOut && handovers == .discard
      try lab.require(answers == [isLost ? .refused(.noSession) : .accepted], "\(answers)")
      stage.runtime.signIn(Account("B"))
      await lab.settle()
      try lab.require(
        sent.withLock { $0.allSatisfy { $0 == "draft for A" } }, "it goes to nobody else")
      stage.runtime.signIn(Account("A"))
      await lab.settle()
      let times = sent.withLock { $0.count }
      if handovers == .keep { try lab.require(times >= 1, "a record that was kept is delivered") }
      if isLost { try lab.require(times == 0, "a discarded record is delivered") }
      try await stage.close()
    }
  }
}
