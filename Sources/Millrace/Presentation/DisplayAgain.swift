// What a host lost and has to show again: modals of others over one that left, and what was under a
// gesture whose reports crossed. To show what is there already is nothing to a host.

extension WindowDisplay {
  /// The host has lost the modals that it was asked for after this one, and that stay.
  func showAgainAbove(_ lead: Screen) {
    for layer in layersAskedFor(after: lead) { showAgain(layer) }
  }

  /// The modals that stay over one that leaves.
  func staysOver(_ lead: Screen) -> [Screen] {
    lead.presentation.isModal ? layersAskedFor(after: lead).map(\.bottom) : []
  }

  /// The lowest first.
  private func layersAskedFor(after lead: Screen) -> [ScreenStack] {
    var found: [ScreenStack] = []
    var next = topLayer
    while let layer = next, layer.bottom.order > lead.order {
      if layer.bottom.wasAskedFor { found.append(layer) }
      next = layer.under
    }
    return found.reversed()
  }

  // A modal takes the place of one that others stand over. Which of those the host has, and whether
  // it has the old one, nobody knows for certain: the user may have been faster. So all are taken away
  // by name, and what stays is shown anew, the lowest first.

  /// True if the host may have something over the place of this one.
  func standsUnderOthers(_ screen: Screen, replacing lead: Screen) -> Bool {
    lead.presentation.isModal
      && modalsOver(screen, replacing: lead).contains { $0 !== screen }
  }

  /// What the host may have over the place, and the one that takes it, if a gesture has brought it.
  func modalsOver(_ screen: Screen, replacing lead: Screen) -> [Screen] {
    var found = leaving.values
      .filter { $0.presentation.isModal && !$0.endedUndecided && $0.order > lead.order }
      .sorted { $0.order < $1.order }
    var next = screen.layer
    while let layer = next {
      found.append(layer.bottom)
      next = layer.over
    }
    return found.filter(\.wasAskedFor)
  }

  /// The place is free, and nothing stands over it.
  func cleared(
    _ lead: Screen, with others: [FlowID], _ settlement: Dismissal.Settlement, for screen: Screen
  ) {
    for id in others { if let other = leaving[id] { gone(other, settlement) } }
    gone(lead, settlement)
    if screen.isLive { showAgain(upFrom: screen.layer) }
  }

  /// Shows this layer and those over it once more.
  private func showAgain(upFrom layer: ScreenStack?) {
    var next = layer
    while let layer = next {
      showAgain(layer)
      next = layer.over
    }
  }

  /// A new host is to show all that there is.
  func showAll() { showAgain(upFrom: base) }

  /// The host has lost this layer with one that was under it.
  private func showAgain(_ stack: ScreenStack) { showAgain(from: stack.bottom) }

  /// The host has put another screen in the place of this one, which stays; or it may have.
  func showAgain(_ screen: Screen, replacing other: Screen) {
    showAgain(from: screen, replacing: other)
    if screen.layer != nil { showAgainAbove(screen) }
  }

  private func showAgain(from lowest: Screen, replacing other: Screen? = nil) {
    var next: Screen? = lowest
    while let screen = next {
      if screen.wasAskedFor, !screen.isProvisional {
        screen.state = .waiting
        screen.lastAgain += 1
        again.append(
          .again(screen, number: screen.lastAgain, replacing: screen === lowest ? other : nil))
        for tab in screen.tabs { showAgain(tab) }
        if let selected = screen.selectedTab, screen.tabs.count > 1 {
          again.append(.select(selected))
        }
      }
      next = screen.above
    }
  }
}
