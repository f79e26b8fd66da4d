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
    let isOnMain = isolation === MainActor.shared
    core.ingress.post(.report(report, window: number), to: core, schedules: !isOnMain)
    if isOnMain { MainActor.assumeIsolated { core.drainIngress() } }
  }

  /// Replaces the root flow, until the session changes again. What was below it ends with it.
  @MainActor @discardableResult
  public func replaceRoot(_ root: Root) -> Acceptance {
    guard let window = core.windows[number] else { return core.refuse(.closed, core.root) }
    window.replaceRoot(root)
    core.drain()
    return .accepted
  }

  /// Ends the root flow and closes the window. A second time it does nothing.
  @MainActor
  public func close() {
    core.closeWindow(number)
  }

  /// The root flow, or nil when there is none.
  @MainActor public var rootFlow: (any Flow)? { core.windows[number]?.rootFlow }

  /// The live flow with this id, or nil.
  @MainActor
  public func flow(_ id: FlowID) -> (any Flow)? {
    guard let node = core.displayed[id.rawValue], node.window?.number == number else { return nil }
    return node.anyFlow
  }

  /// The view for a flow on display: made at the first call, and the same until the flow ends.
  ///
  /// - Returns: nil if the flow is not on display in this window.
  @MainActor
  public func view<V: AnyObject>(for id: FlowID, make: (any Flow) -> V) -> V? {
    guard let node = core.displayed[id.rawValue], node.window?.number == number,
      let flow = node.anyFlow
    else { return nil }
    if let made = node.belongings?.view as? V { return made }
    let made = make(flow)
    if node.isRunning { node.own().view = made }
    return made
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
  private(set) weak var host: (any Host)?
  private let core: RuntimeCore
  private let rootPolicy: RootPolicy
  private var root: AnyFlowNode?
  /// The state that the root was made for.
  private var followed: SessionState?

  init(
    core: RuntimeCore, owner: WindowOwner, host: (any Host)?, root: RootPolicy
  ) {
    self.core = core
    self.owner = owner
    self.host = host
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
      guard state != followed else { return }
      followed = state
      let new = makeRoot(state)
      guard state == core.sessions.state else { return }
      replaceRoot(new, in: core.sessions.open)
    }
  }

  /// Replaces the root by hand; it belongs to the session that the old one belonged to.
  func replaceRoot(_ new: Root) {
    if case .fixed = rootPolicy {
      replaceRoot(new, in: nil)
    } else {
      replaceRoot(new, in: core.sessions.open)
    }
  }

  private func replaceRoot(_ new: Root, in session: SessionOwner?) {
    guard owner.isRunning else { return }
    core.turnDepth += 1
    defer { core.turnDepth -= 1 }
    if let root, root.isRunning { core.end(root, .replaced) }
    let place = AnyFlowNode.Place(presentation: .root, window: owner, session: session)
    root = new.start(core, owner, place)
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
    let window = WindowState(core: self, owner: owner, host: host, root: policy)
    windows[owner.number] = window
    window.followSession()
    drain()
    return FlowWindow(core: self, number: owner.number)
  }

  func closeWindow(_ number: UInt64) {
    guard let window = windows.removeValue(forKey: number) else { return }
    end(window.owner, .dismissed)
    drain()
  }

}
