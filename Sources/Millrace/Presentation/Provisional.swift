// A replacement that the user's gesture decides about. Keeps R24: until the commit the new flow is
// in the tree and not in the navigation, and what it asks for is held; let go, it was never there.
//
//   provisional ── gestureCompleted, didShow ──▶ committed: what was held runs, the old one ends
//        │
//        └──────── gestureCancelled, any end ──▶ discarded

@MainActor
final class Provisional {
  /// The screen whose place is to be taken.
  let old: Screen
  private(set) var isHeld = true
  /// Tells the one who keeps the old flow that the new one is in its place.
  var onCommit: (@MainActor () -> Void)?
  private var held: [(run: AnyOperation?, begin: @MainActor () -> Void)] = []

  init(old: Screen) {
    self.old = old
    old.display.core.provisionals += 1
  }

  /// Keeps what the flow, or one below it, asked for until the commit.
  func hold(_ run: AnyOperation?, _ begin: @escaping @MainActor () -> Void) {
    held.append((run, begin))
  }

  func commit() {
    guard let held = close() else { return }
    let onCommit = onCommit
    self.onCommit = nil
    onCommit?()
    for (run, begin) in held where !(run?.isSettled ?? false) { begin() }
  }

  func discard() {
    guard let held = close() else { return }
    onCommit = nil
    for (run, _) in held { run?.cancel(.flowEnded) }
  }

  private func close() -> [(run: AnyOperation?, begin: @MainActor () -> Void)]? {
    guard isHeld else { return nil }
    isHeld = false
    old.display.core.provisionals -= 1
    defer { held = [] }
    return held
  }
}

extension WindowDisplay {
  /// The replacement has happened: the old flow ends, and the new one takes its place.
  func commit(_ screen: Screen) {
    guard let provisional = screen.provisional, provisional.isHeld, screen.isLive else { return }
    endTransition(of: screen)
    // One step: what waits comes after it.
    let wasPumping = isPumping
    isPumping = true
    defer { isPumping = wasPumping }
    let old = provisional.old
    old.challenger = nil
    let vacancy = Vacancy(of: old)
    if let node = old.node { core.end(node, .replaced) }
    forget(vacancy)
    guard screen.isLive else {
      if old.state == .leaving { gone(old, .done) }
      return
    }
    settle(screen, in: vacancy)
    screen.cameByGesture = true
    if old.state == .leaving, standsUnderOthers(screen, replacing: old) {
      // The user may have taken the old one away, unseen: then the host has put it on top of them.
      screen.state = .waiting
      again.append(.replace(old, screen))
    } else {
      if old.state == .leaving { gone(old, .done) }
      screen.state = .shown
    }
    provisional.commit()
  }

  /// The replacement will not happen: the new flow ends, and nothing else.
  func abandon(_ screen: Screen, reportedGone: Bool = false) {
    guard let node = screen.node else { return }
    screen.isReportedGone = reportedGone
    endTransition(of: screen)
    core.end(node, .dismissed)
  }

  /// The new flow ends. Reports may have crossed or been lost, so the host is asked once more to have
  /// the old one where it is: nothing to a host that does.
  func giveUp(_ screen: Screen, reportedGone: Bool = false) {
    let old = screen.provisional?.old
    abandon(screen, reportedGone: reportedGone)
    if let old, old.isLive { showAgain(old, replacing: screen) }
  }

  func endTransition(of screen: Screen) {
    if gesture == screen.id || gesture == screen.provisional?.old.id { gesture = nil }
    guard let flight = inFlight, flight.shows(screen) else { return }
    inFlight = nil
    stopTimer()
  }
}

extension AnyFlowNode {
  /// What starts below a provisional flow is as provisional as that.
  final func inheritProvisional(_ place: Place) {
    let provisional = place.challenge ?? (parent as? AnyFlowNode)?.provisional
    if let provisional, provisional.isHeld { own().provisional = provisional }
  }
}

extension RuntimeCore {
  /// Ends what is above a flow in its stack, for a child that takes the place of all of it.
  func clear(above node: AnyFlowNode) -> Vacancy? {
    guard let above = node.nearestScreen?.above, let flow = above.node else { return nil }
    let vacancy = above.display.vacate(above)
    end(flow, .replaced)
    drain()
    return vacancy
  }

  /// Puts a flow that starts on display, at once or, below a provisional one, at the commit.
  func display(_ node: AnyFlowNode, _ place: AnyFlowNode.Place) {
    guard let display = node.window?.display else { return }
    if let challenge = place.challenge {
      guard challenge.old.isLive else { return display.put(node, taking: nil) }
      return display.challenge(challenge, with: node)
    }
    if provisionals > 0, let provisional = node.provisional, provisional.isHeld {
      provisional.hold(nil) { if node.isRunning { display.put(node, taking: nil) } }
    } else {
      display.put(node, taking: place.vacancy)
    }
  }
}
