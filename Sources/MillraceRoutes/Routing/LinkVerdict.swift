// What becomes of a link. Keeps R33: it is committed as a whole or not at all, waits for its own
// reason only, and is used once.
//
//   deciding ──▶ routed        a newer link: superseded (of a parked one, if that is not rejected)
//      │  ▲      rejected      its time is over: rejected(expired)
//      ▼  │
//     parked

import Millrace
import MillraceFiles

/// What has become of a link.
public enum LinkVerdict: Sendable, Equatable {
  /// It is being read or checked.
  case deciding
  /// Its place is shown. The host may still be busy with it.
  case routed
  /// It waits for this, and goes on by itself.
  case parked(ParkReason)
  /// A newer link came; to one that is parked only if that one is parked or routed in its turn: a link
  /// that is refused takes no other along. As to what it changed, it is as rejected.
  case superseded
  /// It changed nothing, and will not; `LinkRejection.notShown` is the one exception. What the user let
  /// go himself when he was asked for it is gone, and a window that was opened for it stays.
  case rejected(LinkRejection)

  /// True if nothing will change it any more.
  public var isFinal: Bool {
    switch self {
    case .deciding, .parked: false
    case .routed, .superseded, .rejected: true
    }
  }
}

/// What a parked link waits for.
public enum ParkReason: Sendable, Hashable {
  /// It is not known yet who is signed in.
  case sessionUndetermined
  /// Somebody has to sign in.
  case needsSignIn
  /// It is meant for this account, and another one is signed in.
  case needsAccountSwitch(Account)
  /// The app is locked.
  case locked
  /// This flow is in the way and does not let go, or asks the user first. It waits for its end.
  case modalBusy(FlowID)
  /// The window is in the middle of a transition, or of a gesture of the user.
  case transition
  /// The router has no window for it.
  case windowMissing
  /// The window does not show the root that the way to the place begins at.
  case rootMissing
}

/// Why a link is not shown.
public enum LinkRejection: Error, Sendable, Equatable {
  /// It cannot be read.
  case unreadable(LinkError)
  /// It is meant for an account that is not known here.
  case unknownAccount(Account)
  /// The user does not want it.
  case declined
  /// This place on the way is not permitted.
  case notPermitted(String)
  /// This place on the way does not exist.
  case notFound(String)
  /// A check failed; its words.
  case checkFailed(String)
  /// The checks took longer than they may.
  case checkTimedOut(Duration)
  /// The flow above this place cannot show it.
  case unreachable(String)
  /// A flow of the way, which was not there before, has not shown this place. What had been shown of the
  /// way is taken back; what was in the way is gone. See `RoutedFlow.canShow`, which prevents it.
  case notShown(String)
  /// No new window was opened for it, or that one was closed.
  case noWindow
  /// The window did not do what it was asked.
  case refused(CommandRefusal)
  /// It has waited for this too long.
  case expired(ParkReason)
  /// A delivery of the same id came before.
  case deliveredBefore
  /// The router or the runtime is closed.
  case closed
}

extension ParkReason: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .sessionUndetermined: "it is not known yet who is signed in"
    case .needsSignIn: "somebody has to sign in"
    case .needsAccountSwitch(let account): "it is meant for \(quoted(account.id))"
    case .locked: "the app is locked"
    case .modalBusy(let flow): "\(flow) is in the way"
    case .transition: "the window is in the middle of a transition"
    case .windowMissing: "there is no window for it"
    case .rootMissing: "the window shows another root"
    }
  }
}

extension LinkRejection: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .unreadable(let error): "\(error)"
    case .unknownAccount(let account):
      "the account \(quoted(account.id)) is not known here; sign in with it first"
    case .declined: "the user does not want it; open it again to be asked again"
    case .notPermitted(let route):
      "\(legible(route)) is not permitted for this account; sign in with another one"
    case .notFound(let route): "\(legible(route)) does not exist; check what the link names"
    case .checkFailed(let words):
      "it cannot be checked: \(legible(words, most: 2_000)); try again later"
    case .checkTimedOut(let limit): "it could not be checked within \(limit); try again later"
    case .unreachable(let route):
      "\(legible(route)) cannot be shown from where the app is; try again from its first screen"
    case .notShown(let route):
      "\(legible(route)) was not shown by the flow above it, and what was in the way is gone; "
        + "canShow of the first flow on the way has to say so before"
    case .noWindow: "no new window was opened for it; open it in one that is there"
    case .refused(let why): "the window refused the change: \(why); try again"
    case .expired(let reason): "it has waited too long: \(reason); open it again"
    case .deliveredBefore: "this delivery came before; a new one needs another id"
    case .closed: "the router is closed; open it in a runtime that is not"
    }
  }
}

extension LinkVerdict: CustomStringConvertible {
  /// The verdict in words.
  public var description: String {
    switch self {
    case .deciding: "deciding"
    case .routed: "routed"
    case .parked(let reason): "parked: \(reason)"
    case .superseded: "superseded by a newer link"
    case .rejected(let why): "rejected: \(why)"
    }
  }
}

/// One link on its way: what `LinkRouter.deliver` returns. It may be kept and released at will.
public final class LinkDelivery: Sendable {
  /// What tells this delivery from others, byte for byte. Nil for one without an id: it is a new one each
  /// time, and never taken for another.
  public let id: String?
  /// What has become of it.
  @MainActor public private(set) var verdict = LinkVerdict.deciding
  /// Who waits. Key: in which order they came.
  @MainActor private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  @MainActor private var waitersMade = 0

  init(id: String?) { self.id = id }

  /// Waits for the first word: anything but `deciding`. If the task that waits is cancelled, returns what
  /// the word is then.
  @MainActor
  public func decided() async -> LinkVerdict { await wait { $0 != .deciding } }

  /// Waits for the last word. A parked link may wait as long as `LinkOptions.expiry`. If the task that
  /// waits is cancelled, returns what the word is then.
  @MainActor
  public func settled() async -> LinkVerdict { await wait(until: \.isFinal) }

  @MainActor
  private func wait(until isEnough: (LinkVerdict) -> Bool) async -> LinkVerdict {
    while !isEnough(verdict), !Task.isCancelled { await park() }
    return verdict
  }

  @MainActor
  private func park() async {
    waitersMade += 1
    let number = waitersMade
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiters[number] = $0 }
    } onCancel: {
      // Always after the continuation is there: that is put there in this job.
      Task { @MainActor in waiters.removeValue(forKey: number)?.resume() }
    }
  }

  @MainActor
  func set(_ verdict: LinkVerdict) {
    guard !self.verdict.isFinal, self.verdict != verdict else { return }
    self.verdict = verdict
    let waiters = waiters.sorted { $0.key < $1.key }
    self.waiters = [:]
    for (_, waiter) in waiters { waiter.resume() }
  }
}
