// A client that is compiled with default main-actor isolation: it says nothing about actors, and
// gets the same runtime.

import Millrace
import RaceLab
import Testing

/// A screen that loads and tells.
private final class Editor: Flow {
  enum Output: Sendable, Equatable { case saved(Int), closed }
  let scope: FlowScope<Output>
  private(set) var draft = Loadable<Int>.idle
  private(set) var ticks = 0

  init(_ scope: FlowScope<Output>) { self.scope = scope }

  func start() {
    scope.every(.seconds(1)) { [self] in ticks += 1 }
    scope.load("draft", into: \.draft, of: self) { try await fetch(20) }
  }

  func save() {
    scope.task { [self] in
      let value = try await scope.value("save") { try await fetch(1) }
      MainActor.assertIsolated()
      scope.finish(.saved(value + (draft.value ?? 0)))
    }
  }
}

/// A coordinator in callback form.
private final class Desk: Flow {
  let scope: FlowScope<Never>
  var heard: [String] = []
  var editor: Child<Editor>?

  init(_ scope: FlowScope<Never>) { self.scope = scope }

  func start() {
    editor = scope.start(as: .sheet) {
      Editor($0)
    } onOutput: { [self] output in
      heard.append("\(output)")
    } onEnding: { [self] ending in
      heard.append("\(ending.kind)")
    }
  }
}

@concurrent private func fetch(_ value: Int) async throws -> Int {
  await Task.detached {}.value
  return value
}

@Suite struct ClientCases {
  // Fault: a client with default isolation does not compile, or loses the main actor after an
  // await.
  @Test func c74_mainActorLostAfterAnAwait_clientOnTheMainActor() async throws {
    try await Lab.run { lab in
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow { _ in Root { Desk($0) } }
      let desk = try #require(window.rootFlow as? Desk)
      let editor = try #require(desk.editor?.flow)
      await lab.advance(by: .seconds(2))
      #expect(editor.draft == .loaded(20) && editor.ticks == 2)
      editor.save()
      await lab.settle()
      #expect(desk.heard == ["saved(21)", "finished"])
      #expect(runtime.counts.operations == 0)
    }
  }

  // Fault: the same on real threads, a thousand times.
  @Test(.timeLimit(.minutes(15)))
  func c74_mainActorLostAfterAnAwait_clientOnTheMainActor_threads() async throws {
    let runtime = FlowRuntime()
    for _ in 0..<1_000 {
      let window = runtime.openWindow { _ in Root { Desk($0) } }
      let desk = try #require(window.rootFlow as? Desk)
      let editor = try #require(desk.editor)
      editor.flow?.save()
      guard case .finished(.saved) = await editor.ending else {
        Issue.record("the editor ended in another way")
        return
      }
      MainActor.assertIsolated()
      window.close()
    }
    try await runtime.drained(limit: .seconds(3_600))
    #expect(runtime.counts.flows == 0)
  }
}
