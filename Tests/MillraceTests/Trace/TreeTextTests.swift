import Millrace
import RaceLab
import Testing

/// The live tree as text, letter by letter.
@Suite struct TreeTextTests {
  @MainActor private final class Home: Flow {
    let scope: FlowScope<Never>
    init(_ scope: FlowScope<Never>) { self.scope = scope }
  }
  @MainActor private final class Page: Flow {
    let scope: FlowScope<Int>
    init(_ scope: FlowScope<Int>) { self.scope = scope }
  }

  // What people paste into a report has to show who owns what, and what still runs.
  @Test func tree_showsOwnersPresentationAndWork() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      #expect(runtime.tree == "runtime")
      runtime.signIn(Account("ann"))
      let window = runtime.openWindow { _ in Root { Home($0) } }
      let home = try #require(window.rootFlow as? Home)
      let gate = lab.gate("gate")
      let deaf = lab.gate("deaf", .deaf)
      let list = home.scope.start(as: .push) { Page($0) }
      let detail = list.flow?.scope.start(as: .push) { Page($0) }
      let inline = home.scope.start { Page($0) }
      let task = home.scope.task("watch") { try await gate.wait() }
      let first = list.flow?.scope.perform("load", .queue) { try await gate.wait() }
      let second = list.flow?.scope.perform("load", .queue) { try await gate.wait() }
      let stuck = inline.flow?.scope.perform("stuck") { try await deaf.wait() }
      await lab.settle()
      stuck?.cancel()
      window.report(.didCover(list.id))
      let ids = [
        home.scope.id.description, task.id.description, list.id.description,
        first?.id.description ?? "", second?.id.description ?? "",
        detail?.id.description ?? "", inline.id.description, stuck?.id.description ?? "",
      ]
      #expect(
        runtime.tree == """
          runtime
          ├ session ann
          └ window
            └ Home \(ids[0]) root covered
              ├ watch \(ids[1]) (running)
              ├ Page \(ids[2]) push covered
              │ ├ load \(ids[3]) (running)
              │ ├ load \(ids[4]) (waiting)
              │ └ Page \(ids[5]) push
              └ Page \(ids[6])
                └ stuck \(ids[7]) (cancelled, running on)
          """)
    }
  }

  // What has ended is not in the live tree, though its deaf work may still run.
  @Test func endedFlows_areNotShown() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let deaf = lab.gate("deaf", .deaf)
      let child = stage.scope.step()
      child.scope?.task { try await deaf.wait() }
      await lab.settle()
      child.dismiss()
      #expect(stage.runtime.tree == "runtime\n└ window\n  └ Step \(stage.root.scope.id) root")
    }
  }
}
