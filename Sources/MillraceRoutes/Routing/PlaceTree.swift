// What a window shows, in places: read off its navigation whenever it is needed, and never kept.

import Millrace

/// The screens of a window with their routes.
@MainActor
struct PlaceTree<R: Route> {
  struct Node {
    let id: FlowID
    /// Nil for a flow that names no place.
    let route: R?
    let tabs: [[Node]]
    let selectedTab: FlowID?
  }

  /// The window's own stack, then the modals over it.
  let layers: [[Node]]

  init(_ window: FlowWindow) {
    layers = window.navigation.layers.map { PlaceTree.nodes(of: $0.stack, in: window) }
  }

  private static func nodes(of stack: Navigation.Stack, in window: FlowWindow) -> [Node] {
    stack.screens.map { screen in
      Node(
        id: screen.id, route: window.routed(screen.id, R.self)?.route,
        tabs: screen.tabs.map { nodes(of: $0, in: window) }, selectedTab: screen.selectedTab)
    }
  }

  /// The root, if it has a place.
  var root: Node? { layers.first?.first.flatMap { $0.route == nil ? nil : $0 } }

  /// True if nothing was opened since the root came: only the root is there, and the first screens
  /// of its tabs.
  var isUntouched: Bool {
    func isFresh(_ stack: [Node]) -> Bool {
      stack.count == 1 && stack.allSatisfy { $0.tabs.allSatisfy(isFresh) }
    }
    return layers.count == 1 && layers.allSatisfy(isFresh)
  }
}

extension FlowWindow {
  /// The live flow with this id, if it has a place of this type.
  @MainActor
  func routed<R: Route>(_ id: FlowID, _ type: R.Type) -> (any RoutedFlow<R>)? {
    flow(id) as? any RoutedFlow<R>
  }
}
