// When a write is tried again, how often, and what it waits for.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@Suite("Writes: retry") @MainActor struct WriteRetryTests {
  // A write that is tried for ever hammers the server; one that gives up silently is lost.
  @Test func attempts_areLimited_andAPausedWriteCanGoOn() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.loseRequest, .loseRequest, .loseRequest)) {
        $0.retry = RetryPolicy(attempts: 3, first: .seconds(1), factor: 2, jitter: 0)
      }
      let write = testWrite()
      try desk.scope().submit(write)
      var times: [Duration] = []
      var seen = 0
      for _ in 0..<20 {
        await lab.settle()
        let count = await desk.server.calls("send").count
        if count > seen { times.append(lab.clock.now.elapsed) }
        seen = count
        await lab.advance(by: .milliseconds(500))
      }
      #expect(times == [.zero, .seconds(1), .seconds(3)])
      let entry = try #require(desk.runtime.writes?.entry(for: write.intent))
      #expect(entry.pause == .attempts && entry.phase == .unknown && entry.failures == 3)
      await lab.advance(by: .seconds(86_400))
      #expect(seen == 3)
      #expect(try desk.scope().retry(write.intent) == .accepted)
      await lab.settle()
      #expect(desk.phase(write) == .accepted)
      #expect(desk.told(write) == [.validated, .sent, .unknown, .accepted])
    }
  }

  // Clients that come back in step bring the server down again: delays are spread, and repeatable.
  @Test func jitter_spreadsDelaysByItsSeed() async throws {
    func times(_ seed: UInt64) async throws -> [Int64] {
      try await Lab.run { lab in
        let fates = WriteServer(.loseRequest, .loseRequest, .loseRequest, .loseRequest)
        let desk = WriteDesk(lab, fates) {
          $0.retry = RetryPolicy(first: .seconds(16), factor: 1, jitter: 0.5)
          $0.seed = seed
        }
        try desk.scope().submit(testWrite())
        var found: [Int64] = []
        var seen = 0
        for second in 0..<100 {
          await lab.settle()
          let count = await desk.server.calls("send").count
          if count > seen { found.append(Int64(second)) }
          seen = count
          await lab.advance(by: .seconds(1))
        }
        return found
      }
    }
    let first = try await times(1)
    let again = try await times(1)
    let other = try await times(2)
    #expect(first == again && first != other)
    for (a, b) in zip(first, first.dropFirst()) { #expect((8...17).contains(b - a)) }
  }

  // "Come back in a minute" must not be answered in a second.
  @Test func retryAfter_isKept() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.fail(.busy(retryAfter: .seconds(60)))))
      try desk.scope().submit(testWrite())
      await lab.settle()
      await lab.advance(by: .milliseconds(59_900))
      var calls = await desk.server.calls("send")
      #expect(calls.count == 1 && desk.told(testWrite()) == [.validated, .sent])
      await lab.advance(by: .milliseconds(200))
      calls = await desk.server.calls("send")
      #expect(calls.count == 2 && desk.phase(testWrite()) == .accepted)
    }
  }

  // A network that is away for a day uses up no attempts.
  @Test func nothingDelivered_countsAsNoAttempt() async throws {
    try await Lab.run { lab in
      let server = WriteServer()
      for _ in 0..<20 { await server.next(.fail(.notDelivered)) }
      let desk = WriteDesk(lab, server) { $0.retry = RetryPolicy(attempts: 2, first: .seconds(1)) }
      try desk.scope().submit(testWrite())
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      #expect(desk.told(testWrite()) == [.validated, .sent, .accepted])
    }
  }

  // A server that is down is asked less and less often, though no attempt counts.
  @Test func nothingDelivered_isTriedLessAndLess() async throws {
    try await Lab.run { lab in
      let server = WriteServer()
      for _ in 0..<1_000 { await server.next(.fail(.notDelivered)) }
      let desk = WriteDesk(lab, server) {
        $0.retry = RetryPolicy(
          attempts: 2, first: .seconds(1), factor: 2, longest: .seconds(8), jitter: 0)
      }
      try desk.scope().submit(testWrite())
      await lab.settle()
      await lab.advance(by: .seconds(60))
      // After 0, 1, 3, 7 seconds, and then every 8.
      var calls = await server.calls("send").count
      #expect(calls == 4 + 6)
      #expect(desk.runtime.writes?.entry(for: testWrite().intent)?.failures == 0)
      desk.runtime.connectivity = .offline
      desk.runtime.connectivity = .online
      await lab.advance(by: .seconds(1))
      calls = await server.calls("send").count
      #expect(calls == 4 + 6 + 2, "a network that is back begins anew")
    }
  }

  // What the server asked for holds, however often the network comes and goes.
  @Test func retryAfter_outlastsTheNetwork() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.fail(.busy(retryAfter: .seconds(3600)))))
      try desk.scope().submit(testWrite())
      await lab.settle()
      for _ in 0..<20 {
        desk.runtime.connectivity = .offline
        desk.runtime.connectivity = .online
        await lab.advance(by: .seconds(1))
      }
      var calls = await desk.server.calls("send")
      #expect(calls.count == 1)
      #expect(try desk.scope().retry(testWrite().intent) == .accepted, "the user may")
      await lab.settle()
      calls = await desk.server.calls("send")
      #expect(calls.count == 2)
    }
  }

  // Two calls go out with a credential that ran out; the second hears of it when there is a new one.
  @Test(arguments: [true, false]) func lateWordOfAnOldCredential_isNotTheNewOnes(
    signsOut: Bool
  ) async throws {
    try await Lab.run { lab in
      let server = LateServer(lab.gate("late"))
      let runtime = FlowRuntime(
        clock: lab.clock, writes: WriteOptions(service: server, confirmation: nil, seed: 1))
      runtime.signIn(Account("A"), credential: [1])
      let window = runtime.openWindow { _ in Root { WriteForm($0) } }
      let scope = try #require((window.rootFlow as? WriteForm)?.scope)
      scope.submit(testWrite())
      await lab.settle()
      if signsOut {
        runtime.signOut(.expired)
        runtime.signIn(Account("A"), credential: [2])
      } else {
        scope.updateCredential([2])
      }
      // The old call, and the new one.
      for _ in 0..<2 {
        server.answer.open()
        await lab.settle()
      }
      #expect(runtime.writes?.entry(for: testWrite().intent)?.phase == .accepted)
    }
  }

  // A write that waits for its next try goes at once when the network is back.
  @Test func networkBack_endsTheWaiting() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.loseRequest)) {
        $0.retry = RetryPolicy(first: .seconds(600), longest: .seconds(600))
      }
      try desk.scope().submit(testWrite())
      await lab.settle()
      desk.runtime.connectivity = .offline
      await lab.advance(by: .seconds(5))
      desk.runtime.connectivity = .online
      await lab.settle()
      #expect(desk.phase(testWrite()) == .accepted)
    }
  }

  // A token that ran out: the write waits for a new one, and nothing is told as failed.
  @Test func credentialNotAccepted_waitsForANewOne() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.fail(.signedOut)))
      let scope = try desk.scope()
      scope.submit(testWrite())
      await lab.advance(by: .seconds(3600))
      #expect(desk.runtime.writes?.entry(for: testWrite().intent)?.pause == .signedOut)
      var calls = await desk.server.calls("send")
      #expect(calls.count == 1)
      #expect(scope.updateCredential([1]) == .accepted)
      await lab.settle()
      calls = await desk.server.calls("send")
      #expect(calls.count == 2 && desk.phase(testWrite()) == .accepted)
    }
  }

  // With `ask` a server that is not idempotent is asked before anything is sent again.
  @Test(arguments: [true, false]) func reconciliationByAsking(_ done: Bool) async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(done ? .loseAnswer : .loseRequest)) {
        $0.reconciliation = .ask
      }
      try desk.scope().submit(testWrite())
      await lab.settle()
      await lab.advance(by: .seconds(5))
      let verbs = await desk.server.calls.map(\.verb)
      #expect(verbs == ["validate", "send", "status"] + (done ? [] : ["send"]))
      #expect(desk.phase(testWrite()) == .accepted)
    }
  }

  // Accepted is not confirmed: somebody has to ask, and to stop asking.
  @Test func accepted_isAskedAboutUntilItIsConfirmed() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab) {
        $0.confirmation = RetryPolicy(attempts: .max, first: .seconds(5), jitter: 0)
      }
      try desk.scope().submit(testWrite())
      await lab.settle()
      await lab.advance(by: .seconds(5))
      #expect(desk.phase(testWrite()) == .accepted)
      await desk.server.confirm(testWrite().intent)
      await lab.advance(by: .seconds(10))
      #expect(desk.phase(testWrite()) == .confirmed)
      let asked = await desk.server.calls("status").count
      #expect(asked == 2)
      await lab.advance(by: .seconds(3600))
      let askedLater = await desk.server.calls("status").count
      #expect(askedLater == asked)
    }
  }

  // Ten thousand at once is an attack; one at a time keeps the order.
  @Test func concurrency_isLimited_andTheOrderKept() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("answers")
      let server = WriteServer()
      for _ in 0..<10 { await server.next(.holdAnswer(gate)) }
      let desk = WriteDesk(lab, server) { $0.concurrency = 3 }
      for number: UInt8 in 1...10 { try desk.scope().submit(testWrite(number)) }
      await lab.settle()
      #expect(gate.waiterCount == 3)
      for _ in 0..<4 {
        gate.open()
        await lab.settle()
        #expect(gate.waiterCount <= 3)
      }
      let records = await server.records
      #expect(Set(records) == Set((1...10).map { testWrite($0) }))
      #expect(Array(records.prefix(3)).allSatisfy { $0.body[0] <= 3 })
    }
  }
}

/// Accepts the second credential only, and says so late.
private actor LateServer: WriteService {
  nonisolated let answer: Gate<Void>
  init(_ answer: Gate<Void>) { self.answer = answer }

  func validate(_ write: Write, for account: Account) {}

  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer {
    try await answer.wait()
    guard credential == [2] else { throw WriteFailure.signedOut }
    return .accepted()
  }

  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus {
    _ = try await send(write, in: session, with: credential)
    return .unseen
  }
}
