import Millrace
import RaceLab
import Testing

/// R22: reports come in from anywhere, by one queue, in the order of each sender.
@Suite struct IngressTests {
  // A task for each event loses the order on the way to the main actor.
  @Test func reportsOfOneSender_keepTheirOrder() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let children = (0..<50).map { _ in stage.scope.step(as: .push) }
      let ids = children.map(\.id)
      let window = stage.window
      Task.detached { for id in ids { window.report(.didDismiss(id)) } }
      #expect(children.count { $0.isCurrent } == 50)
      await lab.settle()
      let reports = stage.trace.events.compactMap { event -> FlowID? in
        if case .report(.didDismiss(let id)) = event { id } else { nil }
      }
      #expect(reports == ids)
      #expect(stage.runtime.counts.flows == 1)
    }
  }

  // A report from the main actor is applied in the call, behind what came in before it.
  @Test func reportOnTheMainActor_comesBehindThoseBeforeIt() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let (first, second) = (stage.scope.step(as: .push), stage.scope.step(as: .push))
      let window = stage.window
      let earlier = first.id
      await Task.detached { window.report(.didCover(earlier)) }.value
      window.report(.didDismiss(second.id))
      #expect(!second.isCurrent)
      let reports = stage.trace.events.filter { if case .report = $0 { true } else { false } }
      #expect(reports == [.report(.didCover(first.id)), .report(.didDismiss(second.id))])
    }
  }

  // Reports may repeat and name what is long gone: counted, and nothing else.
  @Test func reportsOfNothing_areRefused() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let child = stage.scope.step(as: .sheet)
      let inline = stage.scope.step()
      for id in [FlowID(rawValue: 0), FlowID(rawValue: .max), inline.id] {
        stage.window.report(.didDismiss(id))
      }
      stage.window.report(.didDismiss(child.id))
      stage.window.report(.didDismiss(child.id))
      stage.window.report(.didCover(child.id))
      #expect(!child.isCurrent)
      #expect(inline.isCurrent)
      #expect(stage.runtime.refusals == [.unknownFlow: 5])
    }
  }

  // The last handle may go away while reports still wait.
  @Test func reportsBeforeARelease_areApplied() async throws {
    try await Lab.run { lab in
      let log = Log()
      do {
        let stage = try Stage(lab)
        let child = stage.scope.step(
          as: .push, willEnd: { _, ending in log("child \(ending.kind)") })
        let (window, id) = (stage.window, child.id)
        await Task.detached { window.report(.didDismiss(id)) }.value
      }
      await lab.settle()
      #expect(log.lines == ["child dismissed"])
    }
  }
}
