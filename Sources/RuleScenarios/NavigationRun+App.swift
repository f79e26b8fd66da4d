// What the app does in a sequence, to the runtime and to the model.

import Millrace
import MillraceTesting

extension NavigationRun {
  func open(_ id: FlowID?, _ presentation: Presentation) {
    guard let id, let page = page(id), model.flows.count < 24 else { return }
    let child = page.scope.start(as: presentation) { Page(scope: $0) }
    children[child.id] = child
    model.start(child.id, owner: id, presentation)
  }

  func replace(_ id: FlowID?, interactively: Bool, otherwise: Bool = false) {
    guard let id, let page = page(id), model.flows.count < 24 else { return }
    followFacts()
    let old = page.slot.child?.id
    let former = old.flatMap { model.presentation(of: $0) } ?? .push
    // In a slot, what comes may be shown in another way than what it replaces.
    let presentation = !otherwise ? former : former == .push ? .sheet : .push
    let child = page.scope.start(
      in: page.slot, as: presentation, interactively: interactively
    ) { Page(scope: $0) }
    children[child.id] = child
    guard let old else { return model.start(child.id, owner: id, presentation) }
    if presentation != former {
      model.end(old)
      model.start(child.id, owner: id, presentation)
    } else if interactively {
      model.challenge(old, by: child.id, owner: id)
    } else {
      model.replace(old, by: child.id, owner: id)
    }
  }

  func replaceRoot() {
    guard let root = window.rootFlow as? Page else { return }
    model.end(root.scope.id)
    window.replaceRoot(Root { Page(scope: $0) })
    rootCame()
  }

  func navigate(_ command: NavigationCommand, _ number: Int) {
    let origin: CommandOrigin = pick([.user, .app, .link], number) ?? .app
    window.navigate(command, from: origin)
  }

  /// The window gets another host. What the former one reports comes too late.
  func changeHost() throws {
    followFacts()
    let former = host
    host = RecordingHost(.whenTold)
    window.attach(host)
    former.answerAll()
    for report in late { former.connection?.report(report) }
    guard former.screens == Navigation() else {
      throw NavigationFault(step: index, what: "the former host keeps\n\(former.screens)")
    }
    late = []
    gesture = nil
    selecting = nil
    committed = []
    for id in model.provisional.keys { model.abandon(id) }
  }
}
