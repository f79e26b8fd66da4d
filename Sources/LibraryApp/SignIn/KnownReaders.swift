// Who is known on this device, for links that are meant for somebody: those who have signed in here.

import Millrace
import MillraceRoutes

/// Changes to another reader of this device, if the user wants to.
@MainActor
final class KnownReaders: AccountDirectory {
  private let wallet: Wallet
  /// The window that the user is asked in.
  private let front: @MainActor () -> FlowWindow?

  init(_ wallet: Wallet, front: @escaping @MainActor () -> FlowWindow?) {
    self.wallet = wallet
    self.front = front
  }

  func knows(_ account: Account) -> Bool { wallet.card(of: account) != nil }

  /// Asks, and signs the present reader out. The other one signs in himself: the card's number is
  /// filled in, its PIN is not.
  func switchAccount(to account: Account) async -> Bool {
    guard let tabs = front()?.rootFlow as? SignedInFlow else { return false }
    let question = Alert(
      "Change to \(account)?", message: "The link is for \(account). What is open is closed.",
      buttons: [.init("Change", role: .destructive, true), .init("Stay", role: .cancel, false)])
    guard await tabs.scope.ask(question) == true else { return false }
    tabs.signOut()
    return true
  }

  func signInIsNeeded(for account: Account?) {
    guard let card = account.flatMap(wallet.card(of:)) else { return }
    (front()?.rootFlow as? SignInFlow)?.fillIn(card.number)
  }
}
