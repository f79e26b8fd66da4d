// The library behind HTTP, as `Tests/LibraryServer` speaks it: the same calls, the same errors.

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A library that counts the calls that are made to it.
package protocol CountedLibrary: LibraryService {
  /// The calls made so far for `member` (nil: those made without one), by kind.
  func calls(by member: Member.ID?) async -> [LibraryCall: Int]
}

extension EmbeddedLibrary: CountedLibrary {}

/// A library on a server. A call whose task is cancelled takes its request along, down to the socket.
package final class LiveLibrary: CountedLibrary {
  private let server: URL
  private let client: HTTPClient
  private let around: Around
  private let counts = Locked<[Member.ID?: [LibraryCall: Int]]>([:])

  /// What is done around each request: it makes the request, and hands its answer on.
  package typealias Around =
    @Sendable (@Sendable () async throws -> (Data, HTTPURLResponse)) async throws -> (
      Data, HTTPURLResponse
    )

  /// The library at this address, such as `http://127.0.0.1:8080`.
  ///
  /// - Parameters:
  ///   - timeout: seconds without a byte of an answer, after which a call fails.
  ///   - around: for who wants to know when requests are under way; makes them by itself.
  package init(
    server: URL, timeout: TimeInterval = 60, around: @escaping Around = { try await $0() }
  ) {
    self.server = server
    client = HTTPClient(timeout: timeout)
    self.around = around
  }

  /// True: a loan is confirmed after it was asked about.
  package var confirmsLater: Bool { true }

  package func calls(by member: Member.ID?) -> [LibraryCall: Int] {
    counts.withLock { $0[member] ?? [:] }
  }

  package func register(name: String, pin: String) async throws -> LibraryCard {
    let card: LiveCard = try await call(.register, nil, LiveInput(pin: pin, name: name))
    return LibraryCard(number: card.number, pin: card.pin)
  }

  package func signIn(with card: LibraryCard) async throws -> Credential {
    let answer: LiveCredential = try await call(
      .signIn, nil, LiveInput(number: card.number, pin: card.pin))
    return try answer.value()
  }

  package func revoke(_ credential: Credential) async throws {
    let _: LiveNothing = try await call(.revoke, credential, LiveInput())
  }

  package func desk(for credential: Credential) -> any LendingLibrary {
    LiveDesk(library: self, credential: credential)
  }

  func catalogue(_ credential: Credential) async throws -> Catalogue {
    count(.catalogue, credential.member.id)
    let url = server.appending(path: "v1").appending(path: "catalogue")
    let data = try await ask(URLRequest(url: url))
    return try Catalogue(json: data, source: url.absoluteString)
  }

  /// Makes a call, as another one where the server has one name for two.
  func call<Answer: Decodable>(
    _ call: LibraryCall, _ credential: Credential?, as name: LibraryCall? = nil, _ input: LiveInput
  ) async throws -> Answer {
    count(call, credential?.member.id)
    var request = URLRequest(
      url: server.appending(path: "v1").appending(path: "library")
        .appending(path: (name ?? call).rawValue))
    request.httpMethod = "POST"
    request.httpBody = try JSONEncoder().encode(input)
    if let credential {
      request.setValue("Token \(credential.token)", forHTTPHeaderField: "Authorization")
    }
    return try JSONDecoder().decode(Answer.self, from: try await ask(request))
  }

  private func count(_ call: LibraryCall, _ member: Member.ID?) {
    counts.withLock { $0[member, default: [:]][call, default: 0] += 1 }
  }

  private func ask(_ request: URLRequest) async throws -> Data {
    do {
      let (data, response) = try await around { [client] in
        try await client.answer(to: request)
      }
      switch response.statusCode {
      case 200: return data
      case 401: throw LibraryError.signedOut
      case 403, 409: throw try JSONDecoder().decode(LiveRefusal.self, from: data).value()
      case 429: throw LibraryError.busy(retryAfter: response.retryAfter ?? 0)
      default: throw LibraryError.noAnswer
      }
    } catch let error as URLError {
      switch error.code {
      case .cancelled: throw CancellationError()
      case .cannotConnectToHost, .cannotFindHost, .notConnectedToInternet:
        throw LibraryError.unreachable
      default: throw LibraryError.noAnswer
      }
    }
  }
}

/// The desk of a library on a server.
private struct LiveDesk: LendingLibrary {
  let library: LiveLibrary
  let credential: Credential

  var member: Member { credential.member }

  func renew() async throws -> Credential {
    let answer: LiveCredential = try await call(.renew)
    return try answer.value()
  }

  func catalogue() async throws -> Catalogue { try await library.catalogue(credential) }

  func eligibility(of book: Book.ID) async throws -> Eligibility {
    let answer: LiveRefusal = try await call(.eligibility, LiveInput(book: book.number))
    guard answer.reason == nil else { return .refused(try answer.why()) }
    return .eligible(until: try liveDate(answer.due))
  }

  func lend(_ book: Book.ID, key: RequestKey) async throws -> Receipt {
    let input = LiveInput(books: [book.number], key: key.text)
    let receipts: [LiveReceipt] = try await call(.lend, input)
    guard let first = receipts.first else { throw LibraryError.nothingToCheckOut }
    return try first.value()
  }

  func checkOut(_ books: [Book.ID], at branch: Branch, key: RequestKey) async throws -> [Receipt] {
    let input = LiveInput(books: books.map(\.number), branch: branch.rawValue, key: key.text)
    let receipts: [LiveReceipt] = try await library.call(.checkOut, credential, as: .lend, input)
    return try receipts.map { try $0.value() }
  }

  func answer(for key: RequestKey) async throws -> LoanAnswer {
    let answer: LiveAnswer = try await call(.answer, LiveInput(key: key.text))
    return try answer.value()
  }

  func giveBack(_ book: Book.ID) async throws {
    let _: LiveNothing = try await call(.giveBack, LiveInput(book: book.number))
  }

  func loans() async throws -> [Receipt] {
    let receipts: [LiveReceipt] = try await call(.loans)
    return try receipts.map { try $0.value() }
  }

  func readingList() async throws -> [Book.ID] { try await call(.readingList) }

  func addToReadingList(_ book: Book.ID) async throws -> [Book.ID] {
    try await call(.addToReadingList, LiveInput(book: book.number))
  }

  func removeFromReadingList(_ book: Book.ID) async throws -> [Book.ID] {
    try await call(.removeFromReadingList, LiveInput(book: book.number))
  }

  func save(_ note: Note) async throws -> [Note] {
    let notes: [LiveNote] = try await call(
      .save, LiveInput(book: note.book.number, text: note.text))
    return notes.map { Note(book: $0.book, text: $0.text) }
  }

  private func call<Answer: Decodable>(
    _ call: LibraryCall, _ input: LiveInput = LiveInput()
  ) async throws -> Answer {
    try await library.call(call, credential, input)
  }
}
