// What a host shows after a command: the meaning of the commands as a function on values. Hosts
// that draw from a value use it, and tests compare it with the navigation of the window.

extension Navigation {
  /// Does what the command asks. A command that names a flow which is not here changes nothing,
  /// as in a host where the user was faster.
  public mutating func apply(_ command: HostCommand) {
    switch command {
    case .show(let id, let presentation, let over): show(id, presentation, over)
    case .dismiss(let id, let others), .pop(let id, let others, _):
      for id in [id] + others where contains(id) { remove(id) }
    case .replace(let old, let new, let presentation, let over, _):
      guard contains(old) else { return show(new, presentation, over) }
      guard !contains(new) else {
        remove(old)
        // It stood above the old one, and has gone with it.
        if !contains(new) { show(new, presentation, over) }
        return
      }
      if let index = layers.firstIndex(where: { $0.stack.screens.first?.id == old }) {
        layers.removeSubrange((index + 1)...)
        // What stood in its place may have been another kind of modal.
        layers[index].presentation = presentation
      }
      edit(old) { stack, index in
        stack.screens.removeSubrange(index...)
        stack.screens.append(Screen(new))
      }
    case .select(let id):
      edit { stack in
        for index in stack.screens.indices
        where stack.screens[index].tabs.contains(where: { $0.screens.first?.id == id }) {
          stack.screens[index].selectedTab = id
        }
      }
    }
  }

  /// Takes away a flow and all that is above it, as a user does who swipes it away.
  public mutating func remove(_ id: FlowID) {
    if let index = layers.firstIndex(where: { $0.stack.screens.first?.id == id }) {
      layers.removeSubrange(index...)
    } else {
      edit(id) { stack, index in stack.screens.removeSubrange(index...) }
    }
  }

  private mutating func show(_ id: FlowID, _ presentation: Presentation, _ over: FlowID?) {
    guard !contains(id) else { return }
    switch presentation {
    case .inline: break
    case .root: layers = [Layer(.root, Stack([Screen(id)]))]
    case .sheet, .cover, .alert, .confirmation:
      layers.append(Layer(presentation, Stack([Screen(id)])))
    case .push:
      guard let over else { return }
      edit(over) { stack, _ in stack.screens.append(Screen(id)) }
    case .tab:
      guard let over else { return }
      edit(over) { stack, index in
        stack.screens[index].tabs.append(Stack([Screen(id)]))
        if stack.screens[index].selectedTab == nil { stack.screens[index].selectedTab = id }
      }
    }
  }

  /// Changes the stack that has this flow in it; tabs follow the first screen of their stacks.
  private mutating func edit(_ id: FlowID, _ body: (inout Stack, Int) -> Void) {
    var isDone = false
    edit { stack in
      guard !isDone, let index = stack.screens.firstIndex(where: { $0.id == id }) else { return }
      isDone = true
      body(&stack, index)
    }
    layers.removeAll { $0.stack.screens.isEmpty }
  }

  private mutating func edit(_ body: (inout Stack) -> Void) {
    func edit(_ stack: inout Stack) {
      body(&stack)
      for index in stack.screens.indices where !stack.screens[index].tabs.isEmpty {
        let selected = stack.screens[index].selectedTab
        let position = stack.screens[index].tabs.firstIndex { $0.screens.first?.id == selected }
        for tab in stack.screens[index].tabs.indices { edit(&stack.screens[index].tabs[tab]) }
        stack.screens[index].tabs.removeAll { $0.screens.isEmpty }
        stack.screens[index].keepSelection(position)
      }
    }
    for index in layers.indices { edit(&layers[index].stack) }
  }
}

extension Navigation.Screen {
  /// A tab that was replaced stays selected; for one that left, its neighbour is.
  fileprivate mutating func keepSelection(_ position: Int?) {
    guard selectedStack == nil else { return }
    selectedTab = tabs.isEmpty ? nil : tabs[min(position ?? 0, tabs.count - 1)].screens.first?.id
  }
}
