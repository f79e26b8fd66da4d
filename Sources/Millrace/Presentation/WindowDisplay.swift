// What one window shows: screens are put here when their flows start, and leave when they end.
// Keeps R24: what leaves takes along all that was put above it, whoever owns it.

import Observation

/// What is told to those who observe a window's navigation.
@MainActor @Observable
final class NavigationRevision {
  var number = 0
}

@MainActor
final class WindowDisplay {
  let core: RuntimeCore
  let window: UInt64
  weak var host: (any Host)?
  /// True if the window ever had a host.
  var hadHost: Bool
  /// How many hosts it had before this one.
  var hostNumber = 0
  /// The host of a window that is being closed.
  private var lastHost: (any Host)?
  var isClosed = false
  /// The lowest and the highest layer.
  var base: ScreenStack?
  var topLayer: ScreenStack?
  /// Key: a live flow on display, or one that is provisional. Value: its screen.
  var screens: [FlowID: Screen] = [:]
  /// Key: a flow that has ended while the host still shows it. Value: its screen.
  var leaving: [FlowID: Screen] = [:]
  /// Key: a provisional flow that ended undecided and is gone. Value: its screen, while what it was
  /// to replace stays; only the latest for each.
  var abandoned: [FlowID: Screen] = [:]
  /// The screens that were last seen to be visible.
  var visible: [Screen] = []
  let revision = NavigationRevision()
  var isChangeQueued = false
  /// True between the end of a session and the root for the next state.
  var expectsRoot = false
  /// The place of the root of the former state.
  var formerRoot: Vacancy?
  /// In the middle of an end: screens that have lost a tab.
  var lostTabs: [Screen] = []
  /// A vacancy that nothing has taken yet.
  var openVacancy: Vacancy?

  // The queue of requests; see TransitionQueue.swift.
  var requests = Fifo<DisplayRequest>()
  /// What sets right what the host shows. It goes before all else.
  var again = Fifo<DisplayRequest>()
  var inFlight: Flight?
  var timer: RuntimeTimer?
  var gesture: FlowID?
  var isPumping = false
  /// Counts what the host was asked to show.
  var lastOrder = 0
  var settledWaiters: [CheckedContinuation<Void, Never>] = []

  init(core: RuntimeCore, window: UInt64, host: (any Host)?) {
    self.core = core
    self.window = window
    self.host = host
    hadHost = host != nil
  }

  // MARK: - Coming

  /// Puts a flow on display.
  func put(_ node: AnyFlowNode, taking vacancy: Vacancy?) {
    let screen = makeScreen(node)
    let lead = vacancy.flatMap { claim($0, for: screen) }
    link(screen, lead == nil ? nil : vacancy)
    if let lead {
      request(.replace(lead, screen))
    } else {
      request(.show(screen))
      // A host selects the first tab that it gets, and no other by itself.
      if let stack = screen.stack, stack.bottom === screen, let container = stack.container,
        container.tabs.count > 1, container.selectedTab === stack
      {
        request(.select(stack))
      }
    }
    changed()
    pump()
  }

  /// Makes a screen that a gesture decides about, and asks the host to begin.
  func challenge(_ provisional: Provisional, with node: AnyFlowNode) {
    let screen = makeScreen(node)
    screen.provisional = provisional
    provisional.old.challenger = screen
    request(.replace(provisional.old, screen))
    pump()
  }

  /// Gives a provisional screen its place.
  func settle(_ screen: Screen, in vacancy: Vacancy) {
    link(screen, vacancy)
    changed()
  }

  private func makeScreen(_ node: AnyFlowNode) -> Screen {
    let screen = Screen(node, self)
    screen.over = node.parent?.nearestScreen?.id
    node.screen = screen
    screens[screen.id] = screen
    return screen
  }

  private func link(_ screen: Screen, _ vacancy: Vacancy?) {
    let over = screen.node?.parent?.nearestScreen
    if screen.presentation == .tab, let over {
      let stack = ScreenStack(screen)
      screen.stack = stack
      stack.container = over
      let isBack = vacancy?.container === over
      let index = isBack ? min(vacancy?.index ?? 0, over.tabs.count) : over.tabs.count
      over.tabs.insert(stack, at: index)
      if over.selectedTab == nil || (isBack && vacancy?.wasSelected ?? false) {
        over.selectedTab = stack
      }
    } else if screen.hostPresentation == .push, let stack = over?.stackForPushes {
      stack.push(screen)
    } else {
      addLayer(screen, on: vacancy == nil ? topLayer : vacancy?.under)
    }
    screen.isCovered = !isVisible(screen)
  }

  private func addLayer(_ screen: Screen, on under: ScreenStack?) {
    let layer = ScreenStack(screen)
    let over = under == nil ? base : under?.over
    screen.stack = layer
    layer.under = under
    layer.over = over
    under?.over = layer
    over?.under = layer
    if over == nil { topLayer = layer }
    if under == nil { base = layer }
  }

  // MARK: - Changes

  /// Tells those who observe, and the work that depends on being seen, after what is going on now.
  func changed() {
    guard !isChangeQueued, !isClosed else { return }
    isChangeQueued = true
    core.deliver { [self] in
      isChangeQueued = false
      followVisibility()
      revision.number += 1
    }
  }

  /// The user, or a command, has selected a tab.
  func select(_ stack: ScreenStack) {
    guard let container = stack.container, container.selectedTab !== stack else { return }
    container.selectedTab = stack
    changed()
  }

  /// The window is closed: its host is asked for nothing more.
  func close() {
    isClosed = true
    lastHost = host
    host = nil
    timer?.cancel()
    timer = nil
    inFlight = nil
    gesture = nil
    openVacancy = nil
    formerRoot = nil
    requests.removeAll()
    again.removeAll()
  }

  /// All of the window has ended: its host is told, and nobody waits for it.
  func finishClosing() {
    let (host, words) = (lastHost, lastWords)
    lastHost = nil
    for screen in leaving.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
      gone(screen, .closed)
    }
    requests.removeAll()
    again.removeAll()
    visible = []
    abandoned = [:]
    // Places of roots and tabs that have ended with the window: nothing comes in their stead.
    openVacancy = nil
    formerRoot = nil
    if let host { part(from: host, words) }
    wakeSettled()
  }
}
