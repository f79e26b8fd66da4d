// What the user does in a sequence: with what the host shows, and not with what the tree says.

import Millrace
import MillraceTesting

extension NavigationRun {
  func userSwipes(_ number: Int, upper: Bool) -> HostReport? {
    // What the user can reach: what is on top, and in that whatever is not the first.
    guard let layer = host.screens.layers.last else { return nil }
    var stack = layer.stack
    while let tab = stack.screens.last?.selectedStack { stack = tab }
    let isModal = host.screens.layers.count > 1
    let reachable =
      upper ? Array(stack.screens.dropFirst().suffix(1)) : Array(stack.screens.dropFirst())
    if !reachable.isEmpty, let screen = pick(reachable, number) {
      return host.swipe(screen.id, reporting: false)
    }
    guard isModal, let first = layer.stack.screens.first else { return nil }
    return host.swipe(first.id, reporting: false)
  }

  func userTaps(_ number: Int) -> HostReport? {
    guard let screen = host.screens.layers.last?.stack.screens.last, !screen.tabs.isEmpty,
      let tab = pick(screen.tabs, number)?.screens.first
    else { return nil }
    return host.tap(tab.id, reporting: false)
  }

  func begin(_ number: Int) {
    guard gesture == nil else { return }
    if let command = host.unanswered.first, command.isInteractive {
      gesture = .gestureBegan(command.subject)
    } else if let screen = host.screens.top, host.screens.flows.count > 1 {
      gesture = .gestureBegan(screen.id)
    }
    if let gesture { receive(gesture) }
  }

  func endGesture(completes: Bool) {
    guard case .gestureBegan(let id, _)? = gesture else { return }
    gesture = nil
    let isThere =
      host.screens.contains(id) || host.unanswered.contains { $0.isInteractive && $0.subject == id }
    guard isThere else { return }
    let isRoot = host.screens.root?.screens.first?.id == id
    receive(
      completes && !isRoot
        ? host.completeGesture(id, reporting: false) : host.cancelGesture(id, reporting: false))
  }
}
