// The desk of the embedded library: what one credential may do there.

struct EmbeddedDesk: LendingLibrary {
  let library: EmbeddedLibrary
  let credential: Credential

  var member: Member { credential.member }

  func renew() async throws -> Credential {
    try await library.carryOut(.renew, with: credential) { $0.issue(for: member) }
  }

  func catalogue() async throws -> Catalogue {
    try await library.carryOut(.catalogue, with: credential) { $0.books }
  }

  func eligibility(of book: Book.ID) async throws -> Eligibility {
    try await library.carryOut(.eligibility, with: credential) { library in
      try library.eligibility(of: book, for: member.id)
    }
  }

  func lend(_ book: Book.ID, key: RequestKey) async throws -> Receipt {
    let request = LoanRequest(member: member.id, books: [book], branch: nil)
    let receipts = try await library.carryOut(.lend, with: credential) { library in
      try library.lend(request, key: key)
    }
    guard let receipt = receipts.first else { throw LibraryError.nothingToCheckOut }
    return receipt
  }

  func checkOut(_ books: [Book.ID], at branch: Branch, key: RequestKey) async throws -> [Receipt] {
    let request = LoanRequest(member: member.id, books: books, branch: branch)
    return try await library.carryOut(.checkOut, with: credential) { library in
      try library.lend(request, key: key)
    }
  }

  func answer(for key: RequestKey) async throws -> LoanAnswer {
    try await library.carryOut(.answer, with: credential) { library in
      guard let known = library.answered[key], known.request.member == member.id else {
        return .unseen
      }
      return .confirmed(known.receipts)
    }
  }

  func giveBack(_ book: Book.ID) async throws {
    try await library.carryOut(.giveBack, with: credential) { library in
      library.loans.removeAll { $0.book == book && $0.member == member.id }
    }
  }

  func loans() async throws -> [Receipt] {
    try await library.carryOut(.loans, with: credential) { library in
      library.loans.filter { $0.member == member.id }
    }
  }

  func readingList() async throws -> [Book.ID] {
    try await library.carryOut(.readingList, with: credential) { library in
      library.readingLists[member.id, default: []]
    }
  }

  func addToReadingList(_ book: Book.ID) async throws -> [Book.ID] {
    try await library.carryOut(.addToReadingList, with: credential) { library in
      guard library.books[book] != nil else { throw LibraryError.unknownBook(book) }
      var list = library.readingLists[member.id, default: []]
      if !list.contains(book) { list.append(book) }
      library.readingLists[member.id] = list
      return list
    }
  }

  func removeFromReadingList(_ book: Book.ID) async throws -> [Book.ID] {
    try await library.carryOut(.removeFromReadingList, with: credential) { library in
      library.readingLists[member.id, default: []].removeAll { $0 == book }
      return library.readingLists[member.id, default: []]
    }
  }

  func save(_ note: Note) async throws -> [Note] {
    try await library.carryOut(.save, with: credential) { library in
      guard library.books[note.book] != nil else { throw LibraryError.unknownBook(note.book) }
      library.notes[member.id, default: []].append(note)
      return library.notes[member.id, default: []]
    }
  }
}

extension EmbeddedLibrary {
  fileprivate func eligibility(of book: Book.ID, for member: Member.ID) throws -> Eligibility {
    guard books[book] != nil else { throw LibraryError.unknownBook(book) }
    if let loan = loans.first(where: { $0.book == book }) {
      return .refused(.onLoan(back: loan.due))
    }
    let held = loans.count { $0.member == member }
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
        if case .refused(let reason) = try eligibility(of: book, for: request.member) {
          throw LibraryError.notEligible(book, reason)
        }
        receiptsMade += 1
        let receipt = Receipt(
          number: receiptsMade, member: request.member, book: book, due: due)
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
