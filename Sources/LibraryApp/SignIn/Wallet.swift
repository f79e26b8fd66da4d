// What this device knows of its readers: the cards that were signed in with, and the credential of
// the sign-in under way.

import Millrace

/// The cards and the credential of this device. The runtime names a session's account only.
@MainActor
package final class Wallet {
  private var newest: Credential?
  /// Key: an account that was signed in here. Value: the card that did it.
  private var cards: [Account: LibraryCard] = [:]

  package init() {}

  func keep(_ credential: Credential, of card: LibraryCard) {
    newest = credential
    cards[credential.member.account] = card
  }

  func credential(for session: Session) -> Credential? {
    newest?.member.account == session.account ? newest : nil
  }

  func card(of account: Account) -> LibraryCard? { cards[account] }
}

extension Member {
  /// The member as the runtime names it.
  package var account: Account { Account(id.description) }
}
