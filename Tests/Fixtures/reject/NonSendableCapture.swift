// What the body of an operation captures is read on another thread, while the flow goes on.

import Millrace

final class Draft {
  var text = ""
}

@MainActor
final class Editor: Flow {
  typealias Output = Never
  let scope: FlowScope<Never>
  let draft = Draft()
  init(scope: FlowScope<Never>) { self.scope = scope }

  func save() {
    scope.perform("save") { [draft] in
      // expect: capture of 'draft' with non-Sendable type 'Draft' in a '@Sendable' closure
      draft.text.count
    } then: { _ in
    }
  }
}
