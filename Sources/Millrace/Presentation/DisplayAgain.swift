// What a host lost and has to show again: modals of others over one that left, and what was under a
// gesture whose reports crossed. To show what is there already is nothing to a host.

extension WindowDisplay {
  /// The host has lost the modals that it was asked for after this one, and that stay.
  func showAgainAbove(_ lead: Screen) {
    for layer in layersAskedFor(after: lead) { showAgain(layer) }
  }

  /// The lowest first.
  private func layersAskedFor(after lead: Screen) -> [ScreenStack] {
    var found: [ScreenStack] = []
    var next = topLayer
    while let layer = next, layer.bottom.order > lead.order {
      found.append(layer)
      next = layer.under
    }
    return found.reversed()
  }

  /// A modal was to take the place of one that others stand over. If the user had taken that one away,
  /// unseen, the host has put the new one on top of the others: before they are shown again it takes
  /// the place of the lowest of them. Where all went well there is no such place, and nothing happens.
  private func keepUnder(_ screen: Screen, replacing lead: Screen) -> Bool {
    guard lead.presentation.isModal, !isClosed,
      let lowest = layersAskedFor(after: lead).first(where: { $0.bottom.wasAskedFor })
    else { return false }
    screen.lastAgain += 1
    again.append(.again(screen, number: screen.lastAgain, replacing: lowest.bottom.id))
    return true
  }

  /// The host shows the first no more, nor what left with it: it has put the other one in its place.
  ///
  /// - Returns: true if it is asked for the other one once more.
  func gone(_ lead: Screen, _ settlement: Dismissal.Settlement, for screen: Screen) -> Bool {
    // Asked for before what stands over it is.
    let isAskedAgain = keepUnder(screen, replacing: lead)
    gone(lead, settlement)
    return isAskedAgain
  }

  /// The host is about to lose what stands over the layer of this screen.
  func showAgainOver(_ screen: Screen) {
    var next = screen.layerOver
    while let layer = next {
      showAgain(layer)
      next = layer.over
    }
  }

  /// A new host is to show all that there is.
  func showAll() {
    var next = base
    while let layer = next {
      showAgain(layer)
      next = layer.over
    }
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
      if screen.wasAskedFor, !screen.isProvisional {
        screen.state = .waiting
        screen.lastAgain += 1
        again.append(
          .again(screen, number: screen.lastAgain, replacing: screen === lowest ? id : nil))
        for tab in screen.tabs { showAgain(tab) }
        if let selected = screen.selectedTab, screen.tabs.count > 1 {
          again.append(.select(selected))
        }
      }
      next = screen.above
    }
  }
}
