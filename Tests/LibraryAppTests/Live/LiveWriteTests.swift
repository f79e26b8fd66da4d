// Writes against a real server on HTTP: what it does on a bad day, and what a cancellation reaches.

import Foundation
import LibraryApp
import LibraryServerSupport
import Millrace
import Testing

@Suite(
  "Live library",
  .enabled(
    if: LibraryServerProcess.isPossible, "no python3 on PATH: the live library is not tested"))
@MainActor
struct LiveWriteTests {
  private let server: LibraryServerProcess
  private let service: LiveWriteService

  init() throws {
    server = try LibraryServerProcess()
    service = LiveWriteService(server: server.url)
  }

  /// Calls have a limit that a busy machine does not come to.
  private func makeRuntime() throws -> (FlowRuntime, FlowWindow, Desk) {
    let runtime = FlowRuntime(
      writes: WriteOptions(
        service: service, callLimit: .seconds(120),
        retry: RetryPolicy(first: .milliseconds(5)),
        confirmation: RetryPolicy(attempts: .max, first: .milliseconds(5)),
        finishLimit: .milliseconds(50)))
    runtime.signIn(Account("ada"))
    let (window, desk) = try Desk.open(runtime)
    return (runtime, window, desk)
  }

  /// Waits on the live server, until the test's time limit at most.
  private func outcome(
    _ desk: Desk, _ body: @escaping @MainActor () async throws -> WriteEntry
  ) async -> Result<WriteEntry, any Error> {
    let (answers, answer) = AsyncStream.makeStream(of: Result<WriteEntry, any Error>.self)
    desk.scope.task {
      do { answer.yield(.success(try await body())) } catch { answer.yield(.failure(error)) }
    }
    // Ends with the waiting task.
    for await result in answers { return result }
    return .failure(CancellationError())
  }

  // Each way in which a server can fail, and what is there in the end: one loan, one key.
  @Test(
    .timeLimit(.minutes(15)),
    arguments: [
      [], ["lose-answer"], ["lose-request"], ["reset"], ["500"], ["500-after"], ["slow"], ["429"],
      ["lose-answer", "500", "reset", "429", "500-after"],
    ]) func badDay_lendsOnce(_ faults: [String]) async throws
  {
    let (runtime, window, desk) = try makeRuntime()
    try await server.setFaults(faults)
    let write = Write("loan", intent: Intent(), body: Array("book 7".utf8))
    let result = await outcome(desk) { try await desk.scope.write(write, until: .confirmed) }
    let entry = try result.get()
    #expect(entry.phase == .confirmed && !entry.receipt.isEmpty)
    let loans = try await server.loans()
    #expect(loans.map(\.key) == [write.intent.key] && loans.map(\.body) == [write.body])
    // What was cut off before its end has asked for nothing: on a busy machine a connection may go, and
    // the request is sent again.
    let log = try await server.log().filter { $0.method == "POST" && $0.outcome != "cut off" }
    let retried = faults.count { $0 != "slow" }
    #expect(log.count == retried + 1, "\(log)")
    #expect(log.allSatisfy { $0.account == "ada" })
    withExtendedLifetime((runtime, window)) {}
  }

  @Test(.timeLimit(.minutes(15))) func no_isRejected() async throws {
    let (runtime, window, desk) = try makeRuntime()
    try await server.setFaults(["409"])
    let write = Write("loan", intent: Intent(), body: [1])
    let result = await outcome(desk) { try await desk.scope.write(write, until: .accepted) }
    #expect(throws: WriteError.ended(.rejected, reason: "on loan")) { try result.get() }
    withExtendedLifetime((runtime, window)) {}
  }

  // The flow goes while the server holds the answer: its waiter is free at once, the request goes on.
  @Test(.timeLimit(.minutes(15))) func endOfAFlow_freesTheWaiterAndLeavesTheRequest() async throws {
    let (runtime, window, desk) = try makeRuntime()
    try await server.setFaults(["hold"])
    let child = desk.scope.start { Desk(scope: $0) }
    let waiting = try #require(child.flow)
    let write = Write("loan", intent: Intent(), body: [1])
    async let freed = outcome(waiting) { try await waiting.scope.write(write, until: .accepted) }
    while try await server.log().isEmpty { await Task.yield() }
    child.dismiss()
    let result = await freed
    #expect(throws: OperationCancelled(.flowEnded)) { try result.get() }
    var outcomes = try await server.log().map(\.outcome)
    #expect(outcomes == ["done, held"], "the request is still there")
    try await server.release()
    let entry = await outcome(desk) {
      try await desk.scope.phase(of: write.intent, until: .accepted)
    }
    #expect(try entry.get().phases.contains(.accepted))
    outcomes = try await server.log().filter { $0.method == "POST" }.map(\.outcome)
    #expect(outcomes == ["done, held", "201"])
    withExtendedLifetime((runtime, window)) {}
  }

  // The session goes, and the limit passes: the request is cancelled down to the socket, the write is
  // unknown, and cleared up when its account is back.
  @Test(.timeLimit(.minutes(15))) func endOfASession_reachesTheSocketAtTheLimit() async throws {
    let (runtime, window, desk) = try makeRuntime()
    try await server.setFaults(["hold"])
    let write = Write("loan", intent: Intent(), body: [1])
    desk.scope.submit(write)
    while try await server.log().isEmpty { await Task.yield() }
    runtime.signOut()
    while try await server.log().last?.outcome != "client gone" { await Task.yield() }
    runtime.signIn(Account("ada"))
    await Task { @MainActor in }.value
    let again = try #require(window.rootFlow as? Desk)
    let result = await outcome(again) {
      try await again.scope.phase(of: write.intent, until: .accepted)
    }
    #expect(try result.get().phases.starts(with: [.validated, .sent, .unknown, .accepted]))
    let loans = try await server.loans()
    #expect(loans.count == 1)
  }

  // A key stands for one write, and what was lent is still lent for a server that was started anew:
  // without both, none of the tests above would mean anything.
  @Test(.timeLimit(.minutes(15))) func server_keepsItsWord() async throws {
    let (runtime, window, _) = try makeRuntime()
    let session = try #require(runtime.session)
    let service = LiveWriteService(server: server.url, timeout: 30)
    let write = Write("loan", intent: Intent(), body: [1])
    let other = Write("loan", intent: write.intent, body: [2])
    // A request that was never sent is sent again, as the runtime does it.
    func send(_ write: Write) async throws -> WriteAnswer {
      try await askingAgain { try await service.send(write, in: session, with: []) }
    }
    #expect(try await send(write) == .accepted(receipt: [49]))
    #expect(try await send(write) == .accepted(receipt: [49]))
    await #expect(throws: WriteFailure.rejected("the key stands for another body")) {
      _ = try await send(other)
    }
    let anew = try LibraryServerProcess(database: server.database)
    let loans = try await anew.loans()
    #expect(loans.map(\.key) == [write.intent.key] && loans.map(\.body) == [[1]])
    withExtendedLifetime((runtime, window)) {}
  }
}
