// Shows a saved place. It goes through the same gates and checks as a link, and is cut where a link
// would be rejected. A link is always faster: a place waits while one is on its way to its window.

import Millrace

extension LinkDesk {
  /// Decides about a place that was read, as far as that can be done now.
  ///
  /// - Parameter answers: of the places that were checked in this turn, if they were.
  func decide(_ keeper: PlaceKeeper<R>, answers: [R: CheckAnswers<R>.Answer]? = nil) {
    followSession(keeper)
    guard case .waiting(let place) = keeper.phase, let runtime, let window = keeper.window else {
      return
    }
    if keeper.hasRouted { return drop(keeper, .linkCame) }
    guard !linkMayCome(into: window) else { return }
    switch runtime.sessionState {
    case .undetermined: return
    case .signedOut:
      // Whoever it belongs to may come back; not after a sign-out.
      guard place.account == nil else {
        guard let reason = runtime.lastSignOut else { return }
        if keeper.beganUndetermined, reason != .expired { clear(keeper) }
        return drop(keeper, .signedOut)
      }
    case .signedIn(let session):
      guard session.account == place.account else { return drop(keeper, .otherAccount) }
    }
    if place.isLocked, !keeper.hasLockedAgain {
      keeper.hasLockedAgain = true
      lock?.lockAgain()
    }
    guard !(lock?.isLocked ?? false) else {
      if !keeper.hasAskedForUnlock {
        keeper.hasAskedForUnlock = true
        requestUnlock()
      }
      return
    }
    let tree = PlaceTree<R>(window)
    guard window.transition == nil, let root = tree.root else { return }
    // Also at another root: a place that waits for its own for ever would keep all others out.
    guard tree.isUntouched else { return drop(keeper, .userWasFaster) }
    guard root.route == place.stack.first?.route else { return }
    let checking = Checking(session: runtime.session)
    if let answers, keeper.checking == checking {
      show(place, keeper, root.id, in: window, answers)
    } else if place.routes.contains(where: { $0.needs.contains(.check) }) {
      guard keeper.checking != checking else { return }
      keeper.checking = checking
      startChecks(of: place, keeper, checking)
    } else {
      show(place, keeper, root.id, in: window, [:])
    }
  }

  /// Whether a link is on its way that may be shown in this window: not one for another window.
  private func linkMayCome(into window: FlowWindow) -> Bool {
    [current, former].compactMap(\.self).contains { item in
      switch item.choice {
      case .lastActive: true
      case .named: (windows.find(item.choice) ?? window) === window
      case .new: item.opened === window
      }
    }
  }

  func drop(_ keeper: PlaceKeeper<R>, _ why: PlaceReport.NotRestored) {
    guard keeper.isWaiting else { return }
    scope.cancel("check place \(keeper.number)")
    startSaving(keeper)
    keeper.report?(.notRestored(why))
  }

  private func startChecks(
    of place: SavedPlace<R>, _ keeper: PlaceKeeper<R>, _ checking: Checking
  ) {
    // Each once, those first that others stand on; not all at once: a place may have a thousand.
    let asked = place.routes.filter { $0.needs.contains(.check) }
      .reduce(into: (seen: Set<R>(), list: [R]())) {
        if $0.seen.insert($1).inserted { $0.list.append($1) }
      }.list
    let answers = CheckAnswers<R>()
    let most = options.checksAtOnce
    scope.perform("check place \(keeper.number)", .latest, limit: options.checkLimit) {
      [check] in
      await answers.ask(asked, atMost: most) { try await check($0, checking.session) }
    } then: { [self] _ in
      guard keeper.checking == checking else { return }
      // At the limit, too: what has not answered cuts the place there, and the rest is shown.
      decide(keeper, answers: answers.found(of: asked))
      // A decision that found the window busy is made again, with checks of that time.
      if keeper.isWaiting { keeper.checking = nil }
    }
  }

  // MARK: - Showing

  private func show(
    _ place: SavedPlace<R>, _ keeper: PlaceKeeper<R>, _ root: FlowID, in window: FlowWindow,
    _ answers: [R: CheckAnswers<R>.Answer]
  ) {
    guard let flow = window.routed(root, R.self) else { return }
    var climb = PlaceClimb(window: window, answers: answers)
    climb.show(place, from: flow)
    startSaving(keeper)
    if let cut = climb.cut {
      keeper.report?(answers[cut] == .failed ? .notChecked("\(cut)") : .notShown("\(cut)"))
    }
    for route in climb.gone { keeper.report?(.gone("\(route)")) }
    keeper.report?(.restored)
  }
}

/// One way through a saved place, from the root up.
@MainActor
private struct PlaceClimb<R: Route> {
  let window: FlowWindow
  let answers: [R: CheckAnswers<R>.Answer]
  /// The first place that was not shown.
  private(set) var cut: R?
  private var shown: [(id: FlowID, route: R)] = []

  init(window: FlowWindow, answers: [R: CheckAnswers<R>.Answer]) {
    self.window = window
    self.answers = answers
  }

  /// The places that were shown and have gone again, for what was shown after them.
  var gone: [R] { shown.filter { window.routed($0.id, R.self) == nil }.map(\.route) }

  mutating func show(_ place: SavedPlace<R>, from root: any RoutedFlow<R>) {
    guard let first = place.stack.first else { return }
    // The flows that a modal may be shown from, the highest last.
    var chain: [any RoutedFlow<R>] = [root]
    chain += showTabs(of: first, root)
    chain += show(place.stack.dropFirst(), from: [root])
    for modal in place.modals {
      guard cut == nil else { return }
      chain += show(modal[...], from: chain)
    }
  }

  /// Shows one after the other, each from the nearest below it that leads there.
  ///
  /// - Returns: the flows that were shown, with those of their selected tabs.
  private mutating func show(
    _ nodes: ArraySlice<SavedPlace<R>.Node>, from below: [any RoutedFlow<R>]
  ) -> [any RoutedFlow<R>] {
    var chain = below
    var shown: [any RoutedFlow<R>] = []
    for node in nodes {
      guard let flow = reach(node.route, from: chain) else { return shown }
      chain.append(flow)
      shown.append(flow)
      shown += showTabs(of: node, flow)
    }
    return shown
  }

  private mutating func showTabs(
    of node: SavedPlace<R>.Node, _ flow: any RoutedFlow<R>
  ) -> [any RoutedFlow<R>] {
    var selected: [any RoutedFlow<R>] = []
    for (index, tab) in node.tabs.enumerated() {
      guard let first = tab.first, let bottom = reach(first.route, from: [flow]) else { continue }
      let chain = [bottom] + showTabs(of: first, bottom) + show(tab.dropFirst(), from: [bottom])
      guard index == node.selectedTab else { continue }
      selected = chain
      if window.navigation.screen(flow.flowID)?.selectedTab != bottom.flowID {
        window.navigate([.select(bottom.flowID)], from: .app)
      }
    }
    return selected
  }

  private mutating func reach(
    _ route: R, from flows: [any RoutedFlow<R>]
  ) -> (any RoutedFlow<R>)? {
    if answers[route, default: .allowed] == .allowed {
      for flow in flows.reversed() {
        guard let id = flow.showing(route)?() else { continue }
        if let flow = window.routed(id, R.self), flow.route == route {
          shown.append((id, route))
          return flow
        }
      }
    }
    cut = cut ?? route
    return nil
  }
}
