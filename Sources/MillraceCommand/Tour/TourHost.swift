// The tour's user interface: it keeps what is on display as a value, and reports when it is asked to
// and not before, so that the tour decides when a screen has left.

import Millrace

/// A host without a screen.
@MainActor
final class TourHost: Host {
  /// What is shown.
  private(set) var shown = Navigation()
  private var unreported: [HostReport] = []

  /// How many screens are shown.
  var count: Int { shown.flows.count }

  func perform(_ command: HostCommand) {
    shown.apply(command)
    switch command {
    case .show(let id, _, _), .replace(_, let id, _, _, _): unreported.append(.didShow(id))
    case .dismiss(let id, _), .pop(let id, _, _): unreported.append(.didDismiss(id))
    case .select(let id): unreported.append(.didSelect(id))
    }
  }

  /// Reports what was done since the last time. With each report it may be asked for more.
  func acknowledge(to window: FlowWindow) {
    while !unreported.isEmpty { window.report(unreported.removeFirst()) }
  }

  /// The user swipes a screen away: it is gone, and then it is reported.
  func swipe(_ id: FlowID, in window: FlowWindow) {
    acknowledge(to: window)
    shown.remove(id)
    window.report(.didDismiss(id))
  }
}
