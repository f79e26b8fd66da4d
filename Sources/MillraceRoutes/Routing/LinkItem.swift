// What a desk keeps of a link that is on its way, and of what it has asked for it.

import Millrace

extension LinkDesk {
  /// A link, and where it has got to.
  @MainActor
  final class Item {
    let link: Link<R>
    let delivery: LinkDelivery
    let choice: WindowChoice
    let deadline: Duration
    var expiry: TaskOperation?
    /// The window that was opened for it.
    var opened: FlowWindow?
    /// True from the first time that it waited for a sign-in.
    var hasAskedForSignIn = false
    /// While it is parked: for what, and in which session that was asked for. Nil if nothing was yet.
    var asked: (reason: ParkReason, session: Session?)?
    /// While it is checked: for which session.
    var checking: Checking?
    /// True from the first time that it was parked.
    var hasWaited: Bool { expiry != nil }

    init(_ link: Link<R>, _ delivery: LinkDelivery, _ choice: WindowChoice, deadline: Duration) {
      self.link = link
      self.delivery = delivery
      self.choice = choice
      self.deadline = deadline
    }
  }

  /// Whether to change to an account. Told from others by identity.
  final class Question {
    let account: Account
    let session: Session
    init(account: Account, session: Session) { (self.account, self.session) = (account, session) }
  }

  /// What checks were made for.
  struct Checking: Equatable {
    let session: Session?
  }
}
