// What a host's reports do. Keeps R24: only what happened ends a flow; reports name flow ids, may
// repeat and commute; one about a flow that is gone changes nothing.

extension RuntimeCore {
  /// Applies a host's report.
  ///
  /// - Parameter host: which of the window's hosts it comes from; nil for the window itself.
  func apply(_ report: HostReport, window: UInt64, host: Int?) {
    trace { .report(report) }
    // Hosts that a window parts from answer, and nothing follows.
    guard parting != window else { return }
    guard let display = windows[window]?.owner.display, host == nil || host == display.hostNumber
    else {
      // A host that was parted from has let go of what it showed, as it was asked to.
      if case .didDismiss = report { return }
      refuse(.closed, root)
      return
    }
    if !display.apply(report) { refuse(.unknownFlow, root) }
    display.pump()
    drain()
  }
}

extension WindowDisplay {
  /// False if the report names a flow that is not on display.
  fileprivate func apply(_ report: HostReport) -> Bool {
    switch report {
    case .didShow(let id): didShow(id)
    case .didDismiss(let id): didDismiss(id)
    case .didCover(let id): didCover(id, true)
    case .didUncover(let id): didCover(id, false)
    case .didSelect(let id): didSelect(id)
    case .gestureBegan(let id, let target): gestureBegan(id, target)
    case .gestureCancelled(let id, let target): gestureCancelled(id, target)
    case .gestureCompleted(let id, let target): gestureCompleted(id, target)
    case .attemptBlocked(let id): attemptBlocked(id)
    }
  }

  private func didShow(_ id: FlowID) -> Bool {
    guard let screen = screens[id] ?? leaving[id] else { return false }
    if screen.isProvisional, screen.isOnHost {
      commit(screen)
    } else if let flight = inFlight, flight.shows(screen) {
      settle(flight, .done)
    } else if screen.state == .waiting {
      return false
    }
    return true
  }

  private func didDismiss(_ id: FlowID) -> Bool {
    if let screen = leaving[id] ?? inFlight?.takenAway, screen.id == id {
      left(screen)
      return true
    }
    guard let screen = screens[id], screen.wasAskedFor, let node = screen.node else { return false }
    if screen.isProvisional {
      giveUp(screen, reportedGone: true)
      return true
    }
    if gesture == id { gesture = nil }
    if let flight = inFlight, flight.shows(screen) {
      // The report may be older than the command: whether it is gone, the host will say when asked.
      settle(flight, .done)
      screen.wasReportedGone = true
    } else if screen.isOnHost, !screen.wasShownAgain {
      screen.isReportedGone = true
    } else {
      screen.wasReportedGone = true
    }
    core.end(node, .dismissed)
    return true
  }

  /// The screen of an ended flow has left the host.
  private func left(_ screen: Screen) {
    if gesture == screen.id { gesture = nil }
    if let flight = inFlight, flight.takenAway === screen || flight.shows(screen) {
      // If it was to come it is taken away by name when its turn comes.
      settle(flight, .done)
    } else if !screen.wasShownAgain, staysOver(screen).isEmpty {
      // Otherwise it is taken away by name: what the host has of it, or over it, is not certain.
      goneAlone(screen)
    }
  }

  private func didCover(_ id: FlowID, _ isCovered: Bool) -> Bool {
    guard let screen = screens[id], screen.isOnHost else { return false }
    screen.isCoveredByHost = isCovered
    follow(screen)
    return true
  }

  private func didSelect(_ id: FlowID) -> Bool {
    guard let screen = screens[id], screen.isOnHost, let stack = screen.stack,
      stack.bottom === screen, let container = stack.container
    else {
      // Its flow has ended since the host was asked: the answer is one all the same.
      guard let flight = inFlight, flight.command == .select(id) else { return false }
      settle(flight, .done)
      return true
    }
    if case .select(let asked)? = inFlight?.request, asked.container === container {
      guard let flight = inFlight else { return true }
      // What the user did before the host did what it is asked now is out of date.
      if asked === stack {
        settle(flight, .done)
        container.wasToldOfSelection = true
      } else {
        flight.wasContradicted = true
      }
      return true
    }
    let mayBeOlder = container.wasToldOfSelection && container.selectedTab !== stack
    select(stack)
    if mayBeOlder {
      // What was taken for the answer may have been the user's deed before it, as this may be: where
      // the host is, it will say when asked.
      container.wasToldOfSelection = false
      request(.select(stack))
    }
    return true
  }

  private func gestureBegan(_ id: FlowID, _ target: FlowID?) -> Bool {
    guard let screen = gestured(id, target) else { return leaving[id] != nil }
    gesture = screen.id
    screen.cameByGesture = false
    // How long the user takes is not the host's time.
    if let flight = inFlight, screen.isProvisional, flight.shows(screen) { stopTimer() }
    return true
  }

  private func gestureCancelled(_ id: FlowID, _ target: FlowID?) -> Bool {
    if let screen = gestured(id, target) {
      if screen.isProvisional { giveUp(screen) } else { over(screen.id) }
      return true
    }
    over(id)
    for id in [target, id] {
      guard let id, let screen = leaving[id], screen.endedUndecided else { continue }
      left(screen)
      return true
    }
    return leaving[id] != nil
  }

  private func gestureCompleted(_ id: FlowID, _ target: FlowID?) -> Bool {
    for id in [target, id] {
      guard let id else { continue }
      if let screen = screens[id], screen.isProvisional, screen.isOnHost {
        commit(screen)
        return true
      }
      // The flow ended while the gesture was on: the host shows it all the same, and not the old.
      if let screen = leaving[id], screen.endedUndecided, let old = screen.provisional?.old {
        over(old.id)
        if old.isLive { showAgain(old, replacing: screen) } else { goneAlone(old) }
        return true
      }
    }
    // The same report again, about a replacement that is done: it names the new flow, or both.
    let new = screens[id] ?? target.flatMap { screens[$0] }
    if let new, new.cameByGesture { return true }
    for id in [target, id] {
      guard let id, let new = abandoned[id], let old = new.provisional?.old else { continue }
      // The reports came in another order than things happened: the host has lost the old one.
      showAgain(old, replacing: new)
      return true
    }
    over(id)
    if let target, let screen = screens[id], let stays = screens[target],
      stays.stack === screen.stack, stays.id.rawValue < id.rawValue, let lowest = stays.above
    {
      return didDismiss(lowest.id)
    }
    return didDismiss(id)
  }

  /// The screen that a gesture decides about: a provisional one, or the one that the user takes.
  private func gestured(_ id: FlowID, _ target: FlowID?) -> Screen? {
    for id in [target, id] {
      if let id, let screen = screens[id], screen.isProvisional, screen.isOnHost { return screen }
    }
    guard let screen = screens[id], screen.isOnHost else { return nil }
    return screen
  }

  private func over(_ id: FlowID) {
    guard gesture == id else { return }
    gesture = nil
    if inFlight == nil { stopTimer() }
  }
}
