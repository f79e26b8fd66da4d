// The picture of a session: what the window in front shows, the others by name, and the side pane.

import LibraryApp
import Millrace

extension PlaySession {
  /// What is to be drawn.
  ///
  /// - Parameters:
  ///   - cursor: the item that the cursor is on, for the screen on top.
  ///   - pane: where the side pane is.
  package func picture(cursor: Int? = nil, pane: Desk.PaneMode = .closed) -> Picture {
    var picture = Picture()
    picture.windows = windows.map { window in
      "\(window.number) \(window.host.screens.visiblePath.last.map(window.title(of:)) ?? "")"
    }
    picture.front = windows.firstIndex { $0 === front } ?? 0
    picture.account =
      windows.lazy.compactMap { ($0.window.rootFlow as? SignedInFlow)?.account?.member.name }.first
      ?? ""
    picture.layers = front.host.screens.layers.map(layer)
    if let last = picture.layers.indices.last { picture.layers[last].screen.cursor = cursor }
    if pane != .closed {
      let tree = runtime.tree.split(separator: "\n").map(String.init)
      picture.pane = Picture.Pane(tree: tree, refusals: log.refusals, isAlone: pane == .alone)
    }
    return picture
  }

  /// What is on the screen on top.
  package var items: [PageText] {
    front.top.flatMap(front.view(of:))?.page.items.map(\.text) ?? []
  }

  private func layer(_ layer: Navigation.Layer) -> Picture.Layer {
    var titles: [String] = []
    var tabs: [FlowID] = []
    var selected: FlowID?
    var path: [FlowID] = []
    var stack: Navigation.Stack? = layer.stack
    while let current = stack {
      path = current.screens.map(\.id)
      titles = path.map(front.title(of:))
      guard let top = current.screens.last, !top.tabs.isEmpty else { break }
      tabs = top.tabs.compactMap { $0.screens.first?.id }
      selected = top.selectedTab
      stack = top.selectedStack
    }
    let screen = screen(path.last, titles)
    return Picture.Layer(
      layer.presentation, screen, tabs: tabs.map(front.title(of:)),
      selectedTab: tabs.firstIndex { $0 == selected }, gesture: gesture(on: path, titles))
  }

  private func screen(_ id: FlowID?, _ titles: [String]) -> Picture.Screen {
    guard let id else { return Picture.Screen(path: titles, items: []) }
    let items = front.view(of: id)?.page.items.map(\.text)
    return Picture.Screen(
      path: titles, items: items ?? (front.host.gesture == nil ? [] : Self.held))
  }

  /// What is on a screen whose flow has ended while the user holds one.
  private static let held = [PageText(.notice, "This has ended, and leaves when you let go.")]

  /// What the finger has brought to light in this stack.
  private func gesture(on path: [FlowID], _ titles: [String]) -> Picture.Gesture? {
    guard let gesture = front.host.gesture, let place = path.firstIndex(of: gesture.flow) else {
      return nil
    }
    if let target = gesture.target {
      return .brings(screen(target, titles.prefix(place) + [front.title(of: target)]))
    }
    return place == 0
      ? .lowers : .uncovers(screen(path[place - 1], Array(titles.prefix(place))))
  }
}
