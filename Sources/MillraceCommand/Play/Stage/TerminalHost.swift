// The host of a window in a terminal. It keeps what it shows as a value, from which the picture is
// drawn, and reports what the user does with it. Keeps R24: a gesture that began changes nothing.

import Millrace

/// Shows one window.
///
/// It has no animations: what it is asked for is done and reported in the call. A replacement that a
/// gesture decides about is the exception: that waits for the user.
@MainActor
package final class TerminalHost: Host {
  /// What is shown: what was asked for and done, and what the user took away.
  package private(set) var screens = Navigation()
  /// What the user is in the middle of.
  package private(set) var gesture: Gesture?
  package private(set) var connection: HostConnection?
  /// The replacement that the gesture decides about.
  private var replacement: HostCommand?

  /// The user's finger on a screen.
  package struct Gesture: Equatable {
    /// The screen that is being taken away.
    package let flow: FlowID
    /// What comes in its place; nil where that is what is under it.
    package let target: FlowID?
  }

  package init() {}

  package func connect(_ connection: HostConnection) { self.connection = connection }

  package func perform(_ command: HostCommand) {
    if command.isInteractive, case .replace(let old, let new, _, _, _) = command,
      screens.contains(old)
    {
      replacement = command
      gesture = Gesture(flow: old, target: new)
      report(.gestureBegan(old, to: new))
      return
    }
    screens.apply(command)
    endGestureOnWhatIsGone(command)
    report(command.report)
  }

  /// A gesture is over when its screen is gone, or what was to come in its place.
  private func endGestureOnWhatIsGone(_ command: HostCommand? = nil) {
    guard let gesture else { return }
    let isLetGo = command.map { $0.isDismissal && $0.subject == gesture.target } ?? false
    if isLetGo || !screens.contains(gesture.flow) { _ = takeGesture() }
  }

  private func report(_ report: HostReport) { connection?.report(report) }

  // MARK: - The user

  /// True if the user can take this screen away: it is on another, or over it as a sheet. What covers a
  /// screen is left from within only: what is below a lock must not be seen.
  package func canTakeAway(_ id: FlowID) -> Bool {
    for layer in screens.layers {
      guard let first = layer.stack.screens.first else { continue }
      if first.id == id { return ![.root, .alert, .cover].contains(layer.presentation) }
      if layer.stack.isAboveBottom(id) { return true }
    }
    return false
  }

  /// The user swipes the screen away. A guarded one stays, and its attempt is reported.
  package func swipe(_ id: FlowID) {
    if connection?.isGuarded(id) ?? false { return report(.attemptBlocked(id)) }
    screens.remove(id)
    endGestureOnWhatIsGone()
    report(.didDismiss(id))
  }

  /// The user begins to take the screen away.
  package func begin(_ id: FlowID) {
    gesture = Gesture(flow: id, target: nil)
    report(.gestureBegan(id))
  }

  /// The user lets go of what was begun.
  package func letGo() {
    guard let over = takeGesture() else { return }
    report(.gestureCancelled(over.gesture.flow, to: over.gesture.target))
  }

  /// The user goes through with what was begun. A guarded screen springs back, and its attempt is
  /// reported.
  package func complete() {
    guard let (gesture, replacement) = takeGesture() else { return }
    if let replacement {
      screens.apply(replacement)
    } else if connection?.isGuarded(gesture.flow) ?? false {
      report(.gestureCancelled(gesture.flow))
      return report(.attemptBlocked(gesture.flow))
    } else {
      screens.remove(gesture.flow)
    }
    report(.gestureCompleted(gesture.flow, to: gesture.target))
  }

  private func takeGesture() -> (gesture: Gesture, replacement: HostCommand?)? {
    guard let gesture else { return nil }
    defer {
      self.gesture = nil
      replacement = nil
    }
    return (gesture, replacement)
  }

  /// The user goes to a tab.
  package func select(_ tab: FlowID) {
    screens.apply(.select(tab))
    report(.didSelect(tab))
  }

  /// The user was late: reports about a screen that is not there any more.
  package func reportLate(_ id: FlowID) { report(.didDismiss(id)) }
}

extension HostCommand {
  fileprivate var isDismissal: Bool {
    switch self {
    case .dismiss, .pop: true
    case .show, .replace, .select: false
    }
  }
}

extension Navigation.Stack {
  /// True if the flow stands in this stack or in one of its tabs, and is not the first there.
  fileprivate func isAboveBottom(_ id: FlowID) -> Bool {
    screens.dropFirst().contains { $0.id == id }
      || screens.contains { $0.tabs.contains { $0.isAboveBottom(id) } }
  }
}
