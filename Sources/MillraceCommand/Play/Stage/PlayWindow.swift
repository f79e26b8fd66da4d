// One window of the app in a terminal: its host, and the views of what is on it.

import LibraryApp
import Millrace

/// A window and its host.
@MainActor
package final class PlayWindow {
  package let number: Int
  package let host: TerminalHost
  package let window: FlowWindow
  /// The titles of what the host shows: a flow may end while the user holds its screen.
  private var titles: [FlowID: String] = [:]

  init(number: Int, host: TerminalHost, window: FlowWindow) {
    self.number = number
    self.host = host
    self.window = window
  }

  /// The screen that the user sees on top of all: not what the tree says, but what the host shows.
  var top: FlowID? { host.screens.top?.id }

  /// The view of a flow on display; nil once the flow has ended.
  func view(of id: FlowID) -> TerminalView? {
    window.view(for: id) { flow in
      TerminalView.view(for: flow) { [weak self] in
        (self?.window.rootFlow as? SignedInFlow)?.catalogue?.books.value
      }
    }
  }

  /// Makes the views of screens that have come. What a new view asks for may bring more.
  func makeViews() {
    let former = titles
    titles = [:]
    for id in host.screens.flows + [host.gesture?.target].compactMap(\.self) {
      titles[id] = view(of: id)?.title ?? former[id]
    }
  }

  func title(of id: FlowID) -> String { view(of: id)?.title ?? titles[id] ?? "\(id)" }

  /// What is wrong between the tree, the window and the host, or nil. To be asked when nothing is
  /// left to run.
  package var fault: String? {
    guard window.isConsistent else {
      return "window \(number): flows and screens differ:\n\(window.navigation)"
    }
    // While a gesture or a command is under way they may differ.
    guard window.transition == nil, host.screens != window.navigation else { return nil }
    return "window \(number) shows\n\(host.screens)\nwhere the tree says\n\(window.navigation)"
  }
}
