// The parts of the suite for hosts: each asks a window for what an app may ask for, lets the user do
// what he may do, and compares what the host shows with the tree.

import Millrace

extension HostConformance {
  struct Part {
    let name: String
    let body: @MainActor (Stage) async -> Void
  }

  static let all: [Part] = [
    Part(name: "a root is shown") { await $0.expectSettled() },
    Part(name: "pushes stand in order") { stage in
      for _ in 0..<3 { stage.open(.push) }
      await stage.expectSettled()
    },
    Part(name: "pops take away what is above") { stage in
      let flows = (0..<4).map { _ in stage.open(.push) }
      await stage.expectSettled()
      flows[1].dismiss()
      await stage.expectSettled()
      stage.expect(!flows[3].isCurrent, "what stood above a pop must end")
    },
    Part(name: "a modal over a modal") { stage in
      stage.open(.sheet)
      let cover = stage.open(.cover)
      await stage.expectSettled()
      cover.dismiss()
      await stage.expectSettled()
    },
    Part(name: "a modal that belongs to another comes back") { stage in
      let lower = stage.open(.sheet)
      let upper = stage.open(.sheet)
      await stage.expectSettled()
      lower.dismiss()
      await stage.expectSettled()
      stage.expect(upper.isCurrent, "a modal of another flow must live on")
    },
    Part(name: "pushes in a modal") { stage in
      let sheet = stage.open(.sheet)
      let inner = sheet.flow?.open(.push)
      await stage.expectSettled()
      inner?.dismiss()
      await stage.expectSettled()
    },
    Part(name: "tabs and their stacks") { stage in
      let tabs = (0..<3).map { _ in stage.open(.tab) }
      tabs[1].flow?.open(.push)
      await stage.expectSettled()
      stage.window.navigate(.select(tabs[1].id))
      await stage.expectSettled()
      tabs[1].dismiss()
      await stage.expectSettled()
    },
    Part(name: "the user selects a tab") { stage in
      let tabs = (0..<2).map { _ in stage.open(.tab) }
      await stage.expectSettled()
      guard let select = stage.subject.userSelects else { return }
      select(tabs[1].id)
      await stage.expectSettled()
      let selected = stage.window.navigation.root?.screens.first?.selectedTab
      stage.expect(selected == tabs[1].id, "the selection was not reported")
    },
    Part(name: "a flow takes another's place") { stage in
      for presentation in [Presentation.push, .sheet, .tab] {
        let slot = Slot<HostConformance.Screen>()
        stage.open(presentation, in: slot)
        await stage.expectSettled()
        stage.open(presentation, in: slot)
        await stage.expectSettled()
      }
    },
    Part(name: "the root is replaced") { stage in
      stage.open(.push)
      stage.open(.sheet)
      await stage.expectSettled()
      stage.window.replaceRoot(Root { Screen(scope: $0) })
      await stage.expectSettled()
    },
    Part(name: "alerts and dialogs") { stage in
      for asConfirmation in [false, true] {
        let alert = Alert(
          "Sure?", asConfirmation: asConfirmation,
          buttons: [.init("Yes", true), .init("No", false)]
        )
        var answer: Bool?
        let child = stage.root?.scope.ask(alert) { answer = $0 }
        await stage.expectSettled()
        child?.flow?.choose(0)
        await stage.expectSettled()
        stage.expect(answer == true, "the answer did not arrive")
      }
    },
    Part(name: "the user takes a screen away") { stage in
      guard let dismiss = stage.subject.userDismisses else { return }
      for presentation in [Presentation.sheet, .push] {
        let child = stage.open(presentation)
        await stage.expectSettled()
        dismiss(child.id)
        await stage.expectSettled()
        stage.expect(!child.isCurrent, "a \(presentation) that the user took away lives on")
      }
    },
    Part(name: "the user lets go, or goes through") { stage in
      guard let decide = stage.subject.userDecides else { return }
      for presentation in [Presentation.sheet, .push] {
        let child = stage.open(presentation)
        await stage.expectSettled()
        decide(child.id, false)
        await stage.expectSettled()
        stage.expect(child.isCurrent, "a \(presentation) that the user let go has ended")
        decide(child.id, true)
        await stage.expectSettled()
        stage.expect(!child.isCurrent, "a \(presentation) that the user took away lives on")
      }
    },
    Part(name: "a gesture decides about a replacement") { stage in
      guard let decide = stage.subject.userDecides else { return }
      for presentation in [Presentation.push, .sheet, .tab] {
        let slot = Slot<HostConformance.Screen>()
        let old = stage.open(presentation, in: slot)
        await stage.expectSettled()
        for goesThrough in [false, true] {
          let new = stage.open(presentation, in: slot, interactively: true)
          await stage.proceed()
          decide(new.id, goesThrough)
          await stage.expectSettled()
          let stays = goesThrough ? new : old
          stage.expect(
            stays.isCurrent && new.isCurrent != old.isCurrent,
            "a \(presentation) that the user was to decide about did not follow him")
        }
      }
    },
    Part(name: "commands crossed by the user") { stage in
      guard let dismiss = stage.subject.userDismisses else { return }
      let lower = stage.open(.push)
      let upper = stage.open(.push)
      await stage.expectSettled()
      dismiss(upper.id)
      lower.dismiss()
      dismiss(lower.id)
      stage.open(.push)
      await stage.expectSettled()
    },
    Part(name: "many requests at once") { stage in
      let sheet = stage.open(.sheet)
      sheet.dismiss()
      let slot = Slot<HostConformance.Screen>()
      for _ in 0..<4 { stage.open(.push, in: slot) }
      stage.open(.sheet)
      stage.open(.sheet).dismiss()
      await stage.expectSettled()
    },
    Part(name: "another host shows what is there") { stage in
      let tabs = (0..<2).map { _ in stage.open(.tab) }
      tabs[1].flow?.open(.push)
      stage.window.navigate(.select(tabs[1].id))
      stage.open(.sheet).flow?.open(.push)
      await stage.expectSettled()
      let former = stage.changeHost()
      await stage.expectSettled()
      await stage.expectEmpty(former)
      stage.expect(tabs[1].isCurrent, "a change of hosts must end no flow")
    },
    Part(name: "the window is closed") { stage in
      let child = stage.open(.sheet)
      await stage.expectSettled()
      stage.window.close()
      stage.expect(!child.isCurrent, "a closed window must end its flows")
      await stage.expectEmpty(stage.subject)
    },
  ]
}
