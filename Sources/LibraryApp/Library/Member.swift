// Who uses the library, and with what right: a member is a person known to the library, a card
// and PIN are what that person types, a credential is what a sign-in gives and every call needs.

/// A person known to the library.
package struct Member: Identifiable, Hashable, Sendable {
  /// The library's number for a member; never given to another.
  package struct ID: Hashable, Codable, Sendable, CustomStringConvertible {
    package let number: Int

    /// Wraps a member number.
    package init(_ number: Int) { self.number = number }

    /// Reads a number as `description` writes it, up to a million; nil for anything else.
    package init?(_ text: String) {
      guard let number = Int(text.dropFirst()), (1...1_000_000).contains(number),
        text == "M\(number)"
      else { return nil }
      self.number = number
    }
    package var description: String { "M\(number)" }
  }

  package let id: ID
  package let name: String

  /// Makes a member.
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

/// The right to make calls for one member, from one sign-in, until it is revoked.
package struct Credential: Hashable, Sendable {
  package let member: Member
  /// The secret that the library checks.
  let token: UInt64

  init(member: Member, token: UInt64) {
    self.member = member
    self.token = token
  }

  /// The token as a session store keeps it.
  package var bytes: [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: token >> (8 * UInt64($0))) }
  }
}

extension LibraryCard: CustomStringConvertible {
  /// The number only: a PIN does not belong in a log.
  package var description: String { "card \(number)" }
}

extension Credential: CustomStringConvertible {
  /// The member only: a token does not belong in a log.
  package var description: String { "credential of \(member.id)" }
}
