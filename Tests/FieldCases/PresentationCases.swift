// Going back, gestures and transitions: what the user does with the screens.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct PresentationCases {
  // Fault: the user presses Next, then Back while the load still runs, and the next screen opens
  // anyway a moment later.
  @Test(arguments: Disturbance.all)
  func c01_goingBackDoesNotStopTheNextScreen_onTheHost(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      let remote = Remote<String>(play.lab, "g", .deaf)
      guard
        let child = play.scope?.open(
          "F",
          onStart: { flow in
            flow.scope.perform("load") {
              try await remote.call()
            } then: { _ in
              play.notes.add("handled")
              flow.scope.open("B")
            }
          })
      else { return }
      play.host.answerAll()
      await play.step()
      _ = play.commands()
      play.host.swipe(child.id)
      await play.step()
      remote.gate.open(with: "value")
      await play.step()
      try play.check(play.endings(of: child.id) == [.dismissed])
      try play.check(play.commands().isEmpty)
      try play.lab.require(play.notes.lines.isEmpty || play.endings(of: child.id) != [.dismissed])
      try play.check(play.outcomes(of: "load") == [.cancelled(.flowEnded)])
    }
  }

  // Fault: an action that was queued while the UI was busy fires after an account switch.
  @Test(arguments: Disturbance.all)
  func c09_queuedIntentRunsAgainstAnotherSession(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      let sheet = play.scope?.open("sheet", as: .sheet)
      let order = play.scope?.open("order 7")
      let select = play.scope?.navigate(.dismiss(sheet?.id ?? FlowID(rawValue: 0)))
      try play.check(order?.screenState == .waiting)
      try play.check(select == .held(.transition))
      await play.step()
      play.runtime.signOut()
      play.runtime.signIn(Account("B"))
      await play.step()
      let first = play.scope?.open("first")
      let second = play.scope?.open("second")
      play.host.answerAll()
      await play.step()
      guard let order, let first, let second, let sheet else { return }
      try play.lab.require(!play.host.shown.contains(order.id), "order 7 is shown to B")
      try play.check(play.endings(of: order.id) == [.sessionEnded])
      try play.check(
        play.log.events.contains(.requestDropped(order.id, .sessionEnded)), "not told as dropped")
      try play.check(play.runtime.refusals[.requestDropped] == 1)
      try play.check(play.endings(of: sheet.id) == [.sessionEnded])
      let shown = play.host.shown.filter { [first.id, second.id].contains($0) }
      try play.check(shown == [first.id, second.id])
      try play.check(second.screenState == .shown)
    }
  }

  // Fault: closing by button cleans up, closing by swipe leaves the child in the list.
  @Test(arguments: Disturbance.all)
  func c25_swipeDownIsNotToldToTheCoordinator_swiped(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      let child = play.scope?.open("C", as: .sheet) { play.notes.add("ended \($0.kind)") }
      play.host.answerAll()
      await play.step()
      guard let child else { return }
      _ = play.commands()
      play.host.swipe(child.id)
      try play.check(play.endings(of: child.id) == [.dismissed])
      try play.check(play.notes.lines == ["ended dismissed"])
      try play.check(play.commands().isEmpty)
      await play.step()
      // Again, and for a flow that never was: counted, and nothing else.
      play.host.swipe(child.id)
      play.window.report(.didDismiss(FlowID(rawValue: 999_999)))
      await play.step()
      try play.check(play.runtime.refusals == [.unknownFlow: 2])
      try play.lab.require(play.notes.count("ended dismissed") <= 1)
    }
  }

  // Fault: where both paths fire, clean-up runs twice.
  @Test(arguments: Disturbance.all)
  func c25_swipeDownIsNotToldToTheCoordinator_both(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      let child = play.scope?.open("C", as: .sheet) { play.notes.add("ended \($0.kind)") }
      play.host.answerAll()
      await play.step()
      _ = play.commands()
      guard let child else { return }
      let dismissal = child.dismiss()
      try play.check(dismissal.acceptance == .accepted)
      await play.step()
      try play.check(play.commands() == [.dismiss(child.id)])
      play.host.answer()
      play.window.report(.didDismiss(child.id))
      await play.step()
      try play.check(play.commands().isEmpty)
      try play.check(play.notes.lines == ["ended dismissed"])
      let settled = await dismissal.settled()
      try play.check(settled == .done)
    }
  }

  // Fault: clean-up runs when the gesture starts; the user lets go, and the screen that stays has
  // lost its coordinator.
  @Test(arguments: Disturbance.all)
  func c26_startedBackSwipeCountsAsClosed(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      let remotes = [Remote<String>(play.lab, "a"), Remote<String>(play.lab, "b")]
      let a = play.scope?.open(
        "A",
        doing: { flow in
          flow.scope.perform("a") { try await remotes[0].call() }
        })
      let b = a?.flow?.scope.open(
        "B", onStart: { flow in flow.scope.perform("b") { try await remotes[1].call() } },
        onOutput: { play.notes.add($0) }, onEnding: { _ in play.notes.add("ended") })
      play.host.answerAll()
      await play.step()
      guard let b else { return }
      _ = play.commands()
      play.host.beginGesture(b.id)
      await play.step()
      try play.check(play.window.transition == .gesture(b.id))
      b.flow?.scope.emit("during the gesture")
      play.host.cancelGesture(b.id)
      await play.step()
      try play.check(b.isCurrent)
      try play.check(play.notes.lines == ["during the gesture"])
      try play.check(remotes.map(\.pending) == [1, 1])
      try play.check(play.commands().isEmpty)
      try play.check(play.window.navigation.top?.id == b.id)
      // The next one is completed, and takes away B only.
      play.host.beginGesture(b.id)
      await play.step()
      play.host.completeGesture(b.id)
      await play.step()
      try play.check(play.endings(of: b.id) == [.dismissed])
      try play.check(a?.isCurrent ?? false)
      try play.check(play.commands().isEmpty)
      try play.lab.require(play.notes.count("ended") <= 1)
    }
  }

  // Fault: what is asked for while the user's finger is down reaches the host in the middle of it.
  @Test(arguments: Disturbance.all)
  func c26_startedBackSwipeCountsAsClosed_requestsWait(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      let b = play.scope?.open("B")
      play.host.answerAll()
      await play.step()
      guard let b else { return }
      play.host.beginGesture(b.id)
      await play.step()
      _ = play.commands()
      let sheet = play.scope?.open("sheet", as: .sheet)
      let dismissal = b.dismiss()
      await play.step()
      try play.check(play.commands().isEmpty)
      try play.check(b.screenState == .leaving)
      play.host.completeGesture(b.id)
      await play.step()
      guard let sheet, let root = play.scope else { return }
      try play.check(play.commands() == [.show(sheet.id, as: .sheet, over: root.id)])
      play.host.answerAll()
      let settled = await dismissal.settled()
      try play.check(settled == .done)
    }
  }

  // Fault: the late report of the first of two quick swipes puts the second screen back.
  @Test(
    arguments: Disturbance.all, [[1, 2], [2, 1], [1, 1, 2, 2], [2]])
  func c29_twoQuickSwipes(_ disturbance: Disturbance, _ order: [Int]) async throws {
    try await Play.run(disturbance) { play in
      let b = play.scope?.open("B") { play.notes.add("B \($0.kind)") }
      let c = play.scope?.open("C") { play.notes.add("C \($0.kind)") }
      play.host.answerAll()
      await play.step()
      _ = play.commands()
      guard let b, let c, let root = play.scope, play.host.screens.contains(c.id) else { return }
      play.host.swipe(c.id)
      for index in order {
        play.host.swipe(index == 1 ? b.id : c.id)
        await play.step()
      }
      try play.check(play.commands().allSatisfy { if case .show = $0 { false } else { true } })
      if order.contains(1) {
        try play.check(play.window.navigation.flows == [root.id])
        try play.check(play.endings(of: b.id) == [.dismissed])
      }
      try play.check(play.endings(of: c.id) == [.dismissed])
      try play.lab.require(play.notes.count("C dismissed") <= 1)
    }
  }

  // Fault: the same with the reports as they come from the host: first the lower screen, whose
  // leaving takes the upper one along whoever owns it.
  @Test(arguments: Disturbance.all, [[1, 2], [2, 1]])
  func c29_twoQuickSwipes_reportsCommute(_ disturbance: Disturbance, _ order: [Int]) async throws {
    try await Play.run(disturbance) { play in
      let b = play.scope?.open("B")
      let c = play.scope?.open("C")
      play.host.answerAll()
      await play.step()
      _ = play.commands()
      guard let b, let c else { return }
      for index in order {
        play.window.report(.didDismiss(index == 1 ? b.id : c.id))
        await play.step()
      }
      try play.check(play.endings(of: b.id) == [.dismissed])
      try play.check(play.endings(of: c.id) == [.dismissed])
      try play.check(play.commands().allSatisfy { if case .show = $0 { false } else { true } })
      try play.check(play.window.navigation.flows.count == 1)
      // What the host shows was not told by the host's own hands here.
      play.host.swipe(b.id)
    }
  }
}

extension FlowScope {
  /// Starts a screen and hears how it ends.
  @discardableResult
  func open(
    _ name: String, as presentation: Presentation = .push,
    _ onEnding: @escaping @MainActor (Ending<String>) -> Void
  ) -> Child<Screen> {
    open(name, as: presentation, onEnding: onEnding)
  }

  /// Starts a screen that does something in its start.
  @discardableResult
  func open(
    _ name: String, as presentation: Presentation = .push,
    doing onStart: @escaping @MainActor (Screen) -> Void
  ) -> Child<Screen> {
    open(name, as: presentation, onStart: onStart)
  }
}
