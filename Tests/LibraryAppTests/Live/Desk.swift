// A flow that does nothing by itself: tests write in its name.

import Millrace
import Testing

@MainActor
final class Desk: Flow {
  let scope: FlowScope<Never>
  init(scope: FlowScope<Never>) { self.scope = scope }

  /// A window with one.
  static func open(_ runtime: FlowRuntime) throws -> (FlowWindow, Desk) {
    let window = runtime.openWindow { _ in Root { Desk(scope: $0) } }
    return (window, try #require(window.rootFlow as? Desk))
  }
}
