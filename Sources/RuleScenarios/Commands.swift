// R25 and R26: commands that have to wait, and what becomes of them; timers among each other.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var commands: [Scenario] {
    // Fault: the answer names a flow that has ended, is passed over, and the window waits for the host's
    // whole limit.
    rule("the answer to a selection is taken also when its tab has ended", 26) { lab in
      let host = RecordingHost(.whenTold)
      let stage = try Stage(lab, signedInAs: "A", host: host)
      let tabs = (0..<2).map { _ in stage.scope.step(as: .tab) }
      host.answerAll()
      await lab.settle()
      stage.window.navigate(.select(tabs[1].id))
      lab.adversary("the tab ends") { tabs[1].cancel() }
      await lab.settle()
      host.answerAll()
      await lab.settle()
      host.answerAll()
      await lab.settle()
      let waits = stage.window.transition.map { "it waits for \($0)" } ?? ""
      try lab.require(stage.window.transition == nil, waits)
      try lab.require(host.screens == stage.window.navigation)
      try await stage.close()
    }

    // Fault: an older deed of the user is taken for the host's answer, which is lost, and a newer one
    // for his latest word: the host shows one tab, and the tree has another.
    rule("the tree and the host have one tab, though the answer to a selection is lost", 26) {
      lab in
      let host = RecordingHost(.whenTold)
      let stage = try Stage(lab, host: host)
      let tabs = (0..<3).map { _ in stage.scope.step(as: .tab) }
      await lab.settle()
      host.answerAll()
      let deeds = [1, 2].map { host.tap(tabs[$0].id, reporting: false) }
      stage.window.navigate(.select(tabs[1].id))
      lab.adversary("done, and the answer lost") { host.answer(reporting: false) }
      lab.adversary("reports of the user") {
        for deed in deeds { host.connection?.report(deed) }
      }
      await lab.settle()
      await lab.advance(by: .seconds(6))
      host.answerAll()
      await lab.settle()
      try lab.require(host.screens == stage.window.navigation, "\(host.screens)")
      try await stage.close()
    }

    // Fault: a command is carried out after the flow or the session that asked for it has ended.
    rule("a command that waits is dropped with who asked for it", 25, 26) { lab in
      let host = RecordingHost(.whenTold)
      let stage = try Stage(lab, signedInAs: "A", host: host)
      host.answerAll()
      let fixed = stage.runtime.openWindow(host: nil, fixedRoot: Root { Step($0) })
      let lower = stage.scope.step(as: .push)
      let upper = stage.scope.step(as: .push)
      host.answerAll()
      let asker = stage.scope.step()
      let scope = try found(asker.flow?.scope)
      _ = stage.scope.step(as: .sheet)
      let way = lab.choose(3)
      let command = NavigationCommand.pop(to: stage.scope.id)
      let answer =
        switch way {
        case 0: scope.navigate(command)
        case 1: stage.window.navigate(command, from: .app)
        default: stage.window.navigate(command, from: .flow(upper.id))
        }
      try lab.require(answer == .held(.transition) && lower.isCurrent, "\(answer)")
      var isDropped = false
      let strikes = lab.flip()
      if strikes {
        lab.adversary("who asked ends") {
          isDropped = lower.isCurrent
          switch way {
          case 0: asker.dismiss()
          case 1: stage.runtime.signIn(Account("A"))
          default: upper.dismiss()
          }
        }
      }
      lab.adversary("answer") { host.answer() }
      await lab.settle()
      if lab.flip() { await lab.advance(by: .seconds(5)) }
      host.answerAll()
      await lab.settle()
      host.answerAll()
      let endings = stage.oracle.endings(of: lower.id)
      if isDropped {
        try lab.require(endings == (way == 1 ? [.sessionEnded] : []), "\(endings)")
        try lab.require(stage.refused(.requestDropped) == 1 || way == 1, "it is counted")
      } else {
        try lab.require(endings == [.dismissed], "\(endings)")
      }
      stage.window.close()
      try lab.require(stage.window.navigate(command) == .refused(.closed))
      try lab.require(stage.window.navigation == Navigation() && fixed.rootFlow != nil)
      try lab.require(stage.window.replaceRoot(Root { Step($0) }) == .refused(.closed))
      fixed.close()
      try await stage.close()
    }

    // Fault: a command or a report hits a screen that it does not name.
    rule("commands and reports of the user do what they name, or are refused", 25, 24) { lab in
      let host = RecordingHost()
      let stage = try Stage(lab, host: host)
      let tabs = (0..<3).map { _ in stage.scope.step(as: .tab) }
      let inner = try found(tabs[0].flow?.scope).step(as: .push)
      let root = stage.scope.id
      var selected = tabs[0].id
      @MainActor func tab() -> FlowID? { stage.window.navigation.screen(root)?.selectedTab }
      try lab.require(tab() == selected && inner.isCurrent)
      let unknown = FlowID(rawValue: 1 << 40)
      for command in [
        .select(unknown), .pop(to: unknown), .popToRoot(of: unknown), .dismiss(unknown),
      ]
        as [NavigationCommand]
      { try lab.require(stage.window.navigate(command) == .refused(.unknownFlow), "\(command)") }
      try lab.require(stage.window.navigate(.select(inner.id)) == .refused(.notATab))
      try lab.require(stage.window.navigate(.select(root)) == .refused(.notATab))
      try lab.require(stage.window.navigate(.dismiss(root)) == .refused(.isRoot))
      try lab.require(stage.window.navigate(.pop(to: inner.id)) == .refused(.nothingToPop))
      try lab.require(stage.window.navigate(.popToRoot(of: root)) == .refused(.nothingToPop))
      lab.adversary("select") {
        let answer = stage.window.navigate(.select(tabs[1].id))
        if tabs[1].isCurrent { selected = tabs[1].id }
        lab.check((answer == .done) == tabs[1].isCurrent, "\(answer)")
      }
      lab.adversary("tap") {
        guard tabs[2].isCurrent else { return }
        host.tap(tabs[2].id)
        selected = tabs[2].id
        lab.check(tab() == selected, "a tap does not count")
      }
      lab.adversary("pop") {
        let answer = stage.window.navigate(.popToRoot(of: tabs[0].id))
        lab.check(answer == .done && !inner.isCurrent && tabs[0].isCurrent, "\(answer)")
      }
      let goes = lab.flip()
      lab.adversary("a tab leaves") {
        guard goes, tabs[1].isCurrent else { return }
        tabs[1].dismiss()
        if selected == tabs[1].id { selected = tabs[2].id }
      }
      await lab.settle()
      try lab.require(tab() == selected, "\(tab() as Any), not \(selected)")
      stage.window.report(.didSelect(unknown))
      stage.window.report(.didSelect(root))
      stage.window.report(.gestureCancelled(unknown))
      stage.window.report(.gestureCompleted(unknown))
      stage.window.report(.attemptBlocked(unknown))
      stage.window.report(.didCover(unknown))
      try lab.require(stage.refused(.unknownFlow) == 6, "\(stage.refused(.unknownFlow))")
      try lab.require(host.screens == stage.window.navigation, "\(host.screens)")
      // A gesture over several: all above the one that is named go.
      let stack = (0..<3).map { _ in stage.scope.step(as: .sheet) }
      let pushed = (0..<3).map { _ in try? found(stack[2].flow?.scope).step(as: .push) }
      let target = lab.choose(2)
      if let subject = pushed[2]?.id, let below = pushed[target]?.id {
        host.completeGesture(subject, to: below, reporting: false)
        stage.window.report(.gestureCompleted(subject, to: below))
      }
      try lab.require(pushed.map { $0?.isCurrent } == [true, target == 1, false], "\(target)")
      try await stage.close()
    }

    // Fault: of many timers one comes late, early or twice.
    rule("timers come at their times, each once, and not when cancelled", 14, 16) { lab in
      let stage = try Stage(lab)
      let scope = stage.scope
      var order: [Int] = []
      var runs: [Int: TaskOperation] = [:]
      let lengths = (0..<14).map { _ in lab.choose(6) + 1 }
      for (number, seconds) in lengths.enumerated() {
        runs[number] = scope.task {
          try await scope.sleep(for: .seconds(seconds))
          lab.check(lab.clock.now.elapsed == .seconds(seconds), "\(number) comes at another time")
          order.append(number)
        }
      }
      let gone = (0..<14).filter { _ in lab.flip() }
      await lab.advance(by: .seconds(2))
      lab.adversary("cancel") { for number in gone { runs[number]?.cancel() } }
      await lab.settle()
      await lab.advance(by: .seconds(10))
      // Those of one time wake on the pool, and come in any order.
      let expected = lengths.indices.filter { lengths[$0] <= 2 || !gone.contains($0) }
      try lab.require(order.sorted() == expected, "\(order), not \(expected) of \(lengths)")
      try await stage.close()
    }
  }
}
