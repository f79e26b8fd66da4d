// What a window shows, as a value: stacks, modals over modals, tabs with stacks of their own.
// It is read off the tree whenever it is asked for, and never kept beside it.

/// Where a screen is between the request for it and its end.
public enum ScreenState: String, Sendable, Equatable {
  /// The host has not been asked yet: another transition is running.
  case waiting
  /// The host was asked, and has not reported it.
  case showing
  /// The host has reported it.
  case shown
  /// The flow has ended, and the host has not reported that its screen is gone.
  case leaving
  /// The flow has ended and its screen is gone, or it never had one.
  case gone
}

/// What a window shows: live flows only, each with its id.
///
/// Two values are equal if the same flows stand in the same places, with the same tabs selected.
/// How far a screen has come on its way in (`Screen.state`) does not count.
public struct Navigation: Sendable, Equatable {
  /// One screen: a flow, and its tabs if it has any.
  public struct Screen: Sendable {
    /// The flow.
    public var id: FlowID
    /// The type of the flow; empty where only the id is known.
    public var name: String
    /// How far it has come.
    public var state: ScreenState
    /// A stack for each tab, in order.
    public var tabs: [Stack]
    /// The first flow of the selected tab.
    public var selectedTab: FlowID?

    /// Makes a screen.
    public init(
      _ id: FlowID, name: String = "", state: ScreenState = .shown, tabs: [Stack] = [],
      selectedTab: FlowID? = nil
    ) {
      self.id = id
      self.name = name
      self.state = state
      self.tabs = tabs
      self.selectedTab = selectedTab
    }
  }

  /// Screens one over the other, the first at the bottom. Never empty in a window's navigation.
  public struct Stack: Sendable, Equatable {
    /// The screens, bottom first.
    public var screens: [Screen]

    /// Makes a stack.
    public init(_ screens: [Screen]) { self.screens = screens }
  }

  /// A stack over all that is below: the window's own, or a modal.
  public struct Layer: Sendable, Equatable {
    /// `root`, or how the modal is shown.
    public var presentation: Presentation
    /// What is in it.
    public var stack: Stack

    /// Makes a layer.
    public init(_ presentation: Presentation, _ stack: Stack) {
      self.presentation = presentation
      self.stack = stack
    }
  }

  /// The window's own stack, then the modals over it, one over the other.
  public var layers: [Layer]

  /// Makes a value; without layers it is an empty window.
  public init(_ layers: [Layer] = []) { self.layers = layers }

  /// The window's own stack, or nil if it shows nothing.
  public var root: Stack? { layers.first?.stack }
  /// What is over it, the lowest first.
  public var modals: ArraySlice<Layer> { layers.dropFirst() }
  /// The screen on top of all: of the last layer, in its selected tab.
  public var top: Screen? {
    var screen = layers.last?.stack.screens.last
    while let current = screen, let tab = current.selectedStack { screen = tab.screens.last }
    return screen
  }

  /// All flows on display, in the order in which they are printed.
  public var flows: [FlowID] { placed.map(\.id) }

  /// True if this flow is on display.
  public func contains(_ id: FlowID) -> Bool { placed.contains { $0.id == id } }

  /// The screen of this flow, or nil.
  public func screen(_ id: FlowID) -> Screen? {
    var found: Screen?
    visit { screen, _, _ in if screen.id == id { found = screen } }
    return found
  }
}

extension Navigation.Screen: Equatable {
  /// Same flow, same tabs, same selection.
  public static func == (a: Navigation.Screen, b: Navigation.Screen) -> Bool {
    a.id == b.id && a.selectedTab == b.selectedTab && a.tabs == b.tabs
  }

  /// The stack of the selected tab, or nil.
  public var selectedStack: Navigation.Stack? {
    tabs.first { $0.screens.first?.id == selectedTab }
  }
}

// MARK: - Differences and text

/// One difference between two navigation values.
public enum NavigationChange: Sendable, Equatable {
  /// The flow is no longer on display.
  case left(FlowID)
  /// The flow has come, over this one.
  case came(FlowID, as: Presentation, over: FlowID?)
  /// The flow stands elsewhere.
  case moved(FlowID, as: Presentation, over: FlowID?)
  /// This tab of the screen is selected now.
  case selected(FlowID?, in: FlowID)
}

extension Navigation: CustomStringConvertible {
  /// A flow and where it stands: on top of `below`, in a layer, or as a tab of `below`.
  struct Placed: Equatable {
    let id: FlowID
    let presentation: Presentation
    let below: FlowID?
    let selectedTab: FlowID?
  }

  var placed: [Placed] {
    var all: [Placed] = []
    visit { screen, presentation, below in
      all.append(
        Placed(
          id: screen.id, presentation: presentation, below: below, selectedTab: screen.selectedTab))
    }
    return all
  }

  private func visit(_ body: (Screen, Presentation, FlowID?) -> Void) {
    func visit(_ stack: Stack, _ presentation: Presentation, _ below: FlowID?) {
      var below = below
      for (index, screen) in stack.screens.enumerated() {
        body(screen, index == 0 ? presentation : .push, below)
        for tab in screen.tabs { visit(tab, .tab, screen.id) }
        below = screen.id
      }
    }
    var below: FlowID?
    for layer in layers {
      visit(layer.stack, layer.presentation, below)
      below = layer.stack.screens.last?.id
    }
  }

  /// What changed since an older value: first what left, then what came, moved and was selected.
  public func changes(since old: Navigation) -> [NavigationChange] {
    let before = old.placed
    let after = placed
    let known = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let kept = Set(after.map(\.id))
    var changes = before.filter { !kept.contains($0.id) }.map { NavigationChange.left($0.id) }
    for place in after {
      let was = known[place.id]
      if was == nil {
        changes.append(.came(place.id, as: place.presentation, over: place.below))
      } else if was?.below != place.below || was?.presentation != place.presentation {
        changes.append(.moved(place.id, as: place.presentation, over: place.below))
      }
      if was?.selectedTab != place.selectedTab {
        changes.append(.selected(place.selectedTab, in: place.id))
      }
    }
    return changes
  }

  /// A line for each layer and each tab, the selected one marked.
  public var description: String {
    var lines: [String] = []
    func write(_ stack: Stack, _ head: String, _ indent: String) {
      lines.append(indent + head + stack.screens.map(\.label).joined(separator: " › "))
      for screen in stack.screens {
        for tab in screen.tabs {
          let isSelected = tab.screens.first?.id == screen.selectedTab
          write(tab, isSelected ? "▸ " : "· ", indent + "  ")
        }
      }
    }
    for layer in layers { write(layer.stack, "\(layer.presentation.rawValue): ", "") }
    return lines.isEmpty ? "empty" : lines.joined(separator: "\n")
  }
}

extension Navigation.Screen {
  fileprivate var label: String {
    let named = name.isEmpty ? "\(id)" : "\(name) \(id)"
    return state == .shown ? named : "\(named) (\(state.rawValue))"
  }
}
