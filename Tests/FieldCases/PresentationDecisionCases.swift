// What the user decides: replacements by gesture, and the question before changes are lost.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct PresentationDecisionCases {
  /// How the gesture on a replacement ends.
  enum Decision: String, CaseIterable, Sendable { case cancelled, completed, limit }

  // Fault: the interactive replacement is cancelled, and the stack keeps both screens; or the new
  // one has called the server for nothing.
  @Test(arguments: Disturbance.all, Decision.allCases)
  func c28_cancelledInteractiveReplacement(
    _ disturbance: Disturbance, _ decision: Decision
  ) async throws {
    try await Play.run(disturbance) { play in
      let remotes = (0..<6).map { Remote<String>(play.lab, "g\($0)") }
      let calls = { remotes[1...].map(\.calls).reduce(0, +) }
      guard let a = play.scope else { return }
      a.perform("a") { try await remotes[0].call() }
      await play.step()
      _ = play.commands()
      let b = Box<Screen>()
      play.window.replaceRoot(
        Root(Screen.self) { scope in
          let screen = Screen(
            scope, "B",
            onStart: { flow in
              let scope = flow.scope
              scope.perform("perform") { try await remotes[1].call() }
              scope.perform("session", lifetime: .session) { try await remotes[2].call() }
              scope.perform(JoinKey<String>("joined"), .join, { try await remotes[3].call() }) {
                _ in
              }
              scope.task { _ = try await scope.value("value") { try await remotes[4].call() } }
              scope.open("inner") { inner in
                inner.scope.perform("inner") { try await remotes[5].call() }
              }
            }, onEnd: { _, ending in play.notes.add("B \(ending.kind)") })
          b.value = screen
          return screen
        }, interactively: true)
      await play.step()
      guard let id = b.value?.scope.id else { return }
      try play.check(
        play.commands() == [.replace(a.id, with: id, as: .root, over: nil, interactively: true)])
      try play.check(play.window.navigation.flows == [a.id])
      play.host.beginGesture(a.id, to: id)
      await play.step()
      try play.check(calls() == 0)
      try play.check(play.runtime.counts.flows == 3)
      let undecided = play.endings(of: id).isEmpty
      switch decision {
      case .cancelled: play.host.cancelGesture(a.id, to: id)
      case .completed: play.host.completeGesture(a.id, to: id)
      case .limit:
        a.open("waits")
        await play.lab.advance(by: .seconds(5))
      }
      await play.step()
      guard undecided, play.disturbance != .replacedRoot, play.disturbance != .lostHost else {
        return
      }
      switch decision {
      case .cancelled, .limit:
        try play.lab.require(calls() == 0, "remote calls of a flow that never was")
        try play.check(play.notes.lines == ["B dismissed"])
        try play.check(a.isCurrent && remotes[0].pending == 1)
        try play.check(play.runtime.counts.flows == (decision == .limit ? 2 : 1))
        try play.check(play.runtime.counts.operations == 1)
        try play.check(play.window.navigation.root?.screens.first?.id == a.id)
      case .completed:
        try play.check(calls() == 5)
        try play.check(play.endings(of: a.id) == [.replaced])
        try play.check(play.window.navigation.root?.screens.map(\.id).first == id)
        try play.check(play.window.navigation.flows.count == 2)
        try play.check(play.window.rootFlow === b.value)
      }
    }
  }

  // Fault: the same where a flow of the stack is replaced in its slot.
  @Test(arguments: Disturbance.all, [Decision.cancelled, .completed])
  func c28_cancelledInteractiveReplacement_inASlot(
    _ disturbance: Disturbance, _ decision: Decision
  ) async throws {
    try await Play.run(disturbance) { play in
      guard let root = play.scope else { return }
      let slot = Slot<Screen>()
      let a = root.start(in: slot, id: "a", as: .push) { Screen($0, "A") }
      root.open("above")
      play.host.answerAll()
      await play.step()
      let b = root.start(in: slot, id: "b", as: .push, interactively: true) { Screen($0, "B") }
      await play.step()
      try play.check(slot.child?.id == a.id)
      play.host.beginGesture(b.id)
      await play.step()
      if decision == .cancelled {
        play.host.cancelGesture(b.id)
      } else {
        play.host.completeGesture(b.id)
      }
      play.host.answerAll()
      await play.step()
      try play.check(slot.child?.id == (decision == .cancelled ? a.id : b.id))
      try play.check(play.window.navigation.flows.count == (decision == .cancelled ? 3 : 2))
      try play.check(b.screenState == (decision == .cancelled ? .gone : .shown))
    }
  }

  /// What is answered to the question.
  enum Answer: String, CaseIterable, Sendable { case stay, discard, signOut }

  // Fault: the question pops up while the finger is still moving, or the veto is ignored.
  @Test(arguments: Disturbance.all, Answer.allCases)
  func c31_blockedSwipeWithUnsavedChanges(
    _ disturbance: Disturbance, _ answer: Answer
  ) async throws {
    try await Play.run(disturbance) { play in
      let questions = Box<[DismissalQuestion]>([])
      let f = play.scope?.open(
        "F", as: .sheet,
        onStart: { flow in
          flow.scope.guardDismissal {
            play.notes.add("guard")
            return .ask
          } ask: {
            questions.value?.append($0)
          }
        })
      play.host.answerAll()
      await play.step()
      _ = play.commands()
      guard let f else { return }
      try play.check(play.window.connection.isGuarded(f.id))
      play.host.beginGesture(f.id)
      play.host.cancelGesture(f.id)
      await play.step()
      try play.check(play.notes.lines.isEmpty)
      play.window.report(.attemptBlocked(f.id))
      play.window.report(.attemptBlocked(f.id))
      await play.step()
      try play.check(play.window.navigate(.dismiss(f.id), from: .user) == .held(.question(f.id)))
      try play.check(play.notes.lines == ["guard"])
      try play.check(questions.value?.count == 1)
      guard let question = questions.value?.first else { return }
      switch answer {
      case .stay:
        question.answer(.stay)
        await play.step()
        try play.check(f.isCurrent && play.commands().isEmpty)
      case .discard:
        question.answer(.discard)
        await play.step()
        try play.check(play.commands() == [.dismiss(f.id)])
        try play.check(play.endings(of: f.id) == [.dismissed])
      case .signOut:
        try play.check(question.isOpen)
        play.runtime.signOut()
        try play.check(play.endings(of: f.id) == [.sessionEnded])
      }
      let isFirst = f.isCurrent
      try play.lab.require(!question.isOpen || isFirst)
      let late = question.answer(.discard)
      try play.check(!late.isAccepted, "the late answer counts")
      await play.step()
      try play.check(f.isCurrent == (answer == .stay))
      try play.lab.require(play.endings(of: f.id).count <= 1)
    }
  }

  // Fault: the veto of a screen further up is passed over when the user goes back to the root.
  @Test(arguments: Disturbance.all)
  func c31_blockedSwipeWithUnsavedChanges_back(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      guard let root = play.scope else { return }
      let verdicts = Box<[String: DismissalVerdict]>(["low": .keep, "high": .letGo])
      for name in ["low", "high"] {
        root.open(
          name,
          onStart: { flow in
            flow.scope.guardDismissal(
              asking: Alert(
                "Discard?", buttons: [.init("Discard", .discard), .init("Keep", .stay)])
            ) {
              play.notes.add(name)
              return verdicts.value?[name] ?? .keep
            }
          })
      }
      play.host.answerAll()
      await play.step()
      guard let low = play.window.navigation.flows.dropFirst().first else { return }
      var answer = play.window.navigate(.popToRoot(of: root.id), from: .user)
      try play.check(answer == .refused(.kept(by: low)))
      try play.check(play.notes.lines == ["high", "low"])
      try play.check(play.window.navigation.flows.count == 3)
      verdicts.value?["low"] = .ask
      answer = play.window.navigate(.popToRoot(of: root.id), from: .user)
      try play.check(answer == .held(.question(low)))
      play.host.answerAll()
      await play.step()
      guard let top = play.window.navigation.top?.id,
        let alert = play.window.flow(top) as? any AlertPresenting
      else { return }
      try play.check(alert.content.buttons.map(\.title) == ["Discard", "Keep"])
      alert.choose(0)
      play.host.answerAll()
      await play.step()
      try play.check(play.window.navigation.flows == [root.id])
    }
  }
}

/// Something that a script keeps.
@MainActor
final class Box<Value> {
  var value: Value?
  init(_ value: Value? = nil) { self.value = value }
}
