// Whom a link asks before anything is shown: who is known here, and whether the app is locked.

import Millrace
import Observation

/// Who is known on this device.
@MainActor
public protocol AccountDirectory: AnyObject {
  /// Whether the account could be signed in here.
  func knows(_ account: Account) -> Bool

  /// Asks the user whether to change to this account, and changes: signs in with it.
  ///
  /// - Returns: false if the user does not want to.
  func switchAccount(to account: Account) async -> Bool

  /// A link waits for a sign-in, of this account or of anybody. Called once for each link, for an
  /// app whose signed-out root is not the sign-in itself. By default it does nothing.
  func signInIsNeeded(for account: Account?)
}

extension AccountDirectory {
  /// Does nothing.
  public func signInIsNeeded(for account: Account?) {}
}

/// The app's lock. Make it `@Observable`: the router hears so of each change of `isLocked`, also of one
/// without a screen that comes or goes. What waits for the lock goes on then, and a kept place is saved
/// as locked or not.
@MainActor
public protocol Lock: AnyObject, Observable {
  /// True if nothing may be shown: the lock is on the screen, or due. False within the time of grace.
  var isLocked: Bool { get }

  /// Shows the lock if it is not on the screen, and waits for the user.
  ///
  /// - Returns: true if it is unlocked, false if the user gave up. The link stays parked then.
  func unlock() async -> Bool

  /// A place that was saved while the app was locked is about to be shown: locks the app. By default it
  /// does nothing, for an app that is locked at each launch anyway.
  func lockAgain()
}

extension Lock {
  /// Does nothing.
  public func lockAgain() {}
}

/// What a check says of a place.
public enum RouteAnswer: Sendable, Equatable {
  /// It exists, and may be shown.
  case allowed
  /// It may not be shown to this account.
  case notPermitted
  /// It does not exist.
  case notFound
}

/// Which window a link goes to.
public enum WindowChoice: Sendable, Equatable {
  /// The one that was added to the router under this name.
  case named(String)
  /// The one that was last active.
  case lastActive
  /// A new one, see `LinkRouter.newWindow`.
  case new
}

/// Limits of a router.
public struct LinkOptions: Sendable {
  /// How long a parked link may wait, from its delivery.
  public var expiry: Duration
  /// How long the checks of one link may take, or those of one saved place.
  public var checkLimit: Duration
  /// How many checks of a saved place are made at the same time.
  public var checksAtOnce: Int
  /// How many ids of deliveries are remembered.
  public var remembered: Int
  /// How long nothing may change before a place is saved.
  public var saveDelay: Duration

  /// Makes options.
  public init(
    expiry: Duration = .seconds(300), checkLimit: Duration = .seconds(10),
    checksAtOnce: Int = 8, remembered: Int = 1_024, saveDelay: Duration = .milliseconds(500)
  ) {
    self.expiry = expiry
    self.checkLimit = checkLimit
    self.checksAtOnce = max(1, checksAtOnce)
    self.remembered = max(1, remembered)
    self.saveDelay = saveDelay
  }
}
