// A scope acts on the main actor. Elsewhere its checks and what follows them would not be one step.
// What the types show; what only the flow of values shows is in ScopeOffMainActor.

import Millrace

@MainActor
final class Counter: Flow {
  typealias Output = Int
  let scope: FlowScope<Int>
  init(scope: FlowScope<Int>) { self.scope = scope }

  func callWithoutWaiting() {
    let scope = scope
    // expect: main actor-isolated instance method 'emit' cannot be called from outside of the actor
    Task.detached { scope.emit(1) }
  }

  func readFromOutside() {
    // expect: non-Sendable type 'FlowScope<Int>' of property 'scope' cannot exit main actor
    Task.detached { [self] in await scope.emit(1) }
  }

  func captureInOperation() {
    let scope = scope
    // expect: capture of 'scope' with non-Sendable type 'FlowScope<Int>' in a '@Sendable' closure
    scope.perform("emit") { await scope.emit(1) }
  }

  func passAsSendable() {
    // expect: conformance of 'FlowScope<Output>' to 'Sendable' is unavailable
    needsSendable(scope)
  }

  func passChildAsSendable(_ child: Child<Counter>) {
    // expect: conformance of 'Child<F>' to 'Sendable' is unavailable
    needsSendable(child)
  }
}

func needsSendable(_ value: some Sendable) {}
