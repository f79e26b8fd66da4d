// The talk of a window with its host: one command at a time, the rest waits in order. Keeps R26: a
// request is dropped when its origin ends, and a host that does not answer holds up nobody for
// longer than the host limit.
//
//   idle ──▶ in flight ── report, or host limit ──▶ idle, and the next request
//     │  ▲
//     ▼  │ gesture cancelled or completed, or host limit with something waiting
//   gesture

/// What is to be asked of a host, in order.
enum DisplayRequest {
  /// Show a screen that waits.
  case show(Screen)
  /// Take away a screen whose flow has ended, and what left with it.
  case takeAway(Screen)
  /// Put the second in the place of the first.
  case replace(Screen, Screen)
  /// Take away the first and all that may stand over it, for the second to be shown in its place.
  case clear(Screen, for: Screen)
  /// Show once more what the host has lost, or may have: in the place of another flow, if one is
  /// named. Only the latest such request for a screen counts.
  case again(Screen, number: Int, replacing: Screen?)
  /// Select a tab.
  case select(ScreenStack)
  /// A command that has to wait for its turn.
  case command(HeldCommand)
}

/// A command that the host has not answered yet.
@MainActor
final class Flight {
  let command: HostCommand
  let request: DisplayRequest
  /// True if the user has selected another tab than the one asked for: before the host did what it
  /// is asked, if that answers.
  var wasContradicted = false

  init(_ command: HostCommand, _ request: DisplayRequest) {
    self.command = command
    self.request = request
  }

  /// True if the command brings this screen.
  func shows(_ screen: Screen) -> Bool {
    switch request {
    case .show(let shown), .replace(_, let shown), .again(let shown, _, _): shown === screen
    case .takeAway, .clear, .select, .command: false
    }
  }

  /// What the command takes away beside the first.
  var others: [FlowID] {
    if case .dismiss(_, let others) = command { others } else { [] }
  }

  /// The screen that the command takes away.
  var takenAway: Screen? {
    switch request {
    case .takeAway(let lead), .clear(let lead, _): lead
    case .show, .replace, .again, .select, .command: nil
    }
  }
}

/// What a window is in the middle of.
public enum Transition: Sendable, Equatable {
  /// The host was asked for this and has not answered.
  case command(HostCommand)
  /// The user is taking this flow away, and may let go.
  case gesture(FlowID)
}

extension WindowDisplay {
  /// True if nothing is going on between the runtime and the host.
  var isIdle: Bool { inFlight == nil && !hasRequests && gesture == nil }

  private var hasRequests: Bool { !requests.isEmpty || !again.isEmpty }

  var transition: Transition? {
    if let inFlight { return .command(inFlight.command) }
    return gesture.map { .gesture($0) }
  }

  /// Puts a request at the end of the queue. The caller pumps.
  func request(_ request: DisplayRequest) {
    fillVacancy()
    guard !isClosed else { return }
    requests.append(request)
  }

  /// Gives the host its next command, if it is not busy with another one.
  func pump() {
    // A replacement is one step: what waits does not come between its end and its beginning.
    guard !isPumping, openVacancy == nil else { return }
    isPumping = true
    if let flight = inFlight, host == nil { settle(flight, hadHost ? .hostGone : .done) }
    while inFlight == nil, hasRequests {
      if gesture != nil, host != nil { break }
      guard let request = again.popFirst() ?? requests.popFirst(), let flight = begin(request)
      else { continue }
      send(flight)
    }
    isPumping = false
    if gesture != nil, host != nil, hasRequests { waitForGesture() }
    if isIdle { wakeSettled() }
  }

  /// Makes a command of a request, or nil if there is nothing left to ask for.
  private func begin(_ request: DisplayRequest) -> Flight? {
    switch request {
    case .show(let screen):
      guard screen.state == .waiting else { return nil }
      screen.state = .showing
      lastOrder += 1
      screen.order = lastOrder
      let presentation = screen.hostPresentation
      return Flight(.show(screen.id, as: presentation, over: screen.hostOver), request)
    case .takeAway(let lead):
      guard lead.state == .leaving else { return nil }
      // What stays over it may be there when the lead is not: by name, for it is shown anew.
      let others =
        (leavingGroup(of: lead).dropFirst().filter { $0.state == .leaving }
        + staysOver(lead)).map(\.id)
      let command =
        lead.uncovers.map { HostCommand.pop(lead.id, with: others, to: $0) }
        ?? .dismiss(lead.id, with: others)
      return Flight(command, request)
    case .replace(let lead, let screen):
      guard screen.state == .waiting else {
        // It ended before its turn came: what it was to replace goes all the same, if it has left. One
        // that a gesture was to decide about never had that place: whoever took it sees to it.
        return screen.endedUndecided ? nil : begin(.takeAway(lead))
      }
      if !screen.isProvisional, standsUnderOthers(screen, replacing: lead) {
        return begin(.clear(lead, for: screen))
      }
      if lead.state == .gone { return begin(.show(screen)) }
      screen.state = .showing
      screen.order = lead.order
      return Flight(
        .replace(
          lead.id, with: screen.id, as: screen.hostPresentation, over: screen.hostOver,
          interactively: screen.isProvisional), request)
    case .clear(let lead, let screen):
      let others = modalsOver(screen, replacing: lead).map(\.id)
      screen.order = min(screen.order, lead.order)
      return Flight(.dismiss(lead.id, with: others), request)
    case .again(let screen, let number, let other):
      guard number == screen.lastAgain else { return nil }
      guard let other else { return begin(.show(screen)) }
      guard screen.state == .waiting else { return nil }
      if standsUnderOthers(screen, replacing: other) { return begin(.clear(other, for: screen)) }
      screen.state = .showing
      return Flight(
        .replace(
          other.id, with: screen.id, as: screen.hostPresentation, over: screen.hostOver,
          interactively: false), request)
    case .select(let stack):
      guard let container = stack.container, container.isLive, let selected = container.selectedTab
      else { return nil }
      // The user has gone to another tab meanwhile. It is asked for in its turn: he may have been on
      // one that leaves after that, and the report be refused with its flow.
      if selected !== stack { return begin(.select(selected)) }
      return Flight(.select(stack.bottom.id), request)
    case .command(let held):
      let answer = carryOut(held)
      core.trace { .navigated(held.command, held.origin, answer) }
      return nil
    }
  }

  private func send(_ flight: Flight) {
    guard let host else { return settle(flight, hadHost ? .hostGone : .done) }
    inFlight = flight
    core.trace { .command(flight.command) }
    // Not `turn`: this may be in the middle of other work; deliveries follow it.
    core.turnDepth += 1
    host.perform(flight.command)
    core.turnDepth -= 1
    if inFlight === flight { limit(flight) }
  }

  private func limit(_ flight: Flight) {
    startTimer { [self] in
      guard inFlight === flight else { return }
      core.trace { .hostTimeout(flight.command) }
      settle(flight, .hostTimeout)
    }
  }

  private func waitForGesture() {
    guard timer == nil else { return }
    startTimer { [self] in
      guard let over = gesture else { return }
      core.trace { .gestureTimeout(over) }
      gestureEnded(over)
    }
  }

  private func startTimer(_ fire: @escaping @MainActor () -> Void) {
    timer?.cancel()
    timer = core.timers.after(core.options.hostLimit) { [weak self] in
      guard let self else { return }
      timer = nil
      fire()
      pump()
      core.drain()
    }
  }

  func stopTimer() {
    timer?.cancel()
    timer = nil
  }

  /// The host has answered, or will not. The caller pumps.
  func settle(_ flight: Flight, _ settlement: Dismissal.Settlement) {
    if inFlight === flight {
      inFlight = nil
      stopTimer()
    }
    switch flight.request {
    case .show(let screen), .again(let screen, _, _): shown(screen, settlement)
    case .takeAway(let lead): gone(lead, settlement)
    case .clear(let lead, let screen):
      cleared(lead, with: flight.others, settlement, for: screen)
    case .replace(let lead, let screen):
      if screen.isProvisional {
        // A host that does not answer has not shown it, as far as anybody can know.
        switch settlement {
        case .done: commit(screen)
        case .hostTimeout, .hostGone, .closed: giveUp(screen)
        }
      } else {
        gone(lead, settlement)
        shown(screen, settlement)
      }
    case .select(let stack):
      // It may have done it, and the user the other after it.
      if flight.wasContradicted, settlement == .hostTimeout { again.append(.select(stack)) }
    case .command: break
    }
  }

  private func shown(_ screen: Screen, _ settlement: Dismissal.Settlement) {
    guard screen.state == .showing else { return }
    screen.state = .shown
    screen.settlement = settlement
    let waiters = screen.showWaiters
    screen.showWaiters = []
    for waiter in waiters { waiter.resume() }
    changed()
  }

  /// Nothing waits any more for the end of this gesture.
  func gestureEnded(_ id: FlowID) {
    guard gesture == id else { return }
    gesture = nil
    if inFlight == nil { stopTimer() }
    if let screen = screens[id], screen.isProvisional { giveUp(screen) }
  }

  /// Waits until nothing is going on between the runtime and the host.
  func settled() async {
    while !isIdle {
      await withCheckedContinuation { settledWaiters.append($0) }
    }
  }

  func wakeSettled() {
    guard !settledWaiters.isEmpty else { return }
    let waiters = settledWaiters
    settledWaiters = []
    for waiter in waiters { waiter.resume() }
  }
}

extension Screen {
  /// What a host puts it on: a push on the screen under it.
  var hostOver: FlowID? { below?.id ?? over }

  /// What the host is told: a root inside of a stack is one of its screens.
  var hostPresentation: Presentation {
    presentation == .root && over != nil ? .push : presentation
  }
}
