// A window with something of everything, which tests of hosts and windows start from.

import Millrace
import MillraceTesting
import RuleScenarios
import Testing

/// A window with tabs, the second selected and a page on it, and a sheet with a page on it.
@MainActor
struct FilledWindow {
  let host: RecordingHost
  let window: FlowWindow
  let root: Page
  let tabs: [Child<Page>]
  let sheet: Child<Page>

  init(_ runtime: FlowRuntime, _ host: RecordingHost) throws {
    self.host = host
    window = runtime.openWindow(host: host) { _ in Root { Page(scope: $0) } }
    let root = try #require(window.rootFlow as? Page)
    self.root = root
    tabs = (0..<2).map { _ in root.open(.tab) }
    tabs[1].flow?.open(.push)
    window.navigate(.select(tabs[1].id))
    sheet = root.open(.sheet)
    sheet.flow?.open(.push)
  }

  var top: FlowID { window.navigation.flows.last ?? sheet.id }
}

extension Page {
  @discardableResult
  func open(_ presentation: Presentation) -> Child<Page> {
    scope.start(as: presentation) { Page(scope: $0) }
  }
}
