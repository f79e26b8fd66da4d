// What a host lost and has to show again: modals of others over one that left, and what was under a
// gesture whose reports crossed. To show what is there already is nothing to a host.

extension WindowDisplay {
  /// The host has lost the modals that it was asked for after this one, and that stay.
  func showAgainAbove(_ lead: Screen) {
    var lost: [ScreenStack] = []
    var next = topLayer
    while let layer = next, layer.bottom.order > lead.order {
      lost.append(layer)
      next = layer.under
    }
    for layer in lost.reversed() { showAgain(layer) }
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
