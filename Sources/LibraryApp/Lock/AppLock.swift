// The app's lock: from `lock()` until the PIN of the card is typed, or the session ends. Its screen
// is over every window, and no link passes it.

import Millrace
import MillraceRoutes
import Observation

/// Locks what a session shows, without ending anything of it.
@MainActor @Observable
package final class AppLock: Lock {
  @ObservationIgnored private weak var runtime: FlowRuntime?
  @ObservationIgnored private let wallet: Wallet
  /// The session that was locked: another one is not.
  private var locked: Session?
  /// What has to be covered: the root of each window.
  @ObservationIgnored private var roots: [WeakRoot] = []

  private struct WeakRoot { weak var root: SignedInFlow? }

  init(_ runtime: FlowRuntime, _ wallet: Wallet) {
    self.runtime = runtime
    self.wallet = wallet
  }

  package var isLocked: Bool { locked != nil && locked == runtime?.session }

  /// Covers this root as long as the app is locked.
  func add(_ root: SignedInFlow) {
    roots.removeAll { $0.root?.scope.isCurrent != true }
    roots.append(WeakRoot(root: root))
    if isLocked { _ = root.showLock() }
  }

  /// Locks the app, as when it goes into the background.
  ///
  /// - Returns: false if nobody is signed in: there is nothing to lock.
  @discardableResult
  package func lock() -> Bool {
    guard let session = runtime?.session, !coverAll().isEmpty else { return false }
    locked = session
    return true
  }

  package func lockAgain() { lock() }

  /// Unlocks with the PIN of the card that was signed in with; another one changes nothing.
  @discardableResult
  func open(with pin: String) -> Bool {
    guard isLocked, let locked else { return true }
    guard wallet.card(of: locked.account)?.pin == pin else { return false }
    self.locked = nil
    for entry in roots { entry.root?.lockScreen.child?.dismiss() }
    return true
  }

  /// Waits for the PIN, at the screen that is there already.
  ///
  /// - Returns: false if the session, or the window, ended first.
  package func unlock() async -> Bool {
    if isLocked, let screen = coverAll().first { _ = await screen.ending }
    return !isLocked
  }

  /// One screen for each window. What is there stays.
  private func coverAll() -> [Child<LockFlow>] { roots.compactMap { $0.root?.showLock() } }
}
