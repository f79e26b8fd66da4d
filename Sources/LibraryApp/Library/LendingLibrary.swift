// What the app asks of a library. The front door (`LibraryService`) takes a card and gives a
// credential; a desk (`LendingLibrary`) makes calls for one credential, so a flow that holds a desk
// cannot make a call for another member.

/// The calls that need no sign-in, and the way to those that do.
package protocol LibraryService: Sendable {
  /// Makes a member, and the card that opens it.
  func register(name: String, pin: String) async throws -> LibraryCard
  /// Checks a card and gives a credential of its own to this sign-in.
  func signIn(with card: LibraryCard) async throws -> Credential
  /// Makes a credential worthless. Revoking it again does nothing.
  func revoke(_ credential: Credential) async throws
  /// Whether it takes a loan first and confirms it later; otherwise its first answer is the last word.
  var confirmsLater: Bool { get }
  /// The calls that can be made with `credential`.
  func desk(for credential: Credential) -> any LendingLibrary
}

extension LibraryService {
  /// False.
  package var confirmsLater: Bool { false }
}

/// The calls of one member. Each may throw a ``LibraryError``, or `CancellationError` when its task
/// was cancelled before there was an answer.
package protocol LendingLibrary: Sendable {
  /// The member that all calls are made for.
  var member: Member { get }
  /// A new credential for this member; the one that is used goes on until it is revoked.
  func renew() async throws -> Credential
  /// All books.
  func catalogue() async throws -> Catalogue
  /// Whether this member may take `book` home now.
  func eligibility(of book: Book.ID) async throws -> Eligibility
  /// Lends one book. The same key again gives the first answer again, and lends nothing.
  func lend(_ book: Book.ID, key: RequestKey) async throws -> Receipt
  /// Lends several books, all or none, to be fetched at `branch`. Keys as with ``lend(_:key:)``.
  func checkOut(_ books: [Book.ID], at branch: Branch, key: RequestKey) async throws -> [Receipt]
  /// What became of a request for loans with this key; it is not made again.
  func answer(for key: RequestKey) async throws -> LoanAnswer
  /// Takes a book back. A book that is not on loan here is taken back already.
  func giveBack(_ book: Book.ID) async throws
  /// What is on loan, the oldest loan first.
  func loans() async throws -> [Receipt]
  /// The books to be read, in the order in which they were added.
  func readingList() async throws -> [Book.ID]
  /// Adds to the reading list, unless it is there, and gives the list.
  func addToReadingList(_ book: Book.ID) async throws -> [Book.ID]
  /// Takes from the reading list and gives what is left.
  func removeFromReadingList(_ book: Book.ID) async throws -> [Book.ID]
  /// Stores a note and gives all notes of this member.
  func save(_ note: Note) async throws -> [Note]
}

/// Whether a member may borrow a book.
package enum Eligibility: Equatable, Sendable {
  case eligible(until: CalendarDate)
  case refused(Reason)

  /// Why not.
  package enum Reason: Equatable, Sendable {
    case onLoan(back: CalendarDate)
    case loanLimit(Int)
  }
}

/// The proof of a loan.
package struct Receipt: Codable, Equatable, Sendable {
  package let number: Int
  package let member: Member.ID
  package let book: Book.ID
  package let due: CalendarDate
}

/// What a library knows of a request for loans.
package enum LoanAnswer: Equatable, Sendable {
  /// It never came.
  case unseen
  /// The books are lent, and the last word is still to come.
  case accepted([Receipt])
  /// The books are lent for good.
  case confirmed([Receipt])
}

/// Where books are fetched.
package enum Branch: String, CaseIterable, Codable, Sendable {
  case main, harbour, station
}

/// A remark on a book.
package struct Note: Equatable, Sendable {
  package let book: Book.ID
  package let text: String

  /// Makes a note.
  package init(book: Book.ID, text: String) {
    self.book = book
    self.text = text
  }
}

/// What makes a second try of a request the same request.
package struct RequestKey: Hashable, Sendable {
  package let text: String

  /// Wraps a key; the caller sees to it that each intent has its own.
  package init(_ text: String) { self.text = text }
}

/// Why the library did not do what was asked.
package enum LibraryError: Error, Equatable, Sendable {
  case wrongCard
  /// The credential was revoked.
  case signedOut
  case unknownBook(Book.ID)
  case notEligible(Book.ID, Eligibility.Reason)
  case nothingToCheckOut
  case unusableName
  case unusablePIN
  /// The key belongs to another request.
  case keyInUse
  /// The request did not arrive: nothing was done.
  case unreachable
  /// It did nothing, and asks to come back after so many seconds.
  case busy(retryAfter: Int)
  /// No answer came: nobody here knows whether it was done.
  case noAnswer
}

extension LibraryError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .wrongCard: "This card number and PIN do not belong together. Type both again."
    case .signedOut: "You are signed out. Sign in and try again."
    case .unknownBook(let id): "The library has no book \(id). Choose another."
    case .notEligible(let id, let reason): "Book \(id) cannot be lent: \(reason)."
    case .nothingToCheckOut: "The basket is empty. Put a book in."
    case .unusableName: "A name needs at least one letter. Type your name."
    case .unusablePIN: "A PIN has four digits. Type another."
    case .keyInUse: "This request was made before with other contents. Start again."
    case .unreachable: "The library cannot be reached; nothing was done. Try again."
    case .busy: "The library is busy; nothing was done. Try again in a while."
    case .noAnswer: "The library did not answer; it may have been done. Look before you try again."
    }
  }
}

extension Eligibility.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .onLoan(let back): "it is on loan until \(back)"
    case .loanLimit(let limit): "you have \(limit) loans, the most there may be"
    }
  }
}
