// What a user is told of a write that does not come through: why, and whether it is tried again.

import Millrace
import MillraceTesting
import Observation
import RaceLab
import Testing

@Suite("Writes: trouble") @MainActor struct WriteTroubleTests {
  // A button that says "it is tried again" when it is not.
  @Test func retry_saysWhetherItSetTheWriteGoing() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer")
      let fates = WriteServer(.fail(.busy()), .holdRequest(answer), .reject("on loan"))
      let desk = WriteDesk(lab, fates)
      let scope = try desk.scope()
      #expect(scope.retry(testWrite().intent) == .refused(.unknownWrite))
      scope.submit(testWrite())
      #expect(scope.retry(testWrite().intent) == .refused(.alreadyRunning), "it is being checked")
      await lab.settle()
      #expect(scope.retry(testWrite().intent) == .accepted, "it waits for its next try")
      await lab.settle()
      #expect(scope.retry(testWrite().intent) == .refused(.alreadyRunning), "it is under way")
      answer.open()
      await lab.settle()
      #expect(scope.retry(testWrite().intent) == .accepted, "it is asked about")
      await lab.settle()
      scope.submit(testWrite(2))
      await lab.settle()
      #expect(desk.phase(testWrite(2)) == .rejected)
      #expect(scope.retry(testWrite(2).intent) == .refused(.alreadySettled))
      await lab.advance(by: .seconds(3600))
      let sent = await fates.calls("send").map(\.key)
      #expect(sent == ["key 1", "key 1", "key 2"])
    }
  }

  // A write that is tried again and again, and nobody can see why.
  @Test func unknownError_isShownInTheLedger() async throws {
    try await Lab.run { lab in
      struct Odd: Error, CustomStringConvertible { let description: String }
      let service = OddService(Odd(description: "the answer begins with <html>"))
      let runtime = FlowRuntime(
        clock: lab.clock,
        writes: WriteOptions(
          service: service, retry: RetryPolicy(attempts: 2, first: .seconds(1)), confirmation: nil))
      runtime.signIn(Account("A"))
      let window = runtime.openWindow { _ in Root { WriteForm($0) } }
      let scope = try #require((window.rootFlow as? WriteForm)?.scope)
      let changes = Changes()
      scope.submit(testWrite())
      @MainActor func entry() -> WriteEntry? { runtime.writes?.entry(for: testWrite().intent) }
      await lab.settle()
      #expect(entry()?.lastFailure == "the answer begins with <html>" && entry()?.failures == 1)
      withObservationTracking {
        _ = entry()
      } onChange: {
        MainActor.assumeIsolated { changes.count += 1 }
      }
      await service.fail(with: Odd(description: String(repeating: "e\u{301}", count: 100_000)))
      await lab.advance(by: .seconds(1))
      #expect(changes.count == 1)
      let last = try #require(entry())
      #expect(last.pause == .attempts && last.phase == .unknown)
      #expect(last.lastFailure.unicodeScalars.count == 401 && last.lastFailure.hasSuffix("…"))
      await service.fail(with: WriteFailure.signedOut)
      scope.retry(testWrite().intent)
      await lab.settle()
      #expect(entry()?.pause == .signedOut)
      #expect(entry()?.lastFailure == WriteFailure.signedOut.description)
      await service.fail(with: nil)
      scope.retry(testWrite().intent)
      await lab.settle()
      #expect(entry()?.phase == .accepted && entry()?.lastFailure == "")
      // What refuses a submit is not longer either.
      await service.refuseAll(with: Odd(description: String(repeating: "no ", count: 1_000)))
      scope.submit(testWrite(2))
      let second = scope.task("wait") {
        _ = try await scope.phase(of: testWrite(2).intent, until: .validated)
      }
      await lab.settle()
      guard case .failed(let error as WriteError) = second.outcome,
        case .ended(.refused, let reason) = error
      else {
        Issue.record("not refused: \(String(describing: second.outcome))")
        return
      }
      #expect(reason.hasPrefix("no no ") && reason.unicodeScalars.count == 401)
    }
  }
}

@MainActor
private final class Changes {
  var count = 0
}

/// Fails with what it was given, which is no `WriteFailure`.
private actor OddService: WriteService {
  private var error: (any Error & Sendable)?
  private var refusal: (any Error & Sendable)?

  init(_ error: any Error & Sendable) { self.error = error }

  func fail(with error: (any Error & Sendable)?) { self.error = error }
  func refuseAll(with error: any Error & Sendable) { refusal = error }

  func validate(_ write: Write, for account: Account) async throws {
    if let refusal { throw refusal }
  }

  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer {
    if let error { throw error }
    return .accepted()
  }

  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus { .unseen }
}
