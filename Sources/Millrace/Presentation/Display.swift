// What is on display, and the talk with the host. The tree is the truth: commands follow from
// ends and starts, and a host's report about a flow that is gone changes nothing.

/// What `Child.dismiss()` returns. The flow has ended by then; the screen may still be leaving.
@MainActor
public struct Dismissal {
  let core: RuntimeCore
  let number: UInt64
  /// Whether this call ended the flow.
  public let acceptance: Acceptance

  /// How a screen left.
  public enum Settlement: Sendable, Equatable {
    /// The host has reported it, or nothing was shown.
    case done
    /// The runtime was closed first.
    case closed
    /// The host said nothing within `RuntimeOptions.hostLimit`.
    case hostTimeout
  }

  /// Waits until the host has reported that the screen is gone, or the host limit has passed.
  @discardableResult
  public func settled() async -> Settlement {
    guard let screen = core.leaving[number] else { return .done }
    return await withCheckedContinuation { screen.waiters.append($0) }
  }
}

/// A screen whose flow has ended and which the host has not yet reported gone.
@MainActor
final class LeavingScreen {
  var waiters: [CheckedContinuation<Dismissal.Settlement, Never>] = []
  var timer: RuntimeTimer?
}

extension RuntimeCore {
  private func host(of node: AnyFlowNode) -> (any Host)? {
    node.window.flatMap { windows[$0.number]?.host }
  }

  /// Puts a flow on display.
  func show(_ node: AnyFlowNode) {
    displayed[node.number] = node
    node.isOnDisplay = true
    guard let host = host(of: node) else { return }
    var above = node.parent
    while let owner = above as? AnyFlowNode, !owner.isOnDisplay { above = owner.parent }
    give(.show(FlowID(rawValue: node.number), as: node.presentation, over: above?.flowID), to: host)
  }

  /// Takes away what a subtree that ends has on display: one command for each topmost screen.
  func dismissFromHost(_ top: Owner) {
    var next: Owner? = top
    while let node = next {
      var descends = true
      if let flow = node as? AnyFlowNode, flow.isOnDisplay {
        descends = false
        takeAway(flow)
      }
      if descends, let child = node.oldestChild {
        next = child
        continue
      }
      var up = node
      while up !== top, up.younger == nil, let parent = up.parent { up = parent }
      next = up === top ? nil : up.younger
    }
  }

  private func takeAway(_ node: AnyFlowNode) {
    node.isOnDisplay = false
    guard let host = host(of: node) else { return }
    let screen = LeavingScreen()
    leaving[node.number] = screen
    let number = node.number
    screen.timer = timers.after(options.hostLimit) { [weak self] in
      self?.screenLeft(number, .hostTimeout)
    }
    give(.dismiss(FlowID(rawValue: node.number)), to: host)
  }

  private func give(_ command: HostCommand, to host: any Host) {
    trace { .command(command) }
    // Not `turn`: this may be the middle of a state step; deliveries follow it.
    turnDepth += 1
    host.perform(command)
    turnDepth -= 1
  }

  private func screenLeft(_ number: UInt64, _ settlement: Dismissal.Settlement) {
    guard let screen = leaving.removeValue(forKey: number) else { return }
    screen.timer?.cancel()
    for waiter in screen.waiters { waiter.resume(returning: settlement) }
  }

  /// The runtime is closed: nobody will report any more.
  func closeScreens() {
    for number in leaving.keys.sorted() { screenLeft(number, .closed) }
  }

  /// Applies a host's report. Reports name ids, may repeat, and commute (R24).
  func apply(_ report: HostReport, window: UInt64) {
    trace { .report(report) }
    switch report {
    case .didDismiss(let id), .gestureCompleted(let id):
      if leaving[id.rawValue] != nil { return screenLeft(id.rawValue, .done) }
      guard let node = reported(id, window) else { return }
      node.isOnDisplay = false
      end(node, .dismissed)
    case .didCover(let id):
      guard let node = reported(id, window), !node.isCovered else { return }
      node.isCovered = true
      cover(node)
    case .didUncover(let id):
      guard let node = reported(id, window), node.isCovered else { return }
      node.isCovered = false
      node.beginAgain()
    case .didShow(let id), .gestureBegan(let id), .gestureCancelled(let id):
      _ = reported(id, window)
    }
    drain()
  }

  private func reported(_ id: FlowID, _ window: UInt64) -> AnyFlowNode? {
    guard let node = displayed[id.rawValue], node.window?.number == window else {
      refuse(.unknownFlow, root)
      return nil
    }
    return node
  }

  private func cover(_ node: AnyFlowNode) {
    for run in node.runsYoungestFirst.reversed() {
      guard let restart = run.restart, !run.isSettled else { continue }
      node.keep(.init(key: run.name, begin: restart))
      run.cancel(.covered)
    }
  }
}
