// Reads the navigation of a window off its live screens.

extension WindowDisplay {
  /// The navigation, with the read told to whoever observes.
  var observedNavigation: Navigation {
    _ = revision.number
    return navigation
  }

  var navigation: Navigation {
    var layers: [Navigation.Layer] = []
    var next = base
    while let layer = next {
      layers.append(Navigation.Layer(layer.bottom.presentation, layer.value))
      next = layer.over
    }
    return Navigation(layers)
  }

  /// True if the screens are exactly those of the live flows that have one.
  func isConsistent(with owner: Owner) -> Bool {
    var flows: Set<FlowID> = []
    var nodes: [Owner] = [owner]
    while let node = nodes.popLast() {
      if let screen = node.screen, !screen.isProvisional {
        guard node.isRunning, screen.isLive, screens[screen.id] === screen else { return false }
        flows.insert(screen.id)
      }
      var child = node.youngestChild
      while let current = child {
        nodes.append(current)
        child = current.older
      }
    }
    let shown = navigation.flows
    return shown.count == flows.count && flows == Set(shown)
  }
}

extension ScreenStack {
  fileprivate var value: Navigation.Stack {
    var screens: [Navigation.Screen] = []
    var next: Screen? = bottom
    while let screen = next {
      screens.append(screen.value)
      next = screen.above
    }
    return Navigation.Stack(screens)
  }
}

extension Screen {
  fileprivate var value: Navigation.Screen {
    Navigation.Screen(
      id, name: node?.name ?? "", state: state, tabs: tabs.map(\.value),
      selectedTab: selectedTab?.bottom.id)
  }
}
