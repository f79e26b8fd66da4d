// A scope, and the handle on a child, stay on the main actor: they are not sent to an actor, to a
// detached task or to a function that runs elsewhere, not even where each call is awaited.

import Millrace

@MainActor
func detach(_ scope: FlowScope<Int>) {
  // expect: risks causing data races
  Task.detached { await scope.emit(1) }
}

@MainActor
func addTask(_ scope: FlowScope<Int>) async {
  await withTaskGroup(of: Void.self) { group in
    // expect: risks causing data races
    group.addTask { await scope.emit(1) }
  }
}

actor Keeper {
  var kept: FlowScope<Int>?
  func keep(_ scope: FlowScope<Int>) { kept = scope }
}

@MainActor
func give(_ scope: FlowScope<Int>, to keeper: Keeper) async {
  // expect: sending 'scope' risks causing data races
  await keeper.keep(scope)
}

@concurrent
func useElsewhere(_ scope: FlowScope<Int>) async {}

@MainActor
func call(_ scope: FlowScope<Int>) async {
  // expect: sending 'scope' risks causing data races
  await useElsewhere(scope)
}

@MainActor
final class Picker: Flow {
  typealias Output = Int
  let scope: FlowScope<Int>
  init(scope: FlowScope<Int>) { self.scope = scope }
}

@MainActor
func dismissFromElsewhere(_ child: Child<Picker>) {
  // expect: risks causing data races
  Task.detached { await child.dismiss() }
}
