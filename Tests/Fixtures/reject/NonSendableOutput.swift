// An output goes from one flow to another, and to tasks: a class with mutable state would be shared.

import Millrace

final class Draft {
  var text = ""
}

@MainActor
final class Editor: Flow {
  typealias Output = Draft
  // expect: type 'Draft' does not conform to the 'Sendable' protocol
  let scope: FlowScope<Draft>
  // expect: type 'Draft' does not conform to the 'Sendable' protocol
  init(scope: FlowScope<Draft>) { self.scope = scope }
}
