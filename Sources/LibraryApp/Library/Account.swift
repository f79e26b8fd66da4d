// Who uses the library, and with what right: an account is a person known to the library, a card
// and PIN are what that person types, a credential is what a sign-in gives and every call needs.

/// A person known to the library.
package struct Account: Identifiable, Hashable, Sendable {
  /// The library's number for an account; never given to another.
  package struct ID: Hashable, Sendable, CustomStringConvertible {
    package let number: Int

    /// Wraps an account number.
    package init(_ number: Int) { self.number = number }
    package var description: String { "A\(number)" }
  }

  package let id: ID
  package let name: String

  /// Makes an account.
  package init(id: ID, name: String) {
    self.id = id
    self.name = name
  }
}

/// What a reader types to sign in.
package struct LibraryCard: Hashable, Sendable {
  package let number: String
  package let pin: String

  /// Makes a card from what was typed.
  package init(number: String, pin: String) {
    self.number = number
    self.pin = pin
  }
}

/// The right to make calls for one account, from one sign-in, until it is revoked.
package struct Credential: Hashable, Sendable {
  package let account: Account
  /// The secret that the library checks.
  let token: UInt64

  init(account: Account, token: UInt64) {
    self.account = account
    self.token = token
  }
}

extension LibraryCard: CustomStringConvertible {
  /// The number only: a PIN does not belong in a log.
  package var description: String { "card \(number)" }
}

extension Credential: CustomStringConvertible {
  /// The account only: a token does not belong in a log.
  package var description: String { "credential of \(account.id)" }
}
