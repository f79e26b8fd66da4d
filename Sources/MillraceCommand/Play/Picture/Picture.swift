// What is on the terminal, as a value. Drawing is a function of it and of the size, and of nothing
// else: see PictureDrawing.swift.

import Millrace

/// A whole picture.
package struct Picture: Equatable, Sendable {
  /// The windows, in order, and which is in front.
  package var windows: [String]
  package var front: Int
  /// Who is signed in; empty for nobody.
  package var account: String
  /// What the window in front shows, the lowest first.
  package var layers: [Layer]
  /// The side pane: the live tree and the refusals; nil if it is closed.
  package var pane: Pane?
  /// What is told on the last row.
  package var message: String
  /// Keys and what they do, instead of all else.
  package var help: [String]?

  package init(
    windows: [String] = ["Library"], front: Int = 0, account: String = "", layers: [Layer] = [],
    pane: Pane? = nil, message: String = "", help: [String]? = nil
  ) {
    self.windows = windows
    self.front = front
    self.account = account
    self.layers = layers
    self.pane = pane
    self.message = message
    self.help = help
  }

  /// A screen: what stands over it and on it.
  package struct Screen: Equatable, Sendable {
    /// Titles of the stack that it is on, itself last.
    package var path: [String]
    package var items: [PageText]
    /// The item that the cursor is on.
    package var cursor: Int?

    package init(path: [String], items: [PageText], cursor: Int? = nil) {
      self.path = path
      self.items = items
      self.cursor = cursor
    }
  }

  /// The window's own stack, or a modal over it.
  package struct Layer: Equatable, Sendable {
    package var presentation: Presentation
    package var screen: Screen
    /// Titles of the tabs, and which is selected.
    package var tabs: [String]
    package var selectedTab: Int?
    /// What a gesture uncovers or brings, while one is going on.
    package var gesture: Gesture?

    package init(
      _ presentation: Presentation, _ screen: Screen, tabs: [String] = [], selectedTab: Int? = nil,
      gesture: Gesture? = nil
    ) {
      self.presentation = presentation
      self.screen = screen
      self.tabs = tabs
      self.selectedTab = selectedTab
      self.gesture = gesture
    }
  }

  /// The finger on a screen.
  package enum Gesture: Equatable, Sendable {
    /// It is drawn aside, and this one comes to light.
    case uncovers(Screen)
    /// It is drawn down, and the layer under it comes to light.
    case lowers
    /// This one is drawn over it.
    case brings(Screen)
  }

  /// The side pane.
  package struct Pane: Equatable, Sendable {
    package var tree: [String]
    /// Oldest first.
    package var refusals: [String]
    /// Whether it has all of the picture; else it is beside the screen, where there is room.
    package var isAlone = false

    package init(tree: [String], refusals: [String], isAlone: Bool = false) {
      self.tree = tree
      self.refusals = refusals
      self.isAlone = isAlone
    }
  }
}
