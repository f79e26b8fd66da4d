// What keys mean: most become events, the rest moves the cursor or opens the side pane. The cursor is
// the terminal's own affair: the app knows nothing of it, and a recording has none of it.

import Millrace

/// What the user's keys have set up, beside the app.
package struct Desk: Equatable, Sendable {
  /// Key: a screen. Value: the item that its cursor is on.
  private var cursors: [FlowID: Int] = [:]
  package private(set) var pane = PaneMode.beside
  package private(set) var showsHelp = false

  package init() {}

  /// Where the side pane is.
  package enum PaneMode: Equatable, Sendable {
    /// Beside the screen, where there is room for both.
    case beside
    /// In place of the screen.
    case alone
    case closed
  }

  /// What a key asks for.
  package enum Wish: Equatable, Sendable {
    case event(PlayEvent)
    /// The desk has changed, or nothing.
    case draw
    case suspend
    case quit
  }

  /// What the desk is about to work on.
  package struct Sight {
    package var screen: FlowID?
    package var items: [PageText]
    package var isGesturing: Bool
    /// Titles of the tabs, and which is selected.
    package var tabs: [String]
    package var selectedTab: Int?
    /// Numbers of the windows, and which is in front.
    package var windows: [Int]
    package var front: Int

    package init(
      screen: FlowID?, items: [PageText], isGesturing: Bool = false, tabs: [String] = [],
      selectedTab: Int? = nil, windows: [Int] = [1], front: Int = 1
    ) {
      self.screen = screen
      self.items = items
      self.isGesturing = isGesturing
      self.tabs = tabs
      self.selectedTab = selectedTab
      self.windows = windows
      self.front = front
    }
  }

  /// The item that the cursor is on: where it was left, or the first that it can stand on.
  package func cursor(_ sight: Sight) -> Int? {
    let active = sight.items.indices.filter { sight.items[$0].isActive }
    guard let first = active.first else { return nil }
    guard let place = sight.screen.flatMap({ cursors[$0] }) else { return first }
    return active.last { $0 <= place } ?? first
  }

  /// Takes a key.
  package mutating func press(_ key: Key, _ sight: Sight) -> Wish {
    if key == .control("c") { return .quit }
    if key == .control("z") { return .suspend }
    if showsHelp {
      showsHelp = false
      return .draw
    }
    let item = cursor(sight).map { sight.items[$0] }
    if !sight.isGesturing, let item, case .field(let text, _) = item.role {
      if key == .left || key == .right { return .draw }
      if key == .tab || key == .enter { return moveOn(1, sight) }
      if key == .backTab { return moveOn(-1, sight) }
      if let typed = Self.typed(key, after: text) {
        return typed == text ? .draw : .event(.type(typed, field: item.name))
      }
    }
    switch key {
    case .up: return move(by: -1, sight)
    case .down: return move(by: 1, sight)
    case .pageUp: return move(by: -10, sight)
    case .pageDown: return move(by: 10, sight)
    case .home: return move(by: -sight.items.count, sight)
    case .end: return move(by: sight.items.count, sight)
    case .tab: return selectTab(1, sight)
    case .backTab: return selectTab(-1, sight)
    case .enter: return enter(item, sight)
    case .right where sight.isGesturing: return .event(.complete)
    case .left where sight.isGesturing: return .event(.letGo)
    case .escape, .left, .backspace: return .event(sight.isGesturing ? .letGo : .back(nil))
    case .right: return enter(item, sight)
    case .help: return press("?", sight)
    case .character(let letter), .control(let letter): return press(letter, sight)
    case .other: return .draw
    }
  }

  /// The text of a field after a key, or nil if the key is none for it.
  private static func typed(_ key: Key, after text: String) -> String? {
    switch key {
    case .character(let character): text + String(character)
    case .backspace: String(text.dropLast())
    case .control("u"): ""
    default: nil
    }
  }

  private func enter(_ item: PageText?, _ sight: Sight) -> Wish {
    if sight.isGesturing { return .event(.complete) }
    guard let item else { return .draw }
    return .event(.choose(item.name))
  }

  private mutating func press(_ letter: Character, _ sight: Sight) -> Wish {
    switch letter {
    case "g": return .event(sight.isGesturing ? .complete : .begin(nil))
    case "d": return .event(.swipe(nil))
    case "o": return .event(.signOut)
    case "l": return .event(.lock)
    case "w": return .event(.openWindow)
    case "x": return .event(.closeWindow)
    case "n":
      let place = sight.windows.firstIndex(of: sight.front).map { $0 + 1 } ?? 0
      guard sight.windows.count > 1 else { return .draw }
      return .event(.useWindow(sight.windows[place % sight.windows.count]))
    case "t":
      pane = pane == .beside ? .alone : pane == .alone ? .closed : .beside
      return .draw
    case "?", "h":
      showsHelp = true
      return .draw
    case "q": return .quit
    case "k", "p": return move(by: -1, sight)
    case "j": return move(by: 1, sight)
    default: return .draw
    }
  }

  private mutating func move(by count: Int, _ sight: Sight) -> Wish {
    move(sight) { place, all in max(0, min(all - 1, place + count)) }
  }

  /// To the next item, and after the last to the first.
  private mutating func moveOn(_ count: Int, _ sight: Sight) -> Wish {
    move(sight) { place, all in (place + count + all) % all }
  }

  /// Moves the cursor among the items that it can stand on.
  private mutating func move(
    _ sight: Sight, to target: (_ place: Int, _ all: Int) -> Int
  ) -> Wish {
    let active = sight.items.indices.filter { sight.items[$0].isActive }
    guard let screen = sight.screen, let place = cursor(sight).flatMap(active.firstIndex)
    else { return .draw }
    cursors[screen] = active[target(place, active.count)]
    return .draw
  }

  private func selectTab(_ count: Int, _ sight: Sight) -> Wish {
    guard !sight.tabs.isEmpty, let selected = sight.selectedTab else { return .draw }
    let next = (selected + count + sight.tabs.count) % sight.tabs.count
    return .event(.select(tab: sight.tabs[next]))
  }

  /// Forgets the cursors of screens that are gone.
  package mutating func keep(_ screens: Set<FlowID>) {
    cursors = cursors.filter { screens.contains($0.key) }
  }

  /// What the keys do.
  package static let help = [
    "up, down         move the cursor; also k and j, page up and down",
    "enter, right     use what the cursor is on",
    "esc, left        go back; the screen's guard is asked",
    "tab, shift-tab   the next tab, the one before; in a form the next field",
    "",
    "g                begin to swipe the screen away; then",
    "  g, enter       go through with it",
    "  esc, left      let go: all is as it was",
    "d                swipe it away at once",
    "",
    "o                sign out, whatever is open",
    "l                lock the app; the PIN of the card unlocks it",
    "w, n, x          open a window, go to the next, close this one",
    "t                live tree and refusals: alone, closed, beside",
    "q, ctrl-c        leave",
    "",
    "In a field letters are text: there use ctrl with the letter.",
    "?, h, F1         these keys; in a field F1",
  ]
}
