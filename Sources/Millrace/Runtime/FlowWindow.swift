// A window: one root flow and one host. Windows of a runtime share its session.

/// The root flow of a window: how to make it, and who hears it.
@MainActor
public struct Root {
  let start: (RuntimeCore, Owner, AnyFlowNode.Place) -> AnyFlowNode

  /// A root flow. What it tells goes to the closures, which are kept until it ends.
  public init<F: Flow>(
    _ build: @escaping @MainActor (FlowScope<F.Output>) -> F,
    onOutput: (@MainActor (F.Output) -> Void)? = nil,
    onEnding: (@MainActor (Ending<F.Output>) -> Void)? = nil
  ) {
    start = { core, owner, place in
      core.start(
        under: owner, place: place, buffer: 64, build: build, onOutput: onOutput,
        onOverflow: nil, onEnding: onEnding
      ).node
    }
  }

  /// The same with the flow's type named, for closures of more than one statement.
  public init<F: Flow>(
    _ type: F.Type, _ build: @escaping @MainActor (FlowScope<F.Output>) -> F,
    onOutput: (@MainActor (F.Output) -> Void)? = nil,
    onEnding: (@MainActor (Ending<F.Output>) -> Void)? = nil
  ) {
    self.init(build, onOutput: onOutput, onEnding: onEnding)
  }
}

/// One window or scene: its own root flow and its own host.
///
/// Releasing the last reference, on any thread, ends its root in a later main-actor job.
public final class FlowWindow: Sendable {
  let core: RuntimeCore
  let number: UInt64

  init(core: RuntimeCore, number: UInt64) {
    self.core = core
    self.number = number
  }

  deinit { core.ingress.post(.windowReleased(number), to: core) }

  /// Reports what a host did or the user asked for.
  ///
  /// From any thread, in the order of each sender. On the main actor it is applied before this
  /// returns, after what came in before it; elsewhere in a later main-actor job.
  public func report(_ report: HostReport, isolation: isolated (any Actor)? = #isolation) {
    connection.report(report, isolation: isolation)
  }

  /// What a host of this window may do with it. Keeping it keeps no window open.
  public var connection: HostConnection {
    HostConnection(core: core, window: number, host: nil)
  }

  /// Replaces the root flow, until the session changes again. What was below it ends with it.
  ///
  /// - Parameters:
  ///   - root: what makes the new root flow.
  ///   - interactively: the user's gesture decides. Until the host reports that it was completed, the
  ///     old root stays, and what the new one asks for is held; cancelled, the new one ends as dismissed
  ///     and nothing that it asked for was done.
  @MainActor @discardableResult
  public func replaceRoot(_ root: Root, interactively: Bool = false) -> Acceptance {
    guard let window = core.windows[number] else { return core.refuse(.closed, core.root) }
    window.replaceRoot(root, interactively: interactively)
    core.drain()
    return .accepted
  }

  // MARK: - Navigation

  /// What the window shows, read off the tree. Observable.
  @MainActor public var navigation: Navigation { connection.navigation }

  /// What the window is in the middle of, or nil.
  @MainActor public var transition: Transition? { connection.display?.transition }

  /// True if each live flow that has a screen is in the navigation, and no other.
  @MainActor public var isConsistent: Bool {
    guard let window = core.windows[number], let display = window.owner.display else { return true }
    return display.isConsistent(with: window.owner)
  }

  /// Asks for a change of what the window shows, and says where the wish comes from.
  @MainActor @discardableResult
  public func navigate(
    _ command: NavigationCommand, from origin: CommandOrigin = .app
  ) -> CommandAnswer {
    connection.display?.navigate(command, from: origin) ?? .refused(.closed)
  }

  /// Waits until the host has answered all that it was asked, and no gesture is going on.
  @MainActor
  public func settled() async { await connection.display?.settled() }

  /// Ends the root flow and closes the window; its host is asked to take away what it shows. A second
  /// time it does nothing.
  @MainActor
  public func close() {
    core.closeWindow(number)
  }

  /// The root flow, or nil when there is none.
  @MainActor public var rootFlow: (any Flow)? { core.windows[number]?.rootFlow }

  /// The live flow with this id on display in this window, or nil.
  @MainActor
  public func flow(_ id: FlowID) -> (any Flow)? { connection.flow(id) }

  /// The view for a flow on display: made at the first call, and the same until the flow ends.
  ///
  /// - Returns: nil if the flow is not on display in this window.
  @MainActor
  public func view<V: AnyObject>(for id: FlowID, make: (any Flow) -> V) -> V? {
    connection.view(for: id, make: make)
  }
}

/// Where a window's root comes from.
enum RootPolicy {
  case followsSession(@MainActor (SessionState) -> Root)
  case fixed(Root)
}

/// What the core knows of a window.
@MainActor
final class WindowState {
  let owner: WindowOwner
  private let core: RuntimeCore
  private let rootPolicy: RootPolicy
  private var root: AnyFlowNode?
  /// The state that the root was made for.
  private var followed: SessionState?

  init(core: RuntimeCore, owner: WindowOwner, root: RootPolicy) {
    self.core = core
    self.owner = owner
    self.rootPolicy = root
  }

  var rootFlow: (any Flow)? { root.flatMap { $0.isRunning ? $0.anyFlow : nil } }

  func followSession() {
    guard owner.isRunning else { return }
    // What making the root does to the session is followed after it, not in the midst of it.
    core.turnDepth += 1
    defer { core.turnDepth -= 1 }
    switch rootPolicy {
    case .fixed(let fixed):
      if root == nil { replaceRoot(fixed, in: nil) }
    case .followsSession(let makeRoot):
      let state = core.sessions.state
      if state != followed {
        followed = state
        let new = makeRoot(state)
        if state == core.sessions.state { replaceRoot(new, in: core.sessions.open) }
      }
      if state == core.sessions.state { owner.display?.expectNoRoot() }
    }
  }

  /// The session is about to end, and a root for what follows will come.
  func expectRoot() {
    if case .followsSession = rootPolicy { owner.display?.expectRoot() }
  }

  /// Replaces the root by hand; it belongs to the session that the old one belonged to.
  func replaceRoot(_ new: Root, interactively: Bool = false) {
    if case .fixed = rootPolicy {
      replaceRoot(new, in: nil, interactively: interactively)
    } else {
      replaceRoot(new, in: core.sessions.open, interactively: interactively)
    }
  }

  private func replaceRoot(
    _ new: Root, in session: SessionOwner?, interactively: Bool = false
  ) {
    guard owner.isRunning else { return }
    core.turnDepth += 1
    defer { core.turnDepth -= 1 }
    var place = AnyFlowNode.Place(presentation: .root, window: owner, session: session)
    guard let root, root.isRunning, let screen = root.screen, let display = owner.display else {
      place.vacancy = owner.display?.takeFormerRoot()
      return start(new, place)
    }
    if interactively {
      return challenge(screen, with: new, place)
    }
    place.vacancy = display.vacate(screen)
    core.end(root, .replaced)
    start(new, place)
  }

  private func start(_ new: Root, _ place: AnyFlowNode.Place) {
    root = new.start(core, owner, place)
    if let vacancy = place.vacancy { owner.display?.close(vacancy) }
  }

  private func challenge(_ screen: Screen, with new: Root, _ place: AnyFlowNode.Place) {
    var place = place
    if let other = screen.challenger?.node { core.end(other, .replaced) }
    let challenge = Provisional(old: screen)
    place.challenge = challenge
    let node = new.start(core, owner, place)
    if challenge.isHeld {
      challenge.onCommit = { [weak self] in self?.root = node }
    } else if node.isRunning {
      root = node
    }
  }
}

extension RuntimeCore {
  func openWindow(
    host: (any Host)?, root policy: RootPolicy
  ) -> FlowWindow {
    guard let root else {
      refuse(.closed, nil)
      return FlowWindow(core: self, number: nextNumber())
    }
    let owner = WindowOwner(core: self, parent: root)
    owner.display = WindowDisplay(core: self, window: owner.number, host: host)
    let window = WindowState(core: self, owner: owner, root: policy)
    windows[owner.number] = window
    if let host {
      turn { host.connect(HostConnection(core: self, window: owner.number, host: 0)) }
    }
    window.followSession()
    drain()
    return FlowWindow(core: self, number: owner.number)
  }

  func closeWindow(_ number: UInt64) {
    guard let window = windows.removeValue(forKey: number) else { return }
    window.owner.display?.close()
    end(window.owner, .dismissed)
    drain()
    window.owner.display?.finishClosing()
  }
}
