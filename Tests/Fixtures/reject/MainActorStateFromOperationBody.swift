// The body of an operation runs off the main actor. State that it changed there, after its flow
// was gone, would be the stale answer that the check on acceptance is for.

import Millrace

@MainActor
final class Lending: Flow {
  typealias Output = Never
  let scope: FlowScope<Never>
  var isEligible = false
  init(scope: FlowScope<Never>) { self.scope = scope }

  func show() {}

  func start() {
    scope.perform("write") { [self] in
      // expect: main actor-isolated property 'isEligible' can not be mutated from a Sendable closure
      isEligible = true
    }
    scope.perform("read") { [self] in
      // expect: main actor-isolated property 'isEligible' cannot be accessed from outside of the actor
      print(isEligible)
    }
    scope.perform("call") { [self] in
      // expect: main actor-isolated instance method 'show()' cannot be called from outside of the actor
      show()
    }
    scope.task { [self] in
      try await scope.value("value") { [self] in
        // expect: main actor-isolated property 'isEligible' can not be mutated from a Sendable closure
        isEligible = true
      }
    }
  }
}
