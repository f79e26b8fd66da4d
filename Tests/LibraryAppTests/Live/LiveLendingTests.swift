// Loans of the app against a real server on HTTP: what it does on a bad day, and its last word.

import Foundation
import LibraryServerSupport
import Millrace
import Testing

@testable import LibraryApp

@Suite(
  "Live lending",
  .enabled(
    if: LibraryServerProcess.isPossible, "no python3 on PATH: live lending is not tested"))
@MainActor
struct LiveLendingTests {
  private let server: LibraryServerProcess
  private let library: LiveLibrary
  private let wallet = Wallet()

  init() throws {
    server = try LibraryServerProcess()
    library = LiveLibrary(server: server.url, timeout: 15)
  }

  /// A member who is signed in.
  private func join() async throws -> Credential {
    let (library, card) = (library, LibraryCard(number: "L-1", pin: "1815"))
    try await again { _ = try await library.register(name: "Ada", pin: card.pin) }
    var credential: Credential?
    try await again { credential = try await library.signIn(with: card) }
    let found = try #require(credential)
    wallet.keep(found, of: card)
    return found
  }

  /// A request on a new connection may stay unsent, see `HTTPClient`.
  private func again(_ ask: () async throws -> Void) async throws {
    while true {
      do { return try await ask() } catch LibraryError.noAnswer {}
    }
  }

  private func makeRuntime(
    _ credential: Credential, _ reconciliation: WriteOptions.Reconciliation
  ) throws -> (FlowRuntime, FlowWindow, Desk) {
    let runtime = FlowRuntime(
      writes: WriteOptions(
        service: LoanService(service: library, wallet: wallet), callLimit: .seconds(120),
        retry: RetryPolicy(attempts: .max, first: .milliseconds(5), longest: .milliseconds(50)),
        confirmation: RetryPolicy(attempts: .max, first: .milliseconds(5)),
        reconciliation: reconciliation))
    runtime.signIn(credential.member.account)
    let (window, desk) = try Desk.open(runtime)
    return (runtime, window, desk)
  }

  // Each way in which the server can fail at the desk: in the end one loan, confirmed, with its receipt.
  @Test(
    .timeLimit(.minutes(15)),
    arguments: [
      [], ["lose-answer"], ["500"], ["lose-request", "500-after", "reset", "slow", "429"],
    ], [WriteOptions.Reconciliation.resend, .ask])
  func badDay_lendsOnce(
    _ faults: [String], _ reconciliation: WriteOptions.Reconciliation
  ) async throws {
    let credential = try await join()
    let (runtime, window, desk) = try makeRuntime(credential, reconciliation)
    try await server.setFaults(faults)
    let write = try Write(Loan(book: 11), intent: Intent())
    let (answers, answer) = AsyncStream.makeStream(of: Result<WriteEntry, any Error>.self)
    desk.scope.task {
      do {
        answer.yield(.success(try await desk.scope.write(write, until: .confirmed)))
      } catch { answer.yield(.failure(error)) }
    }
    var result: Result<WriteEntry, any Error>?
    for await one in answers {
      result = one
      break
    }
    let entry = try #require(try result?.get())
    #expect(entry.phases.contains(.accepted), "it is confirmed later")
    #expect(try entry.loans().map(\.book) == [11])
    let desk1 = library.desk(for: credential)
    var loans: [Receipt] = []
    try await again { loans = try await desk1.loans() }
    #expect(loans.map(\.book) == [11])
    var known: LoanAnswer?
    try await again { known = try await desk1.answer(for: RequestKey(write.intent.key)) }
    #expect(known == .confirmed(loans))
    // Asked about, a loan whose answer was lost is not sent again.
    let tries = try await server.log().filter { $0.path.hasSuffix("/lend") }
    let expected = reconciliation == .ask ? min(faults.count, 1) : faults.count { $0 != "slow" }
    #expect(tries.count >= expected, "\(tries)")
    withExtendedLifetime((runtime, window)) {}
  }

  // A "no" that is a fault of the server, and one whose words are the library's.
  @Test(.timeLimit(.minutes(15))) func key_isOfOneMember() async throws {
    let ada = try await join()
    let desk = library.desk(for: ada)
    let key = RequestKey("k")
    var known: LoanAnswer?
    try await again { known = try await desk.answer(for: key) }
    #expect(known == .unseen)
    try await again { _ = try await desk.lend(11, key: key) }
    var ben: Credential?
    var card: LibraryCard?
    try await again { card = try await library.register(name: "Ben", pin: "1816") }
    let his = try #require(card)
    try await again { ben = try await library.signIn(with: his) }
    let other = library.desk(for: try #require(ben))
    try await again { known = try await other.answer(for: key) }
    #expect(known == .unseen, "what another member's key stands for is not told")
    await #expect(throws: LibraryError.keyInUse) {
      try await again { _ = try await other.lend(12, key: key) }
    }
    try await server.setFaults(["401"])
    await #expect(throws: LibraryError.signedOut) {
      try await again { _ = try await desk.lend(12, key: RequestKey("l")) }
    }
    try await server.setFaults(["429"])
    await #expect(throws: LibraryError.busy(retryAfter: 0)) {
      try await again { _ = try await desk.lend(12, key: RequestKey("l")) }
    }
  }
}
