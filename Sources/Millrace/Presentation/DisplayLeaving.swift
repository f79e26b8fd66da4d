// How screens leave: in the state step of an end, all of a step at once. Keeps R24: the host is asked
// by one command for each group that leaves together, and what it never had leaves without a word.

extension WindowDisplay {
  /// The flows of these screens have ended, those that stand lower first. Nothing foreign runs.
  /// Returns the first of each group that leaves.
  fileprivate func leave(_ ended: [Screen]) -> [Screen] {
    var wasOnHost: Set<FlowID> = []
    let time = core.timers.now
    for screen in ended {
      if screen.wasAskedFor { wasOnHost.insert(screen.id) }
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
    for lead in ordered {
      if wasOnHost.contains(lead.id) { takeAway(lead) } else { unlinkGone(from: lead) }
    }
    keepSelections()
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

  private func cutTab(_ lead: Screen, _ stack: ScreenStack, _ container: Screen) {
    guard let index = container.tabs.firstIndex(where: { $0 === stack }) else { return }
    container.tabs.remove(at: index)
    let wasSelected = container.selectedTab === stack
    if wasSelected { container.selectedTab = nil }
    if let vacancy = lead.vacancy {
      vacancy.container = container
      vacancy.index = index
      vacancy.wasSelected = wasSelected
    } else {
      selectNeighbour(of: index, in: container)
      lostTabs.append(container)
    }
  }

  /// For a selected tab that left, its neighbour is selected.
  func selectNeighbour(of index: Int, in container: Screen) {
    guard container.isLive, container.selectedTab == nil, !container.tabs.isEmpty else { return }
    container.selectedTab = container.tabs[min(index, container.tabs.count - 1)]
  }

  /// A host that a tab was taken from is told what is selected: the user may have gone to the tab
  /// that left, and the report be on its way.
  private func keepSelections() {
    let containers = lostTabs
    lostTabs = []
    for container in containers {
      if container.isLive, let selected = container.selectedTab { request(.select(selected)) }
    }
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
      guard let upper else { continue }
      unlinkGone(from: upper)
      guard upper.state == .leaving else { continue }
      upper.uncovers = upper === above ? screen.uncovers : nil
      again.append(.takeAway(upper))
    }
    gone(screen, .done)
  }

  /// The host shows this screen no more, nor what left with it.
  func gone(_ lead: Screen, _ settlement: Dismissal.Settlement) {
    if lead.presentation.isModal, !isClosed { showAgainAbove(lead) }
    for screen in leavingGroup(of: lead) {
      screen.unlink()
      guard screen.state == .leaving else { continue }
      leaving[screen.id] = nil
      screen.state = .gone
      screen.settlement = settlement
      if screen.endedUndecided, let old = screen.provisional?.old, old.isLive {
        if let id = old.lastAbandoned { abandoned[id] = nil }
        old.lastAbandoned = screen.id
        abandoned[screen.id] = screen
      }
      if gesture == screen.id { gesture = nil }
      screen.wake()
    }
  }

  /// Of what leaves with this screen, that which the host never had has nothing to wait for.
  private func unlinkGone(from lead: Screen) {
    for screen in leavingGroup(of: lead) where screen.state == .gone { screen.unlink() }
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
}

extension RuntimeCore {
  /// The flows of these screens have ended. Returns the first screen of each group that leaves, and
  /// the windows that they were in.
  func leave(_ ended: [Screen]) -> (leads: [Screen], displays: [WindowDisplay]) {
    var displays: [WindowDisplay] = []
    var known: Set<UInt64> = []
    for screen in ended where known.insert(screen.display.window).inserted {
      displays.append(screen.display)
    }
    guard let first = displays.first else { return ([], []) }
    if displays.count == 1 { return (first.leave(ended), displays) }
    let byWindow = Dictionary(grouping: ended) { $0.display.window }
    return (displays.flatMap { $0.leave(byWindow[$0.window] ?? []) }, displays)
  }
}
