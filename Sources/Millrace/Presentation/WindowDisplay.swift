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
  private(set) weak var host: (any Host)?
  /// True if the window was opened with a host.
  let hadHost: Bool
  private(set) var isClosed = false
  /// The lowest and the highest layer.
  private(set) var base: ScreenStack?
  private(set) var topLayer: ScreenStack?
  /// Key: a live flow on display, or one that is provisional. Value: its screen.
  private(set) var screens: [FlowID: Screen] = [:]
  /// Key: a flow that has ended while the host still shows it. Value: its screen.
  private(set) var leaving: [FlowID: Screen] = [:]
  /// Key: a provisional flow that ended undecided and is gone. Value: what it was to replace, while
  /// that stays; only the latest for each.
  private(set) var abandoned: [FlowID: Screen] = [:]
  /// The screens that were last seen to be visible.
  var visible: [Screen] = []
  let revision = NavigationRevision()
  private var isChangeQueued = false
  /// True between the end of a session and the root for the next state.
  private(set) var expectsRoot = false
  /// The place of the root of the former state.
  private(set) var formerRoot: Vacancy?
  /// A vacancy that nothing has taken yet.
  private var openVacancy: Vacancy?

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
    provisional.screen = screen
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

  // MARK: - Leaving

  /// The flows of these screens have ended, those that stand lower first. Nothing foreign runs.
  /// Returns the first of each group that leaves.
  fileprivate func leave(_ ended: [Screen]) -> [Screen] {
    var wasOnHost: Set<FlowID> = []
    let time = core.timers.now
    for screen in ended {
      if screen.isOnHost || inFlight?.shows(screen) ?? false { wasOnHost.insert(screen.id) }
      if let id = screen.lastAbandoned { abandoned[id] = nil }
      screen.state = .leaving
      screen.leftAt = time
      screen.releaseNode()
      screens[screen.id] = nil
      leaving[screen.id] = screen
    }
    // What is over a window goes before what is in it.
    let leads = Array(ended.filter(\.leadsLeaving).reversed())
    let ordered = leads.filter(\.presentation.isModal) + leads.filter { !$0.presentation.isModal }
    for lead in ordered { cut(lead) }
    // What stands on a screen that the host has not got goes by itself.
    for screen in ended.reversed() where wasOnHost.contains(screen.id) {
      if let lower = screen.lower, lower.state == .leaving, !wasOnHost.contains(lower.id) {
        request(.takeAway(screen))
      }
    }
    for screen in ended where !wasOnHost.contains(screen.id) { drop(screen) }
    for lead in ordered where wasOnHost.contains(lead.id) { takeAway(lead) }
    changed()
    return ordered
  }

  /// Takes what leaves with this screen out of the links of what stays.
  private func cut(_ lead: Screen) {
    if let provisional = lead.provisional, provisional.isHeld {
      provisional.old.challenger = nil
    } else if let below = lead.below {
      lead.uncovers = below.id
      lead.below = nil
      below.above = nil
      below.stack?.top = below
    } else if let stack = lead.stack, let container = stack.container {
      cutTab(lead, stack, container)
    } else if let layer = lead.stack {
      cutLayer(lead, layer)
    }
  }

  /// Modals over it that belong to others stay in the navigation; the host will lose them too, and
  /// has to show them again.
  private func cutLayer(_ lead: Screen, _ layer: ScreenStack) {
    let under = layer.under
    lead.vacancy?.under = under
    var highest = layer
    while let over = highest.over, !over.bottom.isLive { highest = over }
    let stays = highest.over
    highest.over = nil
    layer.under = nil
    under?.over = stays
    stays?.under = under
    if stays == nil { topLayer = under }
    if base === layer { base = stays }
  }

  /// The host has lost the modals that it was asked for after this one, and that stay.
  private func showAgainAbove(_ lead: Screen) {
    var lost: [ScreenStack] = []
    var next = topLayer
    while let layer = next, layer.bottom.order > lead.order {
      lost.append(layer)
      next = layer.under
    }
    for layer in lost.reversed() { showAgain(layer) }
  }

  /// The host has lost this layer with one that was under it.
  private func showAgain(_ stack: ScreenStack) { showAgain(from: stack.bottom) }

  /// The host has put another screen in the place of this one, which stays; or it may have.
  func showAgain(_ screen: Screen, replacing id: FlowID) {
    if screen.stack?.bottom === screen, screen.stack?.container == nil { showAgainAbove(screen) }
    showAgain(from: screen, replacing: id)
  }

  private func showAgain(from lowest: Screen, replacing id: FlowID? = nil) {
    var next: Screen? = lowest
    while let screen = next {
      if screen.isOnHost, !screen.isProvisional {
        screen.state = .waiting
        screen.wasShownAgain = true
        if screen === lowest, let id {
          again.append(.restore(screen, replacing: id))
        } else {
          again.append(.show(screen))
        }
        for tab in screen.tabs { showAgain(tab) }
        if let selected = screen.selectedTab, screen.tabs.count > 1 {
          again.append(.select(selected))
        }
      }
      next = screen.above
    }
  }

  private func cutTab(_ lead: Screen, _ stack: ScreenStack, _ container: Screen) {
    guard let index = container.tabs.firstIndex(where: { $0 === stack }) else { return }
    container.tabs.remove(at: index)
    let wasSelected = container.selectedTab === stack
    if wasSelected { container.selectedTab = nil }
    if let vacancy = lead.vacancy {
      vacancy.container = container
      vacancy.index = index
      vacancy.wasSelected = wasSelected
    } else if wasSelected {
      selectNeighbour(of: index, in: container)
    }
  }

  private func selectNeighbour(of index: Int, in container: Screen) {
    guard container.isLive, container.selectedTab == nil, !container.tabs.isEmpty else { return }
    let stack = container.tabs[min(index, container.tabs.count - 1)]
    container.selectedTab = stack
    request(.select(stack))
  }

  /// A screen that the host never had leaves without a word to it.
  private func drop(_ screen: Screen) {
    leaving[screen.id] = nil
    screen.state = .gone
    screen.settlement = .done
    core.trace { .requestDropped(screen.id, screen.endedBy) }
    screen.wake()
  }

  private func takeAway(_ lead: Screen) {
    if lead.isReportedGone {
      if lead.provisional?.isHeld ?? false { endTransition(of: lead) }
      goneAlone(lead)
    } else if let vacancy = lead.vacancy {
      vacancy.lead = lead
      openVacancy = vacancy
    } else if expectsRoot, lead.presentation == .root, lead.provisional == nil {
      let vacancy = Vacancy(of: lead)
      vacancy.lead = lead
      formerRoot = vacancy
    } else if lead.provisional?.isHeld ?? false {
      // Before all else the host is to let go of the gesture.
      endTransition(of: lead)
      again.append(.takeAway(lead))
    } else {
      request(.takeAway(lead))
    }
  }

  /// The host has reported by itself that this screen is gone. It may have been asked since for
  /// what rests on it, so that is taken away by name.
  func goneAlone(_ screen: Screen) {
    let above = screen.above
    let over = screen.layerOver
    above?.below = nil
    screen.above = nil
    over?.under = nil
    if over != nil { screen.stack?.over = nil }
    for upper in [above, over?.bottom] {
      guard let upper, upper.state == .leaving else { continue }
      upper.uncovers = upper === above ? screen.uncovers : nil
      again.append(.takeAway(upper))
    }
    gone(screen, .done)
  }

  /// The host shows this screen no more, nor what left with it.
  func gone(_ lead: Screen, _ settlement: Dismissal.Settlement) {
    if lead.presentation.isModal, !isClosed { showAgainAbove(lead) }
    for screen in leavingGroup(of: lead) {
      screen.tabs = []
      screen.selectedTab = nil
      screen.above = nil
      screen.below = nil
      screen.stack = nil
      guard screen.state == .leaving else { continue }
      leaving[screen.id] = nil
      screen.state = .gone
      screen.settlement = settlement
      if screen.endedUndecided, let old = screen.provisional?.old, old.isLive {
        if let id = old.lastAbandoned { abandoned[id] = nil }
        old.lastAbandoned = screen.id
        abandoned[screen.id] = old
      }
      if gesture == screen.id { gesture = nil }
      screen.wake()
    }
  }

  /// What leaves with this screen, itself first.
  func leavingGroup(of lead: Screen) -> [Screen] {
    var group: [Screen] = []
    var found = [lead]
    while let screen = found.popLast() {
      group.append(screen)
      if let over = screen.layerOver { found.append(over.bottom) }
      if let above = screen.above { found.append(above) }
      for tab in screen.tabs.reversed() { found.append(tab.bottom) }
    }
    return group
  }

  // MARK: - Places that are taken again

  /// What takes the place of the screen's flow, which is about to end.
  func vacate(_ screen: Screen) -> Vacancy {
    fillVacancy()
    return Vacancy(of: screen)
  }

  /// The place was not taken: its screen is taken away as any other.
  func close(_ vacancy: Vacancy) {
    if openVacancy === vacancy {
      fillVacancy()
      pump()
    } else if let container = vacancy.container, vacancy.wasSelected {
      selectNeighbour(of: vacancy.index, in: container)
      pump()
    }
  }

  /// What comes between the end of a screen and its replacement goes to the host in that order.
  func fillVacancy() {
    guard let vacancy = openVacancy else { return }
    openVacancy = nil
    if let lead = vacancy.lead { request(.takeAway(lead)) }
    vacancy.lead = nil
    if let container = vacancy.container, vacancy.wasSelected {
      selectNeighbour(of: vacancy.index, in: container)
    }
  }

  /// Returns the screen that the host is to replace by the new one, if one command can do it.
  private func claim(_ vacancy: Vacancy, for screen: Screen) -> Screen? {
    guard let lead = vacancy.lead else { return nil }
    if vacancy === openVacancy { openVacancy = nil }
    vacancy.lead = nil
    guard lead.state == .leaving else { return nil }
    let over = screen.node?.parent?.nearestScreen
    let isSamePlace =
      vacancy.presentation == screen.hostPresentation
      && (vacancy.presentation != .push || lead.uncovers == over?.stackForPushes?.top.id)
      && (vacancy.presentation != .tab || vacancy.container === over)
    if isSamePlace { return lead }
    request(.takeAway(lead))
    if let container = vacancy.container, vacancy.wasSelected {
      selectNeighbour(of: vacancy.index, in: container)
    }
    return nil
  }

  /// The session has ended: the root for the next state takes the place of the present one.
  func expectRoot() { if base != nil { expectsRoot = true } }

  /// The root for the next state comes now.
  func takeFormerRoot() -> Vacancy? {
    expectsRoot = false
    defer { formerRoot = nil }
    openVacancy = openVacancy ?? formerRoot
    return formerRoot
  }

  /// No other root will come.
  func expectNoRoot() {
    if let vacancy = takeFormerRoot() { close(vacancy) }
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

  /// What was to be replaced was replaced by a gesture.
  func forget(_ vacancy: Vacancy) {
    if openVacancy === vacancy { openVacancy = nil }
    vacancy.lead = nil
  }

  /// The window is closed: its host is asked for nothing more.
  func close() {
    isClosed = true
    host = nil
    timer?.cancel()
    timer = nil
    inFlight = nil
    gesture = nil
    openVacancy = nil
    formerRoot = nil
    _ = requests.removeAll()
    _ = again.removeAll()
  }

  /// All of the window has ended.
  func finishClosing() {
    for screen in leaving.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
      gone(screen, .closed)
    }
    _ = requests.removeAll()
    _ = again.removeAll()
    visible = []
    wakeSettled()
  }
}

extension RuntimeCore {
  /// The flows of these screens have ended. Returns the first screen of each group that leaves, and
  /// the windows that they were in.
  func leave(_ ended: [Screen]) -> (leads: [Screen], displays: [WindowDisplay]) {
    var displays: [WindowDisplay] = []
    for screen in ended where displays.last !== screen.display {
      if !displays.contains(where: { $0 === screen.display }) { displays.append(screen.display) }
    }
    guard let first = displays.first else { return ([], []) }
    if displays.count == 1 { return (first.leave(ended), displays) }
    let byWindow = Dictionary(grouping: ended) { $0.display.window }
    return (displays.flatMap { $0.leave(byWindow[$0.window] ?? []) }, displays)
  }
}
