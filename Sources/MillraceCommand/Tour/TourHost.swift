// The tour's user interface: it keeps what is on display as a table, and reports when it is asked to
// and not before, so that the tour decides when a screen has left.

import Millrace

/// A host without a screen.
@MainActor
final class TourHost: Host {
  /// What is shown, the oldest first.
  private(set) var screens: [(id: FlowID, presentation: Presentation, over: FlowID?)] = []
  private var unreported: [HostReport] = []

  func perform(_ command: HostCommand) {
    switch command {
    case .show(let id, let presentation, let over):
      screens.append((id, presentation, over))
      unreported.append(.didShow(id))
    case .dismiss(let id):
      remove(id)
      unreported.append(.didDismiss(id))
    }
  }

  /// Reports what was done since the last time.
  func acknowledge(to window: FlowWindow) {
    let reports = unreported
    unreported = []
    for report in reports {
      // A screen that was dismissed meanwhile was never seen.
      if case .didShow(let id) = report, !screens.contains(where: { $0.id == id }) { continue }
      window.report(report)
    }
  }

  /// The user swipes a screen away: it is gone, and then it is reported.
  func swipe(_ id: FlowID, in window: FlowWindow) {
    acknowledge(to: window)
    remove(id)
    window.report(.didDismiss(id))
  }

  /// Takes a screen away with all that is shown over it.
  private func remove(_ id: FlowID) {
    var gone: Set<FlowID> = [id]
    for screen in screens where screen.over.map(gone.contains) ?? false { gone.insert(screen.id) }
    screens.removeAll { gone.contains($0.id) }
  }
}
