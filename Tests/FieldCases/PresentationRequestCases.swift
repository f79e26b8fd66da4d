// Requests to the host: in order, one at a time, and only while somebody wants them.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct PresentationRequestCases {
  // Fault: close() returns before the sheet is gone, so the next one is shown on a sheet that is
  // leaving.
  @Test(arguments: Disturbance.all)
  func c32_closeThenOpen(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      guard let root = play.scope, let s1 = play.scope?.open("S1", as: .sheet) else { return }
      play.host.answerAll()
      await play.step()
      _ = play.commands()
      let notes = play.notes
      var s2: Child<Screen>?
      root.task {
        await s1.dismiss().settled()
        notes.add("settled")
        s2 = root.open("S2", as: .sheet)
      }
      await play.step()
      try play.check(play.commands() == [.dismiss(s1.id)])
      try play.check(notes.lines.isEmpty)
      try play.check(s1.screenState == .leaving)
      play.host.answer()
      await play.step()
      guard let s2 else { return try play.check(false, "S2 was not asked for") }
      try play.check(play.commands() == [.show(s2.id, as: .sheet, over: root.id)])
      try play.check(s2.screenState == .showing)
      try play.check(s1.screenState == .gone)
      // Requests made meanwhile keep their order, and none is lost.
      let x = root.open("X", as: .sheet)
      let y = root.open("Y", as: .cover)
      try play.check(x.screenState == .waiting && y.screenState == .waiting)
      try play.check(play.commands().isEmpty)
      play.host.answer()
      try play.check(s2.screenState == .shown)
      await play.step()
      try play.check(play.commands() == [.show(x.id, as: .sheet, over: root.id)])
      play.host.answer()
      try play.check(play.commands() == [.show(y.id, as: .cover, over: root.id)])
      play.host.answer()
      await play.step()
      try play.check(
        play.window.navigation.modals.map(\.presentation) == [.sheet, .sheet, .cover])
    }
  }

  // Fault: what was asked for during a transition is shown after the sign-out.
  @Test(arguments: Disturbance.all)
  func c32_closeThenOpen_signOutBetween(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      guard let root = play.scope else { return }
      let s2 = root.open("S2", as: .sheet)
      let x = root.open("X", as: .sheet)
      let y = root.open("Y")
      await play.step()
      _ = play.commands()
      play.runtime.signOut()
      await play.step()
      play.host.answerAll()
      await play.step()
      try play.lab.require(!play.host.shown.contains(x.id) || play.isDisturbed)
      try play.check(!play.host.shown.contains(y.id))
      try play.check(play.endings(of: x.id) == [.sessionEnded])
      try play.check(x.screenState == .gone && s2.screenState == .gone)
      guard let next = play.scope?.id else { return }
      try play.check(
        play.commands() == [
          .replace(root.id, with: next, as: .root, over: nil, interactively: false)
        ])
    }
  }

  // Fault: the parent is taken down first, or the wrong level of a stack of sheets is closed.
  @Test(arguments: Disturbance.all, [Presentation.sheet, .push])
  func c34_nestedTeardown(_ disturbance: Disturbance, _ presentation: Presentation) async throws {
    try await Play.run(disturbance) { play in
      var scope = play.scope
      var all: [Child<Screen>] = []
      for name in ["A", "B", "C", "D"] {
        let child = scope?.open(
          name, as: presentation,
          onEnd: { flow, _ in
            play.notes.add(flow.name)
            if name != "A" { flow.scope.emit("from \(name)") }
          },
          onOutput: { _ in play.notes.add("heard") })
        scope = child?.flow?.scope
        if let child { all.append(child) }
      }
      play.host.answerAll()
      await play.step()
      _ = play.commands()
      guard all.count == 4 else { return }
      all[1].dismiss()
      await play.step()
      let command: HostCommand =
        presentation == .sheet
        ? .dismiss(all[1].id, with: [all[2].id, all[3].id])
        : .pop(all[1].id, with: [all[2].id, all[3].id], to: all[0].id)
      try play.check(play.commands() == [command])
      try play.check(play.notes.lines == ["D", "C", "B"])
      try play.check(all[0].isCurrent)
      try play.check(play.runtime.refusals[.emitAfterEnd] == 3)
      play.host.answer()
      await play.step()
      try play.check(play.window.navigation.flows.last == all[0].id)
      try play.lab.require(!play.notes.lines.contains("heard"))
    }
  }

  // Fault: two quick taps open the screen twice; two quick Backs pop one level too many.
  @Test(arguments: Disturbance.all)
  func c35_doubleTap_onTheHost(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      guard let root = play.scope else { return }
      let details = Slot<Screen>()
      let a = root.open("A")
      let first = root.start(in: details, id: 7, as: .push) { Screen($0, "7") }
      let second = root.start(in: details, id: 7, as: .push) { Screen($0, "7") }
      try play.check(first.id == second.id)
      await play.step()
      play.host.answerAll()
      await play.step()
      let shows = play.host.shown.filter { $0 == first.id }
      try play.lab.require(shows.count <= 1)
      try play.check(shows.count == 1)
      _ = play.commands()
      let answers = (0..<2).map { _ in play.window.navigate(.dismiss(first.id), from: .user) }
      try play.check(answers == [.done, .refused(.unknownFlow)])
      await play.step()
      try play.check(play.commands() == [.pop(first.id, to: a.id)])
      play.host.answer()
      await play.step()
      try play.check(play.window.navigation.flows == [root.id, a.id])
      try play.check(play.window.navigate(.pop(to: a.id), from: .user) == .refused(.nothingToPop))
      try play.check(play.window.navigate(.dismiss(root.id)) == .refused(.isRoot))
      try play.check(play.runtime.refusals[.commandRefused] == 3)
    }
  }

  // Fault: the host skips its completion where the screen is visible already, and a chain of steps
  // waits for ever.
  @Test(arguments: Disturbance.all)
  func c37_completionThatNeverComes(_ disturbance: Disturbance) async throws {
    try await Play.run(disturbance) { play in
      guard let home = play.scope else { return }
      let orders = Slot<Screen>(.keep)
      let order = Slot<Screen>()
      let shown = home.start(in: orders, id: "orders", as: .push) { Screen($0, "orders") }
      play.host.answerAll()
      await play.step()
      _ = play.commands()
      // The path: home is there, orders is there, order 7 is not.
      let again = home.start(in: orders, id: "orders", as: .push) { Screen($0, "orders") }
      try play.check(again.id == shown.id)
      guard let inOrders = again.flow?.scope else { return }
      let seven = inOrders.start(in: order, id: 7, as: .push) { Screen($0, "7") }
      let notes = play.notes
      home.task { notes.add("path \(await seven.shown())") }
      await play.step()
      try play.check(play.commands() == [.show(seven.id, as: .push, over: shown.id)])
      try play.check(notes.lines.isEmpty)
      play.host.answer()
      await play.step()
      try play.check(notes.lines == ["path shown"])

      // Now the host never answers: the path fails at the limit, and the next is not held up.
      let eight = inOrders.start(in: order, id: 8, as: .push) { Screen($0, "8") }
      home.task { notes.add("path \(await eight.shown())") }
      let sheet = home.open("sheet", as: .sheet)
      await play.step()
      try play.check(
        play.commands() == [
          .replace(seven.id, with: eight.id, as: .push, over: shown.id, interactively: false)
        ])
      play.host.ignore()
      await play.lab.advance(by: .seconds(4))
      try play.check(notes.lines == ["path shown"])
      await play.lab.advance(by: .seconds(1))
      try play.check(notes.lines == ["path shown", "path hostTimeout"])
      try play.check(play.commands() == [.show(sheet.id, as: .sheet, over: home.id)])
      try play.check(eight.isCurrent && eight.screenState == .shown)
      // What the host did not do shows in its screens; it is told what to take away all the same.
      play.host.answerAll()
      again.dismiss()
      play.host.answerAll()
      await play.step()
      try play.check(play.host.screens == play.window.navigation)
    }
  }
}
