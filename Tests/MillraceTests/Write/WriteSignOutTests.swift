// What a sign-out does to a write, whatever the write is doing. Keeps R32.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// What the write is doing when the session is closed.
private enum Moment: String, CaseIterable, Sendable {
  case beingRead, checking, keeping, validated, committing
  /// It waits because the journal has no room for `sent`.
  case waitingUnsent
  case sendingAnsweredInTime, sendingNoAnswer
  /// The server is busy: it waits for its next try.
  case waitingSent
  case unknown
  /// The tries are used up: it waits for somebody.
  case pausedForAttempts
  /// The server does not accept the credential.
  case pausedSignedOut
  case accepted, confirmed, rejected
}

/// How the session is closed, and who comes next. In the end A is signed in again.
private enum Change: CaseIterable, Sendable {
  case keepSame, keepOther, discardSame, discardOther, takeAlong
  /// Nobody is signed in for a while.
  case expiredSame, expiredOther, requestedSame, requestedDiscardingSame

  /// The reason decides nothing: what counts is what becomes of unsent writes, and who comes next.
  var column: Int {
    switch self {
    case .keepSame, .expiredSame, .requestedSame: 0
    case .keepOther, .expiredOther: 1
    case .discardSame, .requestedDiscardingSame: 2
    case .discardOther: 3
    case .takeAlong: 4
    }
  }

  /// Another account comes next, and the writes are not taken along to it.
  var isToOther: Bool { column == 1 || column == 3 }
}

/// "A1 accepted": sent once as A, and A's ledger says accepted in the end; "never" went nowhere.
private let table: [Moment: [String]] = [
  //            keep, A again   keep, B, A     discard, A     discard, B, A  along to B, A
  .beingRead: ["A1 accepted", "A1 accepted", "never", "never", "B1 accepted"],
  .checking: ["A1 accepted", "A1 accepted", "never", "never", "B1 accepted"],
  .keeping: ["A1 accepted", "A1 accepted", "never", "never", "B1 accepted"],
  .validated: ["A1 accepted", "A1 accepted", "never", "never", "B1 accepted"],
  .committing: ["A1 accepted", "A1 accepted", "never", "never", "B1 accepted"],
  .waitingUnsent: ["A1 accepted", "A1 accepted", "never", "never", "B1 accepted"],
  .sendingAnsweredInTime: [
    "A1 accepted", "A1 accepted", "A1 accepted", "A1 accepted", "A1 accepted",
  ],
  .sendingNoAnswer: ["A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted"],
  .waitingSent: ["A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted"],
  .pausedForAttempts: [
    "A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted",
  ],
  .pausedSignedOut: ["A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted"],
  .unknown: ["A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted", "A2 accepted"],
  .accepted: ["A1 accepted", "A1 accepted", "A1 accepted", "A1 accepted", "A1 accepted"],
  .confirmed: ["A1 confirmed", "A1 confirmed", "A1 confirmed", "A1 confirmed", "A1 confirmed"],
  .rejected: ["A1 rejected", "A1 rejected", "A1 rejected", "A1 rejected", "A1 rejected"],
]

@Suite("Writes: sign-out") @MainActor struct WriteSignOutTests {
  // A write that is lost at a sign-out, goes out twice, or goes out as somebody else.
  @Test(arguments: Moment.allCases, Change.allCases)
  private func signOut_duringEachPhase(_ moment: Moment, _ change: Change) async throws {
    try await Lab.run { lab in
      let write = testWrite()
      let gate = lab.gate("held")
      let desk = WriteDesk(lab) { if moment == .pausedForAttempts { $0.retry.attempts = 1 } }
      switch moment {
      case .sendingAnsweredInTime, .sendingNoAnswer: await desk.server.next(.holdRequest(gate))
      case .waitingSent: await desk.server.next(.fail(.busy()))
      case .pausedSignedOut: await desk.server.next(.fail(.signedOut))
      case .unknown, .pausedForAttempts: await desk.server.next(.loseAnswer)
      case .confirmed: await desk.server.next(.confirm)
      case .rejected: await desk.server.next(.reject("no"))
      default: break
      }
      if moment == .validated { desk.runtime.connectivity = .offline }
      if moment == .checking { await desk.server.holdValidation(at: gate) }
      if moment == .beingRead {
        try desk.scope().submit(write)
      } else {
        await lab.settle()
        if moment == .keeping { await desk.journal.hold(at: gate) }
        try desk.scope().submit(write)
        if moment == .waitingUnsent {
          desk.runtime.connectivity = .offline
          await lab.settle()
          await desk.journal.failCommits(with: JournalError(.full, ""))
          desk.runtime.connectivity = .online
        }
        if moment == .committing {
          await desk.journal.hold(at: gate)
          await lab.settle()
          gate.open()
        }
        await lab.settle()
      }
      let entry = desk.runtime.writes?.entry(for: write.intent)
      switch moment {
      case .waitingUnsent:
        #expect(entry?.phase == .validated && desk.runtime.writes?.problem?.kind == .full)
      case .waitingSent: #expect(entry?.phase == .sent && entry?.failures == 1)
      case .pausedForAttempts: #expect(entry?.phase == .unknown && entry?.pause == .attempts)
      case .pausedSignedOut: #expect(entry?.phase == .sent && entry?.pause == .signedOut)
      default: break
      }

      let sentBefore = await desk.server.calls("send").count
      let a = Account("A")
      let b = Account("B")
      switch change {
      case .keepSame: desk.runtime.signIn(a, unsent: .keep)
      case .keepOther: desk.runtime.signIn(b, unsent: .keep)
      case .discardSame: desk.runtime.signIn(a, unsent: .discard)
      case .discardOther: desk.runtime.signIn(b, unsent: .discard)
      case .takeAlong: desk.runtime.upgrade(to: b)
      case .expiredSame, .expiredOther:
        desk.runtime.signOut(.expired)
        #expect(desk.runtime.lastSignOut == .expired)
        await lab.settle()
        let sentByNobody = await desk.server.calls("send").count
        #expect(sentByNobody == sentBefore)
        desk.runtime.signIn(change == .expiredSame ? a : b)
      case .requestedSame, .requestedDiscardingSame:
        desk.runtime.signOut(unsent: change == .requestedSame ? .keep : .discard)
        await lab.settle()
        desk.runtime.signIn(a)
      }
      // What was held goes on, after the change.
      if moment != .sendingNoAnswer { gate.open() }
      await desk.journal.hold(at: nil)
      await desk.journal.failCommits(with: nil)
      await desk.server.holdValidation(at: nil)
      desk.runtime.connectivity = .online
      await lab.settle()
      if change.column == 1 {
        // Nothing begins to go out for one who has left; what was on its way has its limit.
        let sentAfter = await desk.server.calls("send").count
        #expect(sentAfter == sentBefore)
        await lab.advance(by: .seconds(10))
        #expect(gate.waiterCount == 0)
        if moment == .committing {
          let kept = await desk.journal.phases(of: a)
          #expect(kept == [write.intent: .validated], "what was not sent is not kept as sent")
        }
      }
      await lab.advance(by: .seconds(3600))
      if change == .takeAlong, table[moment]?[change.column].hasPrefix("B") ?? false {
        #expect(desk.phase(write) == .accepted)
      } else if change == .takeAlong || change.isToOther {
        #expect(desk.runtime.writes?.entries.isEmpty == true, "nothing of A is visible to B")
      }
      desk.runtime.signIn(a)
      await lab.settle()
      await lab.advance(by: .seconds(3600))

      let calls = await desk.server.calls("send")
      let records = await desk.server.records
      #expect(Set(calls.map(\.key)).count <= 1 && records.count <= 1)
      var seen = Dictionary(grouping: calls, by: \.account.id).map { "\($0)\($1.count)" }.joined()
      if seen.isEmpty {
        seen = "never"
        #expect([nil, .withdrawn].contains(desk.phase(write)))
        let kept = await desk.journal.phases(of: a)
        #expect(kept.isEmpty)
      } else if seen.hasPrefix("B") {
        #expect(desk.phase(write) == nil)
        let kept = await desk.journal.phases(of: b)
        #expect(kept == [write.intent: .accepted])
        seen += " accepted"
      } else {
        seen += " \(desk.phase(write)?.rawValue ?? "nothing")"
      }
      #expect(seen == table[moment]?[change.column])
      let told = desk.told(write)
      #expect(Set(told).count == told.count || change != .keepSame, "told once each: \(told)")
    }
  }

  // The last thing that a form hands over must go the way of the sign-out that ends it.
  @Test(arguments: ["keep", "discard", "upgrade"])
  func submitInTheEndHook_goesTheWayOfTheSignOut(_ way: String) async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab)
      var answer: Acceptance?
      let write = testWrite()
      try desk.scope().start(as: .push) {
        WriteForm($0) { scope in answer = scope.submit(write) }
      }
      await lab.settle()
      switch way {
      case "keep": desk.runtime.signIn(Account("B"), unsent: .keep)
      case "discard": desk.runtime.signIn(Account("B"), unsent: .discard)
      default: desk.runtime.upgrade(to: Account("B"))
      }
      await lab.settle()
      var calls = await desk.server.calls("send")
      if way == "upgrade" {
        #expect(answer == .accepted && calls.map(\.account) == [Account("B")])
        return
      }
      #expect(answer == (way == "keep" ? .accepted : .refused(.noSession)))
      #expect(calls.isEmpty)
      desk.runtime.signIn(Account("A"))
      await lab.settle()
      calls = await desk.server.calls("send")
      #expect(calls.map(\.account) == (way == "keep" ? [Account("A")] : []))
    }
  }

  // A report for somebody who has left must neither be lost nor shown to the next one.
  @Test func reportForAnAccountThatHasLeft_goesToItsJournal() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab)
      let write = testWrite()
      try desk.scope().submit(write)
      await lab.settle()
      desk.runtime.signIn(Account("B"))
      await lab.settle()
      desk.runtime.report(.confirmed(receipt: [7]), for: write.intent, of: Account("A"))
      await lab.settle()
      #expect(desk.runtime.writes?.entries.isEmpty == true)
      let kept = await desk.journal.phases(of: Account("A"))
      #expect(kept == [write.intent: .confirmed])
      desk.runtime.signIn(Account("A"))
      await lab.settle()
      #expect(desk.runtime.writes?.entry(for: write.intent)?.receipt == [7])
    }
  }

  // A ledger that stays in memory after its session keeps a whole account there.
  @Test func closedLedger_leavesTheTree() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab)
      try desk.scope().submit(testWrite())
      await lab.settle()
      #expect(desk.runtime.tree.contains("writes of A"))
      desk.runtime.signOut()
      await lab.settle()
      #expect(!desk.runtime.tree.contains("writes of A"))
      try await desk.runtime.drained(limit: .seconds(1))
    }
  }
}
