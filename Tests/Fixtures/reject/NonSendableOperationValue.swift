// What an operation answers comes from another thread, which could go on writing to it.

import Millrace

final class Draft {
  var text = ""
}

@MainActor
func load(in scope: FlowScope<Never>) {
  // expect: type 'Draft' does not conform to the 'Sendable' protocol
  scope.perform("draft") {
    Draft()
  } then: { _ in
  }
}
