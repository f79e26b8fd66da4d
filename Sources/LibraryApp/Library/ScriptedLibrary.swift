// A library whose answers can be held back one by one, for tours and tests that decide themselves
// in which order things happen.

/// Another library with gates in front of its answers.
///
/// The call itself is made at once; what a gate holds is its answer, or its error.
package final class ScriptedLibrary: LibraryService {
  private let base: any LibraryService
  private let gates = Locked<[LibraryCall: [AnswerGate]]>([:])

  /// Puts gates, none at first, in front of `base`.
  package init(_ base: any LibraryService) { self.base = base }

  /// Holds the answer of the next call of this kind that is not held yet.
  package func hold(_ call: LibraryCall, deaf: Bool = false) -> AnswerGate {
    let gate = AnswerGate(call: call, isDeaf: deaf)
    gates.withLock { $0[call, default: []].append(gate) }
    return gate
  }

  package var confirmsLater: Bool { base.confirmsLater }

  package func register(name: String, pin: String) async throws -> LibraryCard {
    try await answer(.register) { try await base.register(name: name, pin: pin) }
  }

  package func signIn(with card: LibraryCard) async throws -> Credential {
    try await answer(.signIn) { try await base.signIn(with: card) }
  }

  package func revoke(_ credential: Credential) async throws {
    try await answer(.revoke) { try await base.revoke(credential) }
  }

  package func desk(for credential: Credential) -> any LendingLibrary {
    ScriptedDesk(script: self, base: base.desk(for: credential))
  }

  fileprivate func answer<Answer: Sendable>(
    _ call: LibraryCall, _ work: () async throws -> Answer
  ) async throws -> Answer {
    let gate = gates.withLock { gates -> AnswerGate? in
      guard gates[call]?.isEmpty == false else { return nil }
      return gates[call]?.removeFirst()
    }
    let answer: Result<Answer, any Error>
    do { answer = .success(try await work()) } catch { answer = .failure(error) }
    try await gate?.pass()
    return try answer.get()
  }
}

private struct ScriptedDesk: LendingLibrary {
  let script: ScriptedLibrary
  let base: any LendingLibrary

  var member: Member { base.member }

  func renew() async throws -> Credential {
    try await script.answer(.renew) { try await base.renew() }
  }

  func catalogue() async throws -> Catalogue {
    try await script.answer(.catalogue) { try await base.catalogue() }
  }

  func eligibility(of book: Book.ID) async throws -> Eligibility {
    try await script.answer(.eligibility) { try await base.eligibility(of: book) }
  }

  func lend(_ book: Book.ID, key: RequestKey) async throws -> Receipt {
    try await script.answer(.lend) { try await base.lend(book, key: key) }
  }

  func checkOut(_ books: [Book.ID], at branch: Branch, key: RequestKey) async throws -> [Receipt] {
    try await script.answer(.checkOut) { try await base.checkOut(books, at: branch, key: key) }
  }

  func answer(for key: RequestKey) async throws -> LoanAnswer {
    try await script.answer(.answer) { try await base.answer(for: key) }
  }

  func giveBack(_ book: Book.ID) async throws {
    try await script.answer(.giveBack) { try await base.giveBack(book) }
  }

  func loans() async throws -> [Receipt] {
    try await script.answer(.loans) { try await base.loans() }
  }

  func readingList() async throws -> [Book.ID] {
    try await script.answer(.readingList) { try await base.readingList() }
  }

  func addToReadingList(_ book: Book.ID) async throws -> [Book.ID] {
    try await script.answer(.addToReadingList) { try await base.addToReadingList(book) }
  }

  func removeFromReadingList(_ book: Book.ID) async throws -> [Book.ID] {
    try await script.answer(.removeFromReadingList) { try await base.removeFromReadingList(book) }
  }

  func save(_ note: Note) async throws -> [Note] {
    try await script.answer(.save) { try await base.save(note) }
  }
}
