// What a link would change: made of the way to its place and the live tree, without changing either.

import Millrace
import MillraceFiles

/// What has to happen for a place to be shown.
public struct LinkPlan<R: Route>: Sendable, Equatable {
  /// A flow and its place.
  public struct Step: Sendable, Equatable {
    /// The flow.
    public var flow: FlowID
    /// Its place; nil for a flow that names none.
    public var route: R?
  }

  /// The flows on the way that stay as they are, the root first.
  public var stays: [Step]
  /// The tabs that are selected, among those that stay.
  public var selected: [Step]
  /// What is in the way and is dismissed: modals, then what covers those that stay.
  public var dismissed: [Step]
  /// The places that are shown, each from the one before it, the first from the last that stays.
  public var shown: [R]
  /// What the window is asked for, before anything is shown.
  var commands: [NavigationCommand]

  /// True if the place is on top already.
  public var changesNothing: Bool { selected.isEmpty && dismissed.isEmpty && shown.isEmpty }

  /// The flow from which the first new place is shown.
  var anchor: Step { stays[stays.count - 1] }

  /// Nil if the window's root is not that of the way.
  @MainActor
  init?(to way: [R], in tree: PlaceTree<R>) {
    guard let root = tree.root, let first = way.first, root.route == first else { return nil }
    var stays = [Step(flow: root.id, route: root.route)]
    var selected: [Step] = []
    var rest = way.dropFirst()
    var layer = 0
    var stack = tree.layers[0]
    var index = 0
    // What covers the tabs on the way.
    var covering: [Step] = []
    var uncovering: [NavigationCommand] = []
    func clear(above index: Int, in stack: [PlaceTree<R>.Node]) {
      guard index + 1 < stack.count else { return }
      covering += stack[(index + 1)...].map { Step(flow: $0.id, route: $0.route) }
      uncovering.append(.pop(to: stack[index].id))
    }
    func find(_ route: R, in stack: [PlaceTree<R>.Node], from start: Int) -> Int? {
      let next = stack[start...].firstIndex { $0.route != nil }
      return next.flatMap { stack[$0].route == route ? $0 : nil }
    }
    while let route = rest.first {
      let node = stack[index]
      if let tab = node.tabs.first(where: { find(route, in: $0, from: 0) != nil }),
        let place = find(route, in: tab, from: 0)
      {
        if node.selectedTab != tab[0].id {
          selected.append(Step(flow: tab[0].id, route: tab[0].route))
        }
        clear(above: index, in: stack)
        stack = tab
        index = place
      } else if let place = find(route, in: stack, from: index + 1) {
        index = place
      } else if layer + 1 < tree.layers.count,
        let place = find(route, in: tree.layers[layer + 1], from: 0)
      {
        layer += 1
        stack = tree.layers[layer]
        index = place
      } else {
        break
      }
      stays.append(Step(flow: stack[index].id, route: route))
      rest = rest.dropFirst()
    }
    clear(above: index, in: stack)
    let modals = tree.layers[(layer + 1)...]
    self.stays = stays
    self.selected = selected
    dismissed = modals.joined().map { Step(flow: $0.id, route: $0.route) } + covering
    shown = Array(rest)
    commands =
      modals.compactMap(\.first).map { .dismiss($0.id) } + uncovering
      + selected.map { .select($0.flow) }
  }
}

extension LinkPlan: CustomStringConvertible {
  /// A line for each flow that stays, is selected, dismissed or shown.
  public var description: String {
    func line(_ word: String, _ route: R?, _ flow: FlowID?) -> String {
      let name = route.map { legible("\($0)") } ?? "a screen without a place"
      return "\(word)\(name)" + (flow.map { " \($0)" } ?? "")
    }
    let lines =
      stays.map { line("stays      ", $0.route, $0.flow) }
      + dismissed.map { line("dismissed  ", $0.route, $0.flow) }
      + selected.map { line("selected   ", $0.route, $0.flow) }
      + shown.map { line("shown      ", $0, nil) }
    return lines.joined(separator: "\n")
  }
}
