// What the trace tests share: a flow that does nothing by itself, a runtime on the lab's clock with
// one of them, and work that does not listen.

import Millrace
import RaceLab
import Testing

@MainActor
final class Page: Flow {
  let scope: FlowScope<Int>
  init(_ scope: FlowScope<Int>) { self.scope = scope }
}

@MainActor
struct Stage {
  let runtime: FlowRuntime
  let window: FlowWindow
  let root: Page

  init(_ lab: Lab) throws {
    runtime = FlowRuntime(clock: lab.clock)
    runtime.signIn(Account("anna"))
    window = runtime.openWindow { _ in Root { Page($0) } }
    root = try #require(window.rootFlow as? Page)
  }

  /// A child with an operation that goes on for this long after it was told to stop.
  func child(_ name: String, staying time: Duration, _ lab: Lab) -> Child<Page> {
    let child = root.scope.start(as: .tab) { Page($0) }
    let clock = lab.clock
    child.flow?.scope.perform(name) {
      try? await clock.sleep(until: .init(elapsed: .seconds(1_000_000)), tolerance: nil)
      await Task { try? await clock.sleep(for: time) }.value
    }
    return child
  }
}
