// The app: a runtime, one window, and the rule which root flow belongs to which session state.

import Millrace
import MillraceRoutes

/// A library app without a user interface; a host draws its window.
@MainActor
package final class LibraryApp {
  package let runtime: FlowRuntime
  /// The first window.
  package let window: FlowWindow
  private let root: @MainActor (SessionState) -> Root
  let service: any LibraryService
  let wallet: Wallet
  /// Covers what a session shows, until the PIN is typed.
  package let lock: AppLock
  /// Who has signed in here: whom a link may be for.
  let readers: KnownReaders
  private let frontWindow: FrontWindow
  private var others: [WeakWindow] = []
  private var router: LinkRouter<LibraryRoute>?

  /// Opens the app.
  ///
  /// - Parameters:
  ///   - service: the library to talk to.
  ///   - clock: what limits and delays are measured by.
  ///   - store: where a sign-in is kept between launches; nil keeps it nowhere.
  ///   - options: limits and checks of the runtime.
  ///   - host: draws the window; held weakly.
  ///   - sink: hears all that happens, from the first event.
  ///   - journal: where loans and orders are kept until the library has answered.
  ///   - seed: what request keys are drawn from.
  package init(
    service: any LibraryService, clock: some Clock<Duration> = ContinuousClock(),
    store: (any SessionStore)? = nil, options: RuntimeOptions = RuntimeOptions(),
    host: (any Host)? = nil, sink: (any TraceSink)? = nil,
    journal: any WriteJournal = MemoryWriteJournal(), seed: UInt64
  ) {
    let wallet = Wallet()
    // A loan is sent until the library has answered. If that is not its last word, it is asked for it.
    let writes = WriteOptions(
      service: LoanService(service: service, wallet: wallet), journal: journal,
      confirmation: service.confirmsLater ? .patient : nil, seed: seed)
    runtime = FlowRuntime(clock: clock, store: store, options: options, writes: writes)
    if let sink { runtime.addSink(sink) }
    let lock = AppLock(runtime, wallet)
    self.service = service
    self.wallet = wallet
    self.lock = lock
    let keys = RequestKeys(seed: seed)
    // The closure lives as long as the window: it must not hold the runtime.
    root = { state in
      switch state {
      case .undetermined:
        return Root { SplashFlow(scope: $0) }
      case .signedOut:
        return Root { SignInFlow(scope: $0, service: service, wallet: wallet) }
      case .signedIn(let session):
        guard let credential = wallet.credential(for: session) else {
          // The store knows who it was, and the library wants the card again.
          return Root { SignInFlow(scope: $0, service: service, wallet: wallet) }
        }
        return Root {
          SignedInFlow(
            scope: $0, service: service, credential: credential, keys: keys, lock: lock)
        }
      }
    }
    let window = runtime.openWindow(host: host, root: root)
    self.window = window
    let front = FrontWindow(window)
    frontWindow = front
    readers = KnownReaders(wallet, front: { front.window })
  }

  /// Opens one more window. It shares the session with the others, and nothing else.
  package func openWindow(host: any Host) -> FlowWindow {
    let opened = runtime.openWindow(host: host, root: root)
    others.append(WeakWindow(window: opened))
    router?.add(opened)
    return opened
  }

  /// Says that the user is in this window now: links go there.
  package func activate(_ window: FlowWindow) {
    frontWindow.window = window
    router?.activate(window)
  }

  /// The window that the user is in.
  var front: FlowWindow? { frontWindow.window }

  /// The windows that are open, the first one first.
  var windows: [FlowWindow] {
    ([window] + others.compactMap(\.window)).filter { $0.rootFlow != nil }
  }

  /// The entry for links: made when it is first asked for, see Routes/LibraryApp+Routes.swift.
  package var links: LinkRouter<LibraryRoute> {
    if let router { return router }
    return openLinks(onCheck: nil)
  }

  /// Makes a new entry for links. What waits in the former one is let go.
  ///
  /// - Parameter onCheck: hears each check of a place, from any thread.
  @discardableResult
  package func openLinks(
    onCheck: (@Sendable (LibraryRoute, RouteAnswer) -> Void)?
  ) -> LinkRouter<LibraryRoute> {
    let made = makeRouter(onCheck: onCheck)
    router?.close()
    router = made
    return made
  }

  /// Closes the first window, and takes no more links.
  package func close() {
    router?.close()
    window.close()
  }

  /// The sign-in screen, if that is what the window shows.
  package var signIn: SignInFlow? { window.rootFlow as? SignInFlow }
  /// The signed-in tabs, if that is what the window shows.
  package var signedIn: SignedInFlow? { window.rootFlow as? SignedInFlow }
}

private struct WeakWindow { weak var window: FlowWindow? }

/// The window that the user is in.
@MainActor
private final class FrontWindow {
  weak var window: FlowWindow?
  init(_ window: FlowWindow) { self.window = window }
}

/// What the window shows until it is known who is signed in.
@MainActor
package final class SplashFlow: Flow {
  package let scope: FlowScope<Never>
  init(scope: FlowScope<Never>) { self.scope = scope }
}

/// Makes an intent for each loan, the same ones for the same seed.
@MainActor
package final class RequestKeys {
  private var generator: SplitMix64

  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// An intent with a key that was not made before.
  func nextIntent() -> Intent { Intent(using: &generator) }
}
