// R24 to R28: what is shown is what lives; commands and dismissals are answered; guards are asked once.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var presentation: [Scenario] {
    // Fault: any by which what is shown, what lives and what the host has come apart.
    rule("random sequences of commands and reports agree with the rules", 24, 25, 26) { lab in
      let seed = UInt64(lab.choose(2_000)) + 1
      try await NavigationRun.play(NavigationStep.sequence(seed: seed), in: lab)
    }

    // Fault: two quick taps open a screen twice, or a replaced one stays.
    rule("two starts in a slot with one id are one child, and another id replaces it", 25, 1) {
      lab in
      let host = RecordingHost()
      let stage = try Stage(lab, host: host)
      let keeps = lab.flip()
      let slot = Slot<Step>(keeps ? .keep : .replace)
      var built = 0
      var endings: [EndingKind] = []
      @MainActor func start(_ id: Int?) -> Child<Step> {
        let build: @MainActor (FlowScope<Int>) -> Step = {
          built += 1
          return Step($0)
        }
        if let id {
          return stage.scope.start(
            in: slot, id: id, as: .push, { build($0) }, onEnding: { endings.append($0.kind) })
        }
        return stage.scope.start(
          in: slot, as: .push, { build($0) }, onEnding: { endings.append($0.kind) })
      }
      for _ in 0..<2 {
        Task {
          await Task.yield()
          let child = start(7)
          lab.check(child.isCurrent && slot.child?.id == child.id, "the slot holds it")
        }
      }
      await lab.settle()
      try lab.require(built == 1, "two starts are two flows")
      let first = try found(slot.child)
      let other = lab.choose(from: [8, nil])
      lab.adversary("another") {
        let stays = keeps && first.isCurrent
        let child = start(other)
        lab.check(!stays || child.id == first.id, "what is to be kept is replaced")
        lab.check(slot.child?.id == child.id, "the slot holds the newest")
        lab.check(keeps || !first.isCurrent, "the old one is replaced in the call")
      }
      lab.adversary("dismiss") {
        first.dismiss()
        lab.check(!first.isCurrent && slot.child?.id != first.id, "an ended child leaves its slot")
      }
      await lab.settle()
      try lab.require(endings.count <= 1, "\(endings)")
      try lab.require(host.screens == stage.window.navigation, "\(host.screens)")
      let twice = stage.scope.step()
      let more = stage.scope.step()
      try lab.require(twice.id != more.id && twice.isCurrent && more.isCurrent, "without a slot")
      try await stage.close()
    }

    // Fault: a dismissal waits for a host that says nothing, or a request outlives who asked.
    rule("a dismissal ends at once and settles by the host, or at its limit", 26) { lab in
      let host = RecordingHost(.whenTold)
      let stage = try Stage(lab, signedInAs: "A", host: host)
      host.answerAll()
      let child = stage.scope.step(as: .sheet)
      var shown: Showing?
      Task { shown = await child.shown() }
      await lab.settle()
      host.answer()
      await lab.settle()
      try lab.require(shown == .shown && child.screenState == .shown)
      var settlement: Dismissal.Settlement?
      var asked: Child<Step>?
      let asker = stage.scope.step()
      let askerScope = try found(asker.flow?.scope)
      lab.adversary("dismiss") {
        let isFirst = child.isCurrent
        let dismissal = child.dismiss()
        lab.check(dismissal.acceptance.isAccepted == isFirst && !child.isCurrent, "it ends once")
        if isFirst { lab.check(child.screenState == .leaving, "\(child.screenState)") }
        lab.check(!stage.window.navigation.contains(child.id), "it is shown after its end")
        Task {
          let outcome = await dismissal.settled()
          settlement = outcome
          let isGone = child.screenState == .gone
          lab.check(isGone || outcome == .hostTimeout, "it settles before the host has answered")
          let isOver = lab.clock.now.elapsed >= .seconds(5)
          lab.check(isOver || outcome == .done, "the limit comes early")
        }
        // What is asked for in a transition waits, and goes with who asked.
        asked = askerScope.step(as: .sheet)
        let state = asker.isCurrent ? ScreenState.waiting : .gone
        if isFirst {
          lab.check(asked?.screenState == state, "\(asked?.screenState as Any), not \(state)")
        }
        let held = askerScope.navigate(.dismiss(stage.root.scope.id))
        let refusal = asker.isCurrent ? CommandRefusal.isRoot : .originEnded
        lab.check(held == .refused(refusal), "what cannot be done is not held: \(held)")
      }
      lab.adversary("the asker ends") { asker.dismiss() }
      let way = lab.choose(3)
      lab.adversary("host") {
        switch way {
        case 0: host.answerAll()
        case 1: host.ignore()
        default: stage.window.report(.didDismiss(child.id))
        }
      }
      await lab.settle()
      try lab.require(child.screenState == .leaving || child.screenState == .gone)
      await lab.advance(by: .seconds(4))
      let isAnswered = settlement != nil
      await lab.advance(by: .seconds(6))
      let outcome = try found(settlement)
      try lab.require(outcome == .done || (outcome == .hostTimeout && !isAnswered), "\(outcome)")
      host.answerAll()
      await stage.window.settled()
      if let asked { try lab.require(!host.shown.contains(asked.id) || asked.screenState == .gone) }
      try lab.require(stage.window.transition == nil, "nothing is going on")
      try lab.require(!stage.window.navigation.contains(child.id) && child.screenState == .gone)
      try await stage.close()
    }

    // Fault: the user is asked twice, for nothing, or after the flow has gone.
    rule("a guard is asked for a real attempt only, one question at a time", 27) { lab in
      let host = RecordingHost()
      let stage = try Stage(lab, signedInAs: "A", host: host)
      let child = stage.scope.step(as: .sheet)
      let scope = try found(child.flow?.scope)
      var verdicts = 0
      var questions: [DismissalQuestion] = []
      let verdict = lab.choose(from: [DismissalVerdict.ask, .keep, .letGo])
      scope.guardDismissal {
        verdicts += 1
        lab.check(scope.isCurrent && !questions.contains(where: \.isOpen), "asked while it asks")
        return verdict
      } ask: {
        questions.append($0)
      }
      try lab.require(stage.window.connection.isGuarded(child.id))
      stage.window.report(.gestureBegan(child.id))
      stage.window.report(.gestureCancelled(child.id))
      try lab.require(verdicts == 0, "a gesture that is let go asks nobody")
      for _ in 0..<2 {
        lab.adversary("attempt") { stage.window.report(.attemptBlocked(child.id)) }
      }
      lab.adversary("back") {
        let isThere = child.isCurrent
        let answer = stage.window.navigate(.dismiss(child.id), from: .user)
        switch (isThere, verdict) {
        case (false, _): lab.check(answer == .refused(.unknownFlow), "\(answer)")
        case (_, .ask): lab.check(answer == .held(.question(child.id)), "\(answer)")
        case (_, .keep): lab.check(answer == .refused(.kept(by: child.id)), "\(answer)")
        case (_, .letGo): lab.check(answer == .done && !child.isCurrent, "\(answer)")
        }
      }
      let way = lab.choose(3)
      lab.adversary("answer") {
        guard let question = questions.last else { return }
        let wasOpen = question.isOpen
        let answer = question.answer(way == 0 ? .stay : .discard)
        lab.check(answer.isAccepted == wasOpen, "an answer that is not open any more counts")
        lab.check(question.answer(.discard) != .accepted, "a question is answered once")
        if wasOpen { lab.check(child.isCurrent == (way == 0), "the answer is not done") }
      }
      if way == 2 { lab.adversary("app") { child.dismiss() } }
      await lab.settle()
      try lab.require(questions.count { $0.isOpen } <= 1, "two questions are open")
      try lab.require(verdict == .ask || questions.isEmpty, "a question without a verdict")
      if verdict == .keep, way != 2 { try lab.require(child.isCurrent && verdicts == 3) }
      if verdict == .letGo { try lab.require(!child.isCurrent && verdicts <= 1) }
      if verdict == .ask, questions.isEmpty { try lab.require(way == 2 && verdicts == 0) }
      if child.isCurrent {
        scope.removeDismissalGuard()
        try lab.require(
          questions.allSatisfy { !$0.isOpen } && !stage.window.connection.isGuarded(child.id))
        try lab.require(stage.window.navigate(.dismiss(child.id), from: .user) == .done)
      }
      try lab.require(questions.allSatisfy { $0.answer(.discard) != .accepted })
      try lab.require(host.screens == stage.window.navigation)
      try await stage.close()
    }

    // Fault: a view is made anew at each look, or for a flow that is not on display.
    rule("the view for a flow is made once, and not for one that has gone", 28) { lab in
      final class View {}
      let stage = try Stage(lab, host: RecordingHost())
      let child = stage.scope.step(as: .push)
      let inline = stage.scope.step()
      var made = 0
      var views: [View] = []
      let window = stage.window
      for _ in 0..<3 {
        Task {
          await Task.yield()
          let isThere = child.isCurrent
          let view = window.view(for: child.id) { _ in
            made += 1
            return View()
          }
          lab.check((view != nil) == isThere, "a view of a flow that is not on display")
          if let view { views.append(view) }
          lab.check((window.flow(child.id) != nil) == isThere, "a flow that is not on display")
        }
      }
      lab.adversary("dismiss") { child.dismiss() }
      await lab.settle()
      try lab.require(made <= 1, "a view is made \(made) times")
      try lab.require(views.allSatisfy { $0 === views[0] })
      try lab.require(window.view(for: inline.id) { _ in View() } == nil, "it has no screen")
      try await stage.close()
    }

    // Fault: an answer that was not offered, or a question that outlives who asked.
    rule("an alert is answered once by a button it has, and leaves with who asked", 27, 10) { lab in
      let stage = try Stage(lab, signedInAs: "A", host: RecordingHost())
      let alert = Alert(
        "Sure?", asConfirmation: lab.flip(), buttons: [.init("Yes", 1), .init("No", 2)])
      let asker = stage.scope.step(as: .push)
      let scope = try found(asker.flow?.scope)
      var answers: [Int?] = []
      let asked = scope.ask(alert) { answers.append($0) }
      var waited: [Int?] = []
      scope.task { waited.append(await scope.ask(alert)) }
      let flow = try found(asked.flow)
      try lab.require(flow.content.buttons.map(\.title) == ["Yes", "No"])
      lab.adversary("choose") {
        lab.check(flow.choose(2) != .accepted && flow.choose(-1) != .accepted, "no such button")
        let wasCurrent = asked.isCurrent
        lab.check(flow.choose(1).isAccepted == wasCurrent, "it is answered while it is open")
        lab.check(flow.choose(0) != .accepted, "it is answered once")
      }
      let way = lab.choose(2)
      lab.adversary("leave") { if way == 0 { asker.dismiss() } else { asked.dismiss() } }
      await lab.settle()
      if way == 1 { try lab.require(answers == [2] || answers == [nil], "\(answers)") }
      if way == 0 { try lab.require(answers == [2] || answers.isEmpty, "\(answers)") }
      try lab.require(!asked.isCurrent)
      if way == 1 { try lab.require(waited.isEmpty && scope.isCurrent, "the other is still open") }
      try await stage.close()
    }
  }
}
