// R1, R14, R18 and R25 where much is asked for at once: slots in slots, many keys, scopes that go on.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var slots: [Scenario] {
    // Fault: a slot is filled twice when its child is replaced from within its start.
    rule("a slot holds one child, also when it is filled while it is filled", 25, 21) { lab in
      let stage = try Stage(lab, host: RecordingHost())
      let slot = Slot<Step>()
      var all: [Child<Step>] = []
      let way = lab.choose(4)
      @MainActor func fill(_ start: @escaping @MainActor (Step) -> Void = { _ in }) -> Child<Step> {
        let child = stage.scope.start(in: slot, as: .push) { Step($0, start: start) }
        all.append(child)
        return child
      }
      let first = stage.scope.start(in: slot, as: .push) { scope in
        Step(scope, willEnd: { _, _ in if way == 1 { _ = fill() } })
      }
      all.append(first)
      lab.adversary("dismiss") { first.dismiss() }
      lab.adversary("fill") {
        let child = fill { step in
          if way == 0 { _ = fill() }
          if way == 2 { step.scope.finish(1) }
        }
        lab.check(!first.isCurrent, "the old one stays")
        let count = all.count { $0.isCurrent }
        lab.check(count == (way == 2 ? 0 : 1), "it holds \(count), way \(way)")
        lab.check(slot.child?.id == (way == 2 ? nil : child.id), "the outermost start holds it")
      }
      await lab.settle()
      let alive = all.filter(\.isCurrent)
      try lab.require(alive.count <= 1 && slot.child?.id == alive.first?.id, "\(alive.count)")
      try await stage.close()
    }

    // Fault: the second of two interactive replacements leaves the first one behind.
    rule("of two replacements that a gesture decides about the newer counts", 24, 25) { lab in
      let host = RecordingHost()
      let stage = try Stage(lab, signedInAs: "A", host: host) { _, _ in }
      let roots = lab.flip()
      let slot = Slot<Step>()
      let old = stage.scope.start(in: slot, as: .push) { Step($0) }
      var handed: [Acceptance] = []
      var made: [Step] = []
      @MainActor func challenge() -> FlowID? {
        let build: @MainActor (FlowScope<Int>) -> Step = { scope in
          let step = Step(
            scope, start: { handed.append($0.scope.handOver(.init(name: "x", body: []))) })
          made.append(step)
          return step
        }
        if roots {
          stage.window.replaceRoot(Root { build($0) }, interactively: true)
        } else {
          _ = stage.scope.start(in: slot, as: .push, interactively: true) { build($0) }
        }
        return made.last?.scope.id
      }
      let first = try found(challenge())
      let second = try found(challenge())
      try lab.require(!made[0].scope.isCurrent && made[1].scope.isCurrent, "the first one stays")
      try lab.require(handed == [.accepted, .accepted], "\(handed)")
      host.beginGesture(second)
      let completes = lab.flip()
      lab.adversary("decide") {
        if completes { host.completeGesture(second) } else { host.cancelGesture(second) }
      }
      lab.adversary("a late report of the first") {
        stage.window.report(.gestureCancelled(first))
      }
      await lab.settle()
      await lab.advance(by: .seconds(6))
      await stage.window.settled()
      try lab.require(made[1].scope.isCurrent == completes, "the gesture decides")
      try lab.require(stage.scope.isCurrent == !(roots && completes))
      if !roots {
        try lab.require(old.isCurrent != completes)
        try lab.require(slot.child?.id == (completes ? second : old.id), "the slot holds the other")
      }
      try lab.require(host.screens == stage.window.navigation, "\(host.screens)")
      try await stage.close()
    }

    // Fault: with many keys one is lost while something runs or waits under it.
    rule("keys are many, and each is kept while it is in use", 14) { lab in
      let stage = try Stage(lab)
      let gate = lab.gate("work", .deaf)
      var heard: [Int] = []
      var begun = 0
      for number in 0..<40 {
        let policy: OperationPolicy =
          switch number % 4 {
          case 0: .queue
          case 1: .concurrent(2)
          case 2: .debounce(.seconds(1))
          default: .first
          }
        for round in 0..<3 {
          let run = stage.scope.perform("\(number)", policy) {
            if number % 4 != 2, number < 12 { try await gate.wait() }
          } then: { _ in
            heard.append(number)
          }
          if round == 2, number % 4 != 2, number % 4 != 3 { run.cancel() }
          begun += 1
        }
      }
      try lab.require(heard.isEmpty && begun == 120)
      lab.adversary("go on") { gate.open() }
      await lab.settle()
      while gate.waiterCount > 0 {
        gate.open()
        await lab.settle()
      }
      await lab.advance(by: .seconds(1))
      for number in 0..<40 {
        let times = heard.count { $0 == number }
        // A queue and a line of two come to both that were not cancelled, the others to one.
        try lab.require(times == (number % 4 < 2 ? 2 : 1), "\(number): \(times)")
      }
      for number in 0..<40 {
        stage.scope.perform("\(number)", .first) {
        } then: { _ in
          heard = []
        }
      }
      await lab.settle()
      try lab.require(heard.isEmpty, "a key that is free begins")
      try await stage.close()
    }

    // Fault: a flow that has ended signs out, or refreshes, the session that goes on.
    rule("a flow that has ended changes nothing of a session that goes on", 18, 19) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let child = stage.scope.step()
      let scope = try found(child.flow?.scope)
      let session = try found(stage.runtime.session)
      lab.adversary("dismiss") { child.dismiss() }
      await lab.settle()
      try lab.require(
        scope.signOut() == .refused(.noSession) && scope.upgrade(to: Account("B")) == nil)
      try lab.require(scope.updateCredential([1]) == .refused(.noSession))
      try lab.require(scope.signIn(Account("B")) == nil && stage.runtime.session == session)
      try lab.require(scope.load("page", into: \.page, of: stage.root) { 1 }.isCurrent == false)
      try lab.require(stage.root.page == .idle, "a flow that has ended loads")
      try lab.require(scope.navigate(.popToRoot(of: stage.scope.id)) == .refused(.originEnded))
      try lab.require(scope.guardDismissal({ .keep }, ask: { _ in }) == .refused(.workAfterEnd))
      try lab.require(
        stage.scope.updateCredential([2]) == .accepted && stage.scope.credential == [2])
      // A session that is not the open one takes no children, though another is open.
      let fixed = stage.runtime.openWindow(fixedRoot: Root { Step($0) })
      let outside = try found(fixed.rootFlow as? Step).scope
      try lab.require(outside.signOut() == .refused(.noSession) && outside.session == nil)
      try lab.require(outside.upgrade(to: Account("B")) == nil && outside.credential == nil)
      let old = stage.scope
      switch lab.choose(3) {
      case 0:
        let next = try found(stage.scope.upgrade(to: Account("B")))
        try lab.require(stage.runtime.session == next && next.account == Account("B"))
      case 1:
        let next = try found(stage.scope.signIn(Account("B")))
        try lab.require(stage.runtime.session == next)
      default: try lab.require(stage.scope.signOut() == .accepted && stage.runtime.session == nil)
      }
      try lab.require(!outside.step(in: session).isCurrent, "a closed session takes a child")
      try lab.require(!old.isCurrent && old.signOut() == .refused(.noSession))
      try lab.require(old.upgrade(to: Account("C")) == nil)
      try lab.require(outside.handOver(Handover(name: "x", body: [])) == .refused(.noSession))
      fixed.close()
      try await stage.close()
    }

    // Fault: what a child takes the place of stays, or the host loses what is below.
    rule("a child that starts as a root takes the place of all above its owner", 25, 24) { lab in
      let host = RecordingHost()
      let stage = try Stage(lab, host: host)
      let lower = stage.scope.step(as: .push)
      let upper = stage.scope.step(as: .push)
      let scope = try found(lower.flow?.scope)
      let isGone = lab.choose(3)
      lab.adversary("dismiss") { if isGone == 1 { upper.dismiss() } }
      lab.adversary("root") {
        guard scope.isCurrent else { return }
        let child = scope.step(as: .root, start: { if isGone == 2 { $0.scope.finish(1) } })
        lab.check(!upper.isCurrent && lower.isCurrent, "what is above stays")
        let flows = [stage.scope.id, lower.id] + (isGone == 2 ? [] : [child.id])
        lab.check(stage.window.navigation.flows == flows, "\(stage.window.navigation)")
      }
      await lab.settle()
      await lab.advance(by: .seconds(6))
      try lab.require(host.screens == stage.window.navigation, "\(host.screens)")
      let endings = stage.oracle.endings(of: upper.id)
      try lab.require(endings == [.replaced] || endings == [.dismissed], "\(endings)")
      // Below one that has ended nothing is cleared away.
      let last = stage.scope.step(as: .push)
      let dead = try found(last.flow?.scope)
      last.dismiss()
      let flows = stage.window.navigation.flows
      dead.step(as: .root)
      try lab.require(stage.window.navigation.flows == flows)
      try await stage.close()
    }
  }
}
