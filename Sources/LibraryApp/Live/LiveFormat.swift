// What the server's JSON holds, and what it is here. A value that is none is no answer.

/// What calls are given: each uses a few of these.
struct LiveInput: Encodable {
  var number: String?
  var pin: String?
  var name: String?
  var book: Int?
  var books: [Int]?
  var branch: String?
  var key: String?
  var text: String?
}

struct LiveNothing: Decodable {}

struct LiveCard: Decodable {
  let number: String
  let pin: String
}

struct LiveNote: Decodable {
  let book: Book.ID
  let text: String
}

struct LiveCredential: Decodable {
  let member: Int
  let name: String
  let token: String

  func value() throws -> Credential {
    guard let token = UInt64(token) else { throw LibraryError.noAnswer }
    return Credential(member: Member(id: Member.ID(member), name: name), token: token)
  }
}

struct LiveReceipt: Decodable {
  let number: Int
  let member: Int
  let book: Book.ID
  let due: String

  func value() throws -> Receipt {
    Receipt(number: number, member: Member.ID(member), book: book, due: try liveDate(due))
  }
}

/// What became of a request for loans.
struct LiveAnswer: Decodable {
  let status: String
  var receipts: [LiveReceipt]?

  func value() throws -> LoanAnswer {
    let receipts = try (receipts ?? []).map { try $0.value() }
    switch status {
    case "unseen": return .unseen
    case "accepted": return .accepted(receipts)
    case "confirmed": return .confirmed(receipts)
    default: throw LibraryError.noAnswer
    }
  }
}

/// Why not; `due` alone is the answer to a book that may be lent.
struct LiveRefusal: Decodable {
  var error: String?
  var book: Book.ID?
  var reason: String?
  var due: String?
  var limit: Int?

  func why() throws -> Eligibility.Reason {
    switch reason {
    case "onLoan": return .onLoan(back: try liveDate(due))
    case "loanLimit": return .loanLimit(limit ?? 0)
    default: throw LibraryError.noAnswer
    }
  }

  func value() throws -> LibraryError {
    switch (error, book) {
    case ("wrongCard", _): return .wrongCard
    case ("signedOut", _): return .signedOut
    case ("unknownBook", let book?): return .unknownBook(book)
    case ("notEligible", let book?): return .notEligible(book, try why())
    case ("nothingToCheckOut", _): return .nothingToCheckOut
    case ("unusableName", _): return .unusableName
    case ("unusablePIN", _): return .unusablePIN
    case ("keyInUse", _): return .keyInUse
    default: return .noAnswer
    }
  }
}

func liveDate(_ text: String?) throws -> CalendarDate {
  guard let date = text.flatMap({ CalendarDate($0) }) else { throw LibraryError.noAnswer }
  return date
}
