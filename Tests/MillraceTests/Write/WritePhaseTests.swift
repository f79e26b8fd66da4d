// Phases: each told once, in order, whoever brings the news. Keeps R29 to R31.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// News of a write, from the call or from a push channel.
private enum News: String, CaseIterable, Sendable {
  case answer, noAnswer, pushAccepted, pushConfirmed, pushRejected
}

@Suite("Writes: phases") @MainActor struct WritePhaseTests {
  // A phase that goes back, comes twice, or follows the last one.
  @Test func news_inAnyOrder_isToldForwardsAndOnce() async throws {
    for order in permutations(News.allCases) {
      try await Lab.run { lab in
        let answer = lab.gate("answer")
        let desk = WriteDesk(lab, WriteServer(.holdRequest(answer)))
        let write = testWrite()
        let account = Account("A")
        try desk.scope().submit(write)
        await lab.settle()
        for news in order {
          switch news {
          case .answer: answer.open()
          case .noAnswer: answer.fail(WriteServer.NoAnswer())
          case .pushAccepted: desk.runtime.report(.accepted(), for: write.intent, of: account)
          case .pushConfirmed: desk.runtime.report(.confirmed(), for: write.intent, of: account)
          case .pushRejected: desk.runtime.report(.rejected("no"), for: write.intent, of: account)
          }
          await lab.settle()
        }
        let told = desk.told(write)
        let last = try #require(told.last)
        #expect([.confirmed, .rejected].contains(last), "\(order): \(told)")
        #expect(told.filter(\.isFinal).count == 1, "\(order): \(told)")
        let ranks = told.map { WritePhase.allCases.firstIndex(of: $0) ?? 0 }
        #expect(ranks == ranks.sorted() && Set(ranks).count == ranks.count, "\(order): \(told)")
        if last == .confirmed { #expect(told.contains(.accepted)) }
        #expect(desk.runtime.writes?.entry(for: write.intent)?.phases == told)
      }
    }
  }

  // The end of a flow must end its watching, and nothing else.
  @Test func endOfAFlow_endsTheWatchingOnly() async throws {
    try await Lab.run { lab in
      let answer = lab.gate("answer")
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer)))
      let write = testWrite()
      let child = try desk.scope().start { WriteForm($0) }
      let scope = try #require(child.flow).scope
      scope.submit(write)
      await lab.settle()
      var phases: [WritePhase] = []
      var thrown: [String] = []
      let stream = scope.watch(write.intent)
      let unread = scope.watch(write.intent)
      Task {
        for await phase in stream { phases.append(phase) }
        thrown.append("stream over")
      }
      Task {
        do { _ = try await scope.phase(of: write.intent, until: .accepted) } catch {
          thrown.append("\(error)")
        }
      }
      await lab.settle()
      #expect(phases == [.validated, .sent])
      child.dismiss()
      answer.open()
      await lab.settle()
      #expect(phases == [.validated, .sent])
      #expect(Set(thrown) == ["stream over", "the operation was cancelled: flowEnded"])
      #expect(desk.phase(write) == .accepted)
      for await phase in unread { phases.append(phase) }
      #expect(phases == [.validated, .sent], "what was not read by then is not read after")
      #expect(scope.submit(testWrite(2)) == .refused(.noSession))
      #expect(scope.withdraw(write.intent) == .refused(.workAfterEnd))
      #expect(scope.isCurrent == false && desk.runtime.writes?.count == 1)
    }
  }

  // A waiter for something that will not come must be told, with the reason.
  @Test func waiterForARejectedWrite_getsTheReason() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, WriteServer(.reject("on loan")))
      let scope = try desk.scope()
      var thrown: WriteError?
      scope.task {
        do { _ = try await scope.write(testWrite(), until: .accepted) } catch let error
          as WriteError
        {
          thrown = error
        }
      }
      await lab.settle()
      #expect(thrown == .ended(.rejected, reason: "on loan"))
      var unknown: WriteError?
      scope.task {
        do {
          _ = try await scope.phase(of: Intent(key: "never"), until: .sent)
        } catch let error as WriteError { unknown = error }
      }
      await lab.settle()
      #expect(unknown == .unknownIntent)
    }
  }

  // What the check turns away is never kept, and its intent is spent; what it cannot say is not.
  @Test func check_rejectsOrRefuses() async throws {
    try await Lab.run { lab in
      struct CannotSay: Error {}
      let desk = WriteDesk(lab)
      await desk.server.failValidation(with: WriteFailure.rejected("empty"))
      try desk.scope().submit(testWrite(1))
      await lab.settle()
      #expect(desk.told(testWrite(1)) == [.rejected])
      #expect(try desk.scope().submit(testWrite(1)) == .refused(.alreadySettled))
      await desk.server.failValidation(with: CannotSay())
      try desk.scope().submit(testWrite(2))
      await lab.settle()
      #expect(desk.told(testWrite(2)) == [.refused])
      await desk.server.failValidation(with: nil)
      #expect(try desk.scope().submit(testWrite(2)) == .accepted)
      await lab.settle()
      #expect(desk.phase(testWrite(2)) == .accepted)
      let changes = await desk.journal.changes
      #expect(
        changes.allSatisfy {
          if case .put(let record) = $0 { record.phase != .rejected } else { true }
        })
    }
  }

  // Taking back what may have gone out would leave it done and denied.
  @Test func withdraw_onlyBeforeTheFirstByte() async throws {
    try await Lab.run { lab in
      let gate = lab.gate("journal")
      let answer = lab.gate("answer")
      let desk = WriteDesk(lab, WriteServer(.holdAnswer(answer)))
      let scope = try desk.scope()
      await lab.settle()
      // While `sent` is being written nothing has left: still in time.
      desk.runtime.connectivity = .offline
      scope.submit(testWrite(1))
      await lab.settle()
      await desk.journal.hold(at: gate)
      desk.runtime.connectivity = .online
      await lab.settle()
      #expect(gate.waiterCount == 1 && scope.withdraw(testWrite(1).intent) == .accepted)
      await desk.journal.hold(at: nil)
      gate.open()
      await lab.settle()
      #expect(desk.told(testWrite(1)) == [.validated, .withdrawn])
      // What is back already was never sent.
      #expect(scope.withdraw(testWrite(1).intent) == .refused(.alreadySettled))
      scope.submit(testWrite(2))
      await lab.settle()
      #expect(scope.withdraw(testWrite(2).intent) == .refused(.alreadySent))
      #expect(scope.withdraw(Intent(key: "never")) == .refused(.unknownWrite))
      let calls = await desk.server.calls("send")
      #expect(calls.map(\.key) == ["key 2"])
      answer.open()
      await lab.settle()
      #expect(scope.withdraw(testWrite(2).intent) == .refused(.alreadySent))
    }
  }

  // A refusal must say why, and nothing may run without a service or a session.
  @Test func submit_withoutServiceOrSession_isRefused() async throws {
    try await Lab.run { lab in
      let bare = FlowRuntime(clock: lab.clock)
      bare.signIn(Account("A"))
      let window = bare.openWindow { _ in Root { WriteForm($0) } }
      let form = try #require(window.rootFlow as? WriteForm)
      #expect(form.scope.submit(testWrite()) == .refused(.noService))
      let desk = WriteDesk(lab, signedInAs: nil)
      #expect(try desk.scope().submit(testWrite()) == .refused(.noSession))
      #expect(try desk.scope().writes == nil && desk.runtime.writes == nil)
    }
  }
}

private func permutations<Element>(_ items: [Element]) -> [[Element]] {
  guard items.count > 1 else { return [items] }
  return items.indices.flatMap { index in
    var rest = items
    let first = rest.remove(at: index)
    return permutations(rest).map { [first] + $0 }
  }
}
