// A window's host comes and goes, and the flows stay: a scene that the system took away and brings
// back, a terminal that was closed and opened again. And the last word to a host whose window is
// closed: a screen without a flow must not last (R24).

extension FlowWindow {
  /// Gives the window another host, in place of one that is gone, or of one that is not wanted any
  /// more: that is asked to take away all that it shows.
  ///
  /// The new host is connected, and asked for all that the window shows, the lowest first. Flows live
  /// on as they are; a gesture that was going on counts as let go. What the former host reports
  /// through its connection from now on changes nothing. A host that reports through the window
  /// cannot be told from the next one: where hosts change, they report through their connections.
  ///
  /// - Parameter host: held weakly.
  /// - Returns: refused if the window is closed.
  @MainActor @discardableResult
  public func attach(_ host: any Host) -> Acceptance {
    guard let display = connection.display else { return core.refuse(.closed, core.root) }
    display.attach(host)
    core.drain()
    return .accepted
  }
}

extension WindowDisplay {
  fileprivate func attach(_ new: any Host) {
    // Between the two there is no host, and what waits for one is not to be taken for shown.
    let wasPumping = isPumping
    isPumping = true
    exchange(new)
    isPumping = wasPumping
    pump()
  }

  private func exchange(_ new: any Host) {
    let old = host
    let lastWords = lastWords
    endTalk()
    if let old { part(from: old, lastWords) }
    // What was told meanwhile may have closed the window.
    guard !isClosed else { return }
    hostNumber += 1
    host = new
    hadHost = true
    core.turn { new.connect(HostConnection(core: core, window: window, host: hostNumber)) }
    showAll()
    changed()
  }

  /// What is under way with the host is over: what it was to take away is gone, what it was to show
  /// is to be shown, and what a gesture was to decide is not done.
  private func endTalk() {
    host = nil
    inFlight = nil
    gesture = nil
    stopTimer()
    for screen in sorted(screens) where screen.isProvisional { abandon(screen) }
    for screen in sorted(leaving) where screen.state == .leaving { gone(screen, .hostGone) }
    again.removeAll()
    abandoned = [:]
    for screen in sorted(screens) {
      screen.cameByGesture = false
      screen.isCoveredByHost = false
      follow(screen)
    }
  }

  private func sorted(_ screens: [FlowID: Screen]) -> [Screen] {
    screens.values.sorted { $0.id.rawValue < $1.id.rawValue }
  }

  // MARK: - The last word

  /// What a host is asked for last: to let go of what a gesture decides about, and to take away all
  /// that it was asked for.
  var lastWords: [HostCommand] {
    let asked = (Array(screens.values) + leaving.values).filter(\.wasAskedFor)
      .sorted { ($0.order, $0.id.rawValue) < ($1.order, $1.id.rawValue) }
    var words = asked.filter { $0.isProvisional || $0.endedUndecided }
      .map { HostCommand.dismiss($0.id) }
    let shown = asked.filter { !$0.isProvisional && !$0.endedUndecided }.map(\.id)
    if let lowest = shown.first { words.append(.dismiss(lowest, with: Array(shown.dropFirst()))) }
    return words
  }

  /// Says the last words to a host. What it answers is expected, and nothing follows from it.
  func part(from host: any Host, _ words: [HostCommand]) {
    let outer = core.parting
    core.parting = window
    defer { core.parting = outer }
    for command in words {
      core.trace { .command(command) }
      core.turnDepth += 1
      host.perform(command)
      core.turnDepth -= 1
    }
  }
}
