// The app's one entry for deep links. It belongs to a runtime: there is no global one.

import Millrace

/// Takes links, and shows their places as a whole or not at all.
///
/// ```swift
/// let router = LinkRouter(runtime, links: Place.links) { route, session in
///   try await server.mayShow(route, for: session?.account) ? .allowed : .notPermitted
/// }
/// router.add(window)
/// let delivery = router.deliver("https://library.example/books/7")
/// ```
///
/// A link is read, then checked whole: session, lock, account, permission and target of every place
/// on its way. Then it is planned against the live tree and committed in one turn. What it waits for
/// meanwhile, and what it was refused for, is its verdict. The newest link wins; one that is refused
/// leaves the one that waited before it. What a router does is done by a flow of its own, in a window
/// without a host: it is in the tree and in the trace, and ends with the runtime, or when the router is
/// released.
public final class LinkRouter<R: Route>: Sendable {
  /// The links of the app.
  public let links: LinkTable<R>
  private let window: FlowWindow
  private let holder: DeskHolder<R>

  /// Makes a router.
  ///
  /// - Parameters:
  ///   - runtime: what it belongs to; held weakly.
  ///   - links: the table that links are read by.
  ///   - options: limits.
  ///   - accounts: who is known here; without one a link for an account that is not signed in is
  ///     rejected.
  ///   - lock: the app's lock, or nil if it has none.
  ///   - check: permission and target of one place. Asked off the main actor for each place on the
  ///     way that needs it, the root first; an error rejects the link. An app in which everybody may
  ///     see everything says so: it answers `allowed`.
  @MainActor
  public init(
    _ runtime: FlowRuntime, links: LinkTable<R>, options: LinkOptions = LinkOptions(),
    accounts: (any AccountDirectory)? = nil, lock: (any Lock)? = nil,
    check: @escaping @concurrent @Sendable (R, Session?) async throws -> RouteAnswer
  ) {
    let holder = DeskHolder<R>()
    self.links = links
    self.holder = holder
    window = runtime.openWindow(
      fixedRoot: Root(
        LinkDesk<R>.self,
        { [weak runtime] scope in
          let desk = LinkDesk<R>(
            scope, runtime: runtime, links: links, options: options, accounts: accounts,
            lock: lock, check: check)
          holder.desk = desk
          desk.holder = holder
          return desk
        }, onOutput: { [weak holder] signal in holder?.desk?.hear(signal) }))
  }

  /// Takes no more links: what waits is rejected as closed. A second time it does nothing.
  @MainActor
  public func close() { window.close() }

  /// The flow that does the work.
  @MainActor var desk: LinkDesk<R>? { holder.desk }

  // MARK: - Windows

  /// Lets links go to a window, also one that waits. It is held weakly.
  ///
  /// - Parameters:
  ///   - window: the window.
  ///   - name: what `WindowChoice.named` goes by.
  @MainActor
  public func add(_ window: FlowWindow, name: String? = nil) {
    desk?.windows.add(window, name)
    desk?.look()
  }

  /// Says that the user is in this window now: a link for the last active one that waits goes here. A
  /// window that was never active comes after all that were.
  @MainActor
  public func activate(_ window: FlowWindow) {
    desk?.windows.activate(window)
    desk?.look()
  }

  /// Opens a window for a link that wants a new one; without it, or if it gives nil, such a link is
  /// rejected. It is asked once for a link, after the checks: none is opened for a link that they
  /// refuse. The window's owner is the app, which has to keep it; it stays, whatever becomes of the link
  /// then.
  @MainActor public var newWindow: (@MainActor () -> FlowWindow?)? {
    get { desk?.newWindow }
    set { desk?.newWindow = newValue }
  }

  /// Hears each verdict, in order.
  @MainActor public var onVerdict: (@MainActor (LinkDelivery) -> Void)? {
    get { desk?.onVerdict }
    set { desk?.onVerdict = newValue }
  }

  /// The link that is parked or being decided, the newest of them, or nil.
  @MainActor public var pending: LinkDelivery? { desk?.current?.delivery }

  // MARK: - Links

  /// Delivers a link, from any thread, in the order of each sender.
  ///
  /// - Parameters:
  ///   - url: the link as it came.
  ///   - id: what tells this delivery from others; one that was seen before is ignored. Nil for a
  ///     new one: a second tap.
  ///   - choice: which window it goes to.
  ///   - isolation: where it is called; leave it as it is.
  /// - Returns: what becomes of it. On the main actor, outside a turn, the first verdict is there
  ///   already unless there is something to check.
  @discardableResult
  public func deliver(
    _ url: String, id: String? = nil, to choice: WindowChoice = .lastActive,
    isolation: isolated (any Actor)? = #isolation
  ) -> LinkDelivery {
    let delivery = LinkDelivery(id: id)
    let link = Result { () throws(LinkError) in try links.parse(url) }
    post(delivery, isolation: isolation) { $0.take(link, delivery, choice) }
    return delivery
  }

  /// Delivers a place of the app itself, as `deliver` does: from a notification or a menu.
  @discardableResult
  public func open(
    _ route: R, for account: Account? = nil, to choice: WindowChoice = .lastActive,
    isolation: isolated (any Actor)? = #isolation
  ) -> LinkDelivery {
    let delivery = LinkDelivery(id: nil)
    let link = Link(route, for: account)
    post(delivery, isolation: isolation) { $0.take(.success(link), delivery, choice) }
    return delivery
  }

  private func post(
    _ delivery: LinkDelivery, isolation: isolated (any Actor)?,
    _ body: @escaping @MainActor @Sendable (LinkDesk<R>) -> Void
  ) {
    let holder = holder
    window.post(isolation: isolation) {
      if let desk = holder.desk, desk.scope.isCurrent {
        body(desk)
      } else {
        delivery.set(.rejected(.closed))
      }
    }
  }

  /// What showing this place would change now, without checks and without changing anything.
  ///
  /// - Returns: nil if there is no such window, or its root is not that of the way.
  @MainActor
  public func plan(_ route: R, in choice: WindowChoice = .lastActive) -> LinkPlan<R>? {
    guard let window = desk?.windows.find(choice) else { return nil }
    return LinkPlan(to: route.way, in: PlaceTree(window))
  }
}

/// Where a router finds its flow.
@MainActor
final class DeskHolder<R: Route> {
  var desk: LinkDesk<R>?
  nonisolated init() {}
}

/// The windows of a router, weakly held.
@MainActor
struct RoutedWindows {
  private struct Entry {
    weak var window: FlowWindow?
    let name: String?
  }

  /// The one that was last active first.
  private var entries: [Entry] = []

  mutating func add(_ window: FlowWindow, _ name: String?) {
    entries.removeAll { $0.window == nil || $0.window === window }
    entries.append(Entry(window: window, name: name))
  }

  mutating func activate(_ window: FlowWindow) {
    guard let index = entries.firstIndex(where: { $0.window === window }) else { return }
    entries.insert(entries.remove(at: index), at: 0)
  }

  func find(_ choice: WindowChoice) -> FlowWindow? {
    let open = entries.filter { $0.window?.rootFlow != nil }
    switch choice {
    case .named(let name): return open.first { $0.name == name }?.window
    case .lastActive: return open.first?.window
    case .new: return nil
    }
  }
}
