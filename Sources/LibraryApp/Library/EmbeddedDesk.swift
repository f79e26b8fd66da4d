// The desk of the embedded library: what one credential may do there.

struct EmbeddedDesk: LendingLibrary {
  let library: EmbeddedLibrary
  let credential: Credential

  var account: Account { credential.account }

  func catalogue() async throws -> Catalogue {
    try await library.carryOut(.catalogue, with: credential) { $0.books }
  }

  func eligibility(of book: Book.ID) async throws -> Eligibility {
    try await library.carryOut(.eligibility, with: credential) { library in
      try library.eligibility(of: book, for: account.id)
    }
  }

  func lend(_ book: Book.ID, key: RequestKey) async throws -> Receipt {
    let request = LoanRequest(account: account.id, books: [book], branch: nil)
    let receipts = try await library.carryOut(.lend, with: credential) { library in
      try library.lend(request, key: key)
    }
    guard let receipt = receipts.first else { throw LibraryError.nothingToCheckOut }
    return receipt
  }

  func checkOut(_ books: [Book.ID], at branch: Branch, key: RequestKey) async throws -> [Receipt] {
    let request = LoanRequest(account: account.id, books: books, branch: branch)
    return try await library.carryOut(.checkOut, with: credential) { library in
      try library.lend(request, key: key)
    }
  }

  func giveBack(_ book: Book.ID) async throws {
    try await library.carryOut(.giveBack, with: credential) { library in
      library.loans.removeAll { $0.book == book && $0.account == account.id }
    }
  }

  func loans() async throws -> [Receipt] {
    try await library.carryOut(.loans, with: credential) { library in
      library.loans.filter { $0.account == account.id }
    }
  }

  func readingList() async throws -> [Book.ID] {
    try await library.carryOut(.readingList, with: credential) { library in
      library.readingLists[account.id, default: []]
    }
  }

  func addToReadingList(_ book: Book.ID) async throws -> [Book.ID] {
    try await library.carryOut(.addToReadingList, with: credential) { library in
      guard library.books[book] != nil else { throw LibraryError.unknownBook(book) }
      var list = library.readingLists[account.id, default: []]
      if !list.contains(book) { list.append(book) }
      library.readingLists[account.id] = list
      return list
    }
  }

  func removeFromReadingList(_ book: Book.ID) async throws -> [Book.ID] {
    try await library.carryOut(.removeFromReadingList, with: credential) { library in
      library.readingLists[account.id, default: []].removeAll { $0 == book }
      return library.readingLists[account.id, default: []]
    }
  }

  func save(_ note: Note) async throws -> [Note] {
    try await library.carryOut(.save, with: credential) { library in
      guard library.books[note.book] != nil else { throw LibraryError.unknownBook(note.book) }
      library.notes[account.id, default: []].append(note)
      return library.notes[account.id, default: []]
    }
  }
}

extension EmbeddedLibrary {
  fileprivate func eligibility(of book: Book.ID, for account: Account.ID) throws -> Eligibility {
    guard books[book] != nil else { throw LibraryError.unknownBook(book) }
    if let loan = loans.first(where: { $0.book == book }) {
      return .refused(.onLoan(back: loan.due))
    }
    let held = loans.count { $0.account == account }
    if held >= EmbeddedLibrary.loanLimit { return .refused(.loanLimit(EmbeddedLibrary.loanLimit)) }
    return .eligible(until: due)
  }

  /// All of the request's books or, with an error, none.
  fileprivate func lend(_ request: LoanRequest, key: RequestKey) throws -> [Receipt] {
    if let known = answered[key] {
      guard known.request == request else { throw LibraryError.keyInUse }
      return known.receipts
    }
    guard !request.books.isEmpty else { throw LibraryError.nothingToCheckOut }
    let before = (loans: loans, receiptsMade: receiptsMade)
    var receipts: [Receipt] = []
    do {
      for book in request.books {
        if case .refused(let reason) = try eligibility(of: book, for: request.account) {
          throw LibraryError.notEligible(book, reason)
        }
        receiptsMade += 1
        let receipt = Receipt(
          number: receiptsMade, account: request.account, book: book, due: due)
        loans.append(receipt)
        receipts.append(receipt)
      }
    } catch {
      (loans, receiptsMade) = before
      throw error
    }
    answered[key] = (request, receipts)
    return receipts
  }
}
