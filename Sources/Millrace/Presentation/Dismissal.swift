// Waiting for the host. The flow's side is done at once (R26); a screen takes its time.

/// What `Child.dismiss()` returns. The flow has ended by then; the screen may still be leaving.
@MainActor
public struct Dismissal {
  let screens: [Screen]
  /// Whether this call ended the flow.
  public let acceptance: Acceptance

  /// How a screen came or left.
  public enum Settlement: Sendable, Equatable {
    /// The host has reported it, or there was nothing for it to do.
    case done
    /// The window or the runtime was closed first.
    case closed
    /// The host said nothing within `RuntimeOptions.hostLimit`.
    case hostTimeout
    /// The window's host is gone.
    case hostGone
  }

  /// Waits until the host has reported that the screen is gone, or the host limit has passed since
  /// the flow ended.
  @discardableResult
  public func settled() async -> Settlement {
    var worst = Settlement.done
    for screen in screens {
      let settlement = await settlement(of: screen)
      if worst == .done { worst = settlement }
    }
    return worst
  }

  private func settlement(of screen: Screen) async -> Settlement {
    guard screen.state == .leaving else { return screen.settlement ?? .done }
    let core = screen.display.core
    let deadline = (screen.leftAt ?? core.timers.now) + core.options.hostLimit
    guard core.timers.now < deadline else { return .hostTimeout }
    let timer = core.timers.at(deadline) { screen.wake() }
    defer { timer.cancel() }
    await withCheckedContinuation { screen.dismissalWaiters.append($0) }
    return screen.state == .leaving ? .hostTimeout : screen.settlement ?? .done
  }
}

/// How a screen came, see `Child.shown()`.
public enum Showing: Sendable, Equatable {
  /// It is on the screen, or has no screen of its own.
  case shown
  /// The host said nothing within `RuntimeOptions.hostLimit`. The flow lives, and counts as shown.
  case hostTimeout
  /// The flow ended first.
  case ended
}

extension Child {
  /// Where the child's screen is: `shown` for one without a screen of its own while it lives.
  public var screenState: ScreenState {
    if let screen = node.screen { return screen.state }
    guard node.isRunning else { return .gone }
    return presentation == .inline || node.window?.display == nil ? .shown : .waiting
  }

  /// Waits until the host has shown the child, the host limit has passed, or the child has ended.
  @discardableResult
  public func shown() async -> Showing {
    while true {
      guard node.isRunning else { return .ended }
      switch screenState {
      case .shown: return node.screen?.settlement == .hostTimeout ? .hostTimeout : .shown
      case .leaving, .gone: return .ended
      case .waiting, .showing:
        guard let screen = node.screen else { return .shown }
        await withCheckedContinuation { screen.showWaiters.append($0) }
      }
    }
  }

  private var presentation: Presentation { node.presentation }
}
