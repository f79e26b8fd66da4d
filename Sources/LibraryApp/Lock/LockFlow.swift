// The screen of the lock, over one window. It goes when the app is unlocked in any window.

import Millrace
import Observation

/// Asks for the PIN of the card.
@MainActor @Observable
package final class LockFlow: Flow {
  package enum Output: Sendable, Equatable { case signOut }

  @ObservationIgnored package let scope: FlowScope<Output>
  @ObservationIgnored private let lock: AppLock

  package var pin = ""
  /// Why the last try failed, for the user.
  package private(set) var notice: String?

  package init(scope: FlowScope<Output>, lock: AppLock) {
    self.scope = scope
    self.lock = lock
  }

  /// It cannot be swiped away.
  package func start() { scope.guardDismissal({ .keep }, ask: { _ in }) }

  /// Tries what was typed.
  package func unlock() {
    guard scope.isCurrent, !lock.open(with: pin) else { return }
    pin = ""
    notice = "This is not the PIN of the card."
  }

  /// The way out for who does not know the PIN.
  package func signOut() { scope.emit(.signOut) }
}
