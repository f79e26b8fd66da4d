// The adapter to a user interface: commands go down, reports come up. Keeps R24 and R25: both name
// flows by id; reports may repeat, come late and from any thread.

/// What a host is asked to do. It is asked for one thing at a time.
///
/// `Navigation.apply(_:)` says what a host shows after each command. A host answers each of them
/// with a report, also when it finds that there is nothing to do.
public enum HostCommand: Sendable, Equatable {
  /// Show a flow. A push goes on top of `over`, a tab into `over`; a modal goes over all that there
  /// is, and `over` is the nearest flow above it that is shown. Answered by `didShow`.
  case show(FlowID, as: Presentation, over: FlowID?)
  /// Take away a root, modal or tab and all that is above it, `with` among that: those may be there
  /// when the user has taken away the first already. Answered by `didDismiss` in any case.
  case dismiss(FlowID, with: [FlowID] = [])
  /// Take the first flow off its stack, with all that is above it; the last named is on top then.
  /// Answered by `didDismiss` of the first in any case.
  case pop(FlowID, with: [FlowID] = [], to: FlowID)
  /// Put a flow in the place of another and of all that is above that one; if that one is gone
  /// already, show it over `over`. Answered by `didShow` of the new one. An interactive one is
  /// answered by `gestureCompleted` or `gestureCancelled` of it, and let go by a `dismiss` of it.
  case replace(FlowID, with: FlowID, as: Presentation, over: FlowID?, interactively: Bool)
  /// Select a tab. Answered by `didSelect`.
  case select(FlowID)

  /// The flow that the command is about: the one that comes, or the one that goes.
  public var subject: FlowID {
    switch self {
    case .show(let id, _, _), .dismiss(let id, _), .pop(let id, _, _), .select(let id): id
    case .replace(_, let id, _, _, _): id
    }
  }
}

extension HostCommand {
  /// True for a replacement that the user's gesture decides about.
  public var isInteractive: Bool {
    if case .replace(_, _, _, _, interactively: true) = self { true } else { false }
  }

  /// What a host reports when it has done this.
  public var report: HostReport {
    switch self {
    case .show(let id, _, _), .replace(_, let id, _, _, interactively: false): .didShow(id)
    case .replace(_, let id, _, _, _): .gestureCompleted(id)
    case .dismiss(let id, _), .pop(let id, _, _): .didDismiss(id)
    case .select(let id): .didSelect(id)
    }
  }
}

/// What a host reports.
public enum HostReport: Sendable, Equatable {
  /// The flow is on the screen.
  case didShow(FlowID)
  /// The flow is off the screen, by the user or as asked, with all that was above it.
  case didDismiss(FlowID)
  /// Something that the runtime does not know of covers the flow. What other flows cover, the
  /// runtime sees itself.
  case didCover(FlowID)
  /// What covered the flow is gone.
  case didUncover(FlowID)
  /// The tab is selected, by the user or as asked. Of several the last counts: these keep the order
  /// of their sender, where all others commute.
  case didSelect(FlowID)
  /// The user began to take the flow away, or to replace it by `to`. Changes nothing; what the
  /// runtime would ask of the host waits.
  case gestureBegan(FlowID, to: FlowID? = nil)
  /// The user let go. All is as it was.
  case gestureCancelled(FlowID, to: FlowID? = nil)
  /// The user took the flow away. With `to`, a flow below it in its stack: all above that one.
  ///
  /// A host must not lose this for an interactive replacement: if the user takes the new flow away by
  /// another gesture then, the report of that is taken for the one that was lost.
  case gestureCompleted(FlowID, to: FlowID? = nil)
  /// The user tried to take away a flow that has a dismissal guard, and was stopped.
  case attemptBlocked(FlowID)
}

/// The adapter to a user interface.
@MainActor
public protocol Host: AnyObject {
  /// Called once, when its window opens or when it is attached to it, before the first command. What
  /// the host reports through the connection reaches this window only, and nothing once the window
  /// has another host.
  func connect(_ connection: HostConnection)

  /// Does what is asked, or begins to, and reports when it is done. It may report in this call.
  ///
  /// When its window is closed, or gets another host, it is asked to take away all that it shows,
  /// whatever it has not answered yet; an answer to that may come, and need not.
  func perform(_ command: HostCommand)
}

extension Host {
  /// Does nothing: for a host that reports through the window.
  public func connect(_ connection: HostConnection) {}
}

/// A host's way to its window. Keeping it keeps no window open.
public struct HostConnection: Sendable {
  let core: RuntimeCore
  let window: UInt64
  /// The number of the host in its window, while it is that of the present one; nil is the window.
  let host: Int?

  /// Reports what was done, or what the user did.
  ///
  /// From any thread, in the order of each sender. On the main actor it is applied before this
  /// returns, after what came in before it; elsewhere in a later main-actor job.
  public func report(_ report: HostReport, isolation: isolated (any Actor)? = #isolation) {
    let isOnMain = isolation === MainActor.shared
    core.ingress.post(.report(report, window: window, host: host), to: core, schedules: !isOnMain)
    if isOnMain { MainActor.assumeIsolated { core.drainIngress() } }
  }

  /// The live flow with this id on display in this window, or nil.
  @MainActor
  public func flow(_ id: FlowID) -> (any Flow)? { display?.screens[id]?.node?.anyFlow }

  /// The view for a flow on display: made at the first call, and the same until the flow ends.
  ///
  /// - Returns: nil if the flow is not on display in this window.
  @MainActor
  public func view<V: AnyObject>(for id: FlowID, make: (any Flow) -> V) -> V? {
    guard let node = display?.screens[id]?.node, let flow = node.anyFlow else { return nil }
    if let made = node.belongings?.view as? V { return made }
    let made = make(flow)
    if node.isRunning { node.own().view = made }
    return made
  }

  /// True if the flow has a dismissal guard: the user's attempt is to be stopped and reported as
  /// `attemptBlocked`. The guard itself is not asked.
  @MainActor
  public func isGuarded(_ id: FlowID) -> Bool {
    display?.screens[id]?.node?.belongings?.dismissalGuard != nil
  }

  /// What the window is to show. Observable.
  @MainActor public var navigation: Navigation { display?.observedNavigation ?? Navigation() }

  /// Asks for a change in the name of the user, as a tapped Back button does.
  @MainActor @discardableResult
  public func navigate(_ command: NavigationCommand) -> CommandAnswer {
    display?.navigate(command, from: .user) ?? .refused(.closed)
  }

  @MainActor var display: WindowDisplay? {
    guard let display = core.windows[window]?.owner.display else { return nil }
    return host == nil || host == display.hostNumber ? display : nil
  }
}
