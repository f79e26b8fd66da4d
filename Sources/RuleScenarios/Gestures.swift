// R24: only what happened ends a flow; a replacement that a gesture decides about holds its work; and
// work that is to be seen follows what covers it.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var gestures: [Scenario] {
    // Fault: a gesture that is let go ends a flow, or one that is completed ends it twice.
    rule("a gesture that began changes nothing, completed it ends the flow once", 24, 2) { lab in
      let host = RecordingHost()
      let stage = try Stage(lab, signedInAs: "A", host: host)
      let lower = stage.scope.step(as: .push)
      let upper = stage.scope.step(as: .push)
      let sheet = stage.scope.step(as: .sheet)
      let flows = [lower.id, upper.id, sheet.id]
      let subject = lab.choose(from: [upper, sheet, lower])
      host.beginGesture(subject.id)
      try lab.require(flows == stage.window.navigation.flows.filter(flows.contains))
      try lab.require(stage.window.transition == .gesture(subject.id), "a gesture is going on")
      let completes = lab.flip()
      let connection = stage.window.connection
      let id = subject.id
      let report: HostReport = completes ? .gestureCompleted(id) : .gestureCancelled(id)
      if completes { host.completeGesture(id, reporting: false) }
      for _ in 0..<2 { Task.detached { connection.report(report) } }
      lab.adversary("start") { _ = stage.scope.step(as: .cover) }
      if lab.flip() { lab.adversary("dismiss") { subject.dismiss() } }
      await lab.settle()
      if !completes, stage.oracle.endings(of: id).isEmpty {
        try lab.require(lower.isCurrent && upper.isCurrent && sheet.isCurrent, "one has ended")
      }
      if completes { try lab.require(stage.oracle.endings(of: id) == [.dismissed]) }
      if id == lower.id, completes { try lab.require(!upper.isCurrent, "what is above leaves too") }
      await lab.advance(by: .seconds(6))
      await stage.window.settled()
      try lab.require(stage.window.transition == nil, "\(stage.window.transition as Any)")
      try lab.require(host.screens == stage.window.navigation, "\(host.screens)")
      try await stage.close()
    }

    // Fault: what a screen asked for in a gesture that was let go is done all the same, or lost
    // when it is completed.
    rule("an interactive replacement is provisional: its work is held until the commit", 24, 14) {
      lab in
      let host = RecordingHost()
      let stage = try Stage(lab, signedInAs: "A", host: host) { _, _ in }
      let slot = Slot<Step>()
      let old = stage.scope.start(in: slot, as: .push) { Step($0) }
      var done: Set<String> = []
      var isCommitted = false
      @MainActor func note(_ what: String) {
        lab.check(isCommitted, "\(what) is done before the commit")
        done.insert(what)
      }
      let new = stage.scope.start(in: slot, as: .push, interactively: true) { scope in
        Step(
          scope,
          start: { step in
            step.scope.task { note("task") }
            step.scope.perform("work") {
            } then: { _ in
              note("work")
            }
            step.scope.perform(JoinKey<Int>("joined")) {
              1
            } then: { _ in
              note("joined")
            }
            step.scope.every(.seconds(1)) { note("every") }
            step.scope.step(as: .sheet) { inner in inner.scope.task { note("below") } }
          })
      }
      try lab.require(old.isCurrent && new.isCurrent && slot.child?.id == old.id)
      try lab.require(!stage.window.navigation.contains(new.id), "it is shown before the commit")
      host.beginGesture(new.id)
      await lab.advance(by: .seconds(2))
      try lab.require(done.isEmpty, "\(done)")
      let completes = lab.flip()
      lab.adversary("decide") {
        let decided = !new.isCurrent || !old.isCurrent
        if completes {
          isCommitted = !decided
          host.completeGesture(new.id)
          lab.check(decided || (!old.isCurrent && new.isCurrent), "it is not committed")
          if !decided { lab.check(slot.child?.id == new.id, "the slot holds the new one") }
        } else {
          host.cancelGesture(new.id)
          lab.check(decided || (old.isCurrent && !new.isCurrent), "it is not let go")
          if !decided { lab.check(slot.child?.id == old.id, "the slot holds the old one") }
        }
      }
      let way = lab.choose(4)
      lab.adversary("strike") {
        switch way {
        case 1: new.dismiss()
        case 2: old.dismiss()
        case 3: stage.runtime.signOut()
        default: break
        }
      }
      await lab.settle()
      host.answerAll()
      await lab.advance(by: .seconds(1))
      await lab.advance(by: .seconds(5))
      if isCommitted, new.isCurrent {
        let all: Set = ["task", "work", "joined", "every", "below"]
        try lab.require(done == all, "\(done)")
        let scope = try found(new.flow?.scope)
        scope.task { note("later") }
        await lab.settle()
        try lab.require(done.contains("later"), "it is held after the commit")
        done.remove("later")
      }
      if !isCommitted { try lab.require(done.isEmpty, "\(done)") }
      if way == 0 {
        try lab.require(stage.oracle.endings(of: old.id) == (completes ? [.replaced] : []))
        try lab.require(stage.oracle.endings(of: new.id) == (completes ? [] : [.dismissed]))
      }
      await stage.window.settled()
      try lab.require(host.screens == stage.window.navigation, "\(host.screens)")
      try await stage.close()
    }

    // Fault: a list that was left while it loads stays empty, or loads on unseen.
    rule("work that is to be seen stops when covered and begins again when shown", 24, 16) { lab in
      let host = RecordingHost()
      let stage = try Stage(lab, signedInAs: "A", host: host)
      let answer = lab.gate(of: Int.self, "answer")
      let screen = stage.scope.step(as: .push)
      let scope = try found(screen.flow?.scope)
      let flow = try found(screen.flow)
      var isCovered = 0
      var heard: [Int] = []
      scope.perform("seen", lifetime: .appearance) {
        try await answer.wait()
      } then: { result in
        lab.check(isCovered == 0, "it is heard while it is covered")
        if case .success(let value) = result { heard.append(value) }
      }
      scope.load("page", into: \.page, of: flow, lifetime: .appearance) { try await answer.wait() }
      let way = lab.choose(3)
      var cover: Child<Step>?
      lab.adversary("cover") {
        isCovered += 1
        switch way {
        case 0: cover = scope.step(as: .cover)
        case 1: stage.window.report(.didCover(screen.id))
        default: cover = stage.scope.step(as: .push)
        }
        if screen.isCurrent { lab.check(!flow.page.isLoading || !heard.isEmpty, "it loads unseen") }
      }
      lab.adversary("answer") { answer.open(with: 1) }
      await lab.settle()
      let wasHeard = heard
      scope.perform("late", lifetime: .appearance) {
      } then: { _ in
        lab.check(isCovered == 0, "it runs while it is covered")
        heard.append(2)
      }
      await lab.settle()
      try lab.require(heard == wasHeard && !flow.page.isLoading, "\(heard)")
      isCovered = 0
      if way == 1 { stage.window.report(.didUncover(screen.id)) } else { cover?.dismiss() }
      await lab.settle()
      answer.open(with: 1)
      answer.open(with: 1)
      await lab.settle()
      try lab.require(heard.filter { $0 == 1 }.count == 1, "\(heard)")
      try lab.require(heard.contains(2), "it does not begin again")
      try lab.require(flow.page == .loaded(1), "\(flow.page)")
      // A flow that ends while it is covered begins nothing again.
      let before = heard.count
      let last = scope.step(as: .cover)
      scope.perform("again", lifetime: .appearance) {
      } then: { _ in
        heard.append(3)
      }
      lab.adversary("end") { screen.dismiss() }
      lab.adversary("uncover") { last.dismiss() }
      await lab.settle()
      try lab.require(heard.count <= before + 1, "\(heard)")
      try await stage.close()
    }
  }
}
