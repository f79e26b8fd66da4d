// What nobody should do and somebody does: journals that give what was never written, limits without
// measure, accounts that only look the same, guests who move on at once.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// A journal that gives these records to whoever asks.
private struct StrangeJournal: WriteJournal {
  let records: [WriteRecord]

  @concurrent func load(_ account: Account) async throws -> JournalContents {
    JournalContents(records: records)
  }

  @concurrent func commit(_ changes: [JournalChange]) async throws {}
}

@Suite("Writes: strange") @MainActor struct WriteStrangeTests {
  private func record(
    _ write: Write = testWrite(9), of account: String = "A", _ phase: WritePhase = .validated,
    sequence: UInt64 = 1
  ) -> WriteRecord {
    WriteRecord(account: Account(account), write: write, phase: phase, sequence: sequence)
  }

  // A write of B that goes out as A, since the journal mixes them up; a phase that no journal is given,
  // which is told; an intent that is read twice and sent with either body.
  @Test(arguments: ["of another", "unknown", "withdrawn", "refused", "twice"])
  func recordThatWasNeverWritten_isDamage(_ what: String) async throws {
    try await Lab.run { lab in
      let good = testWrite(8)
      var records = [record(good)]
      switch what {
      case "of another": records.append(record(of: "B"))
      case "twice": records.append(record(Write("loan", intent: good.intent, body: [77])))
      default:
        let phase: WritePhase = try #require(WritePhase(rawValue: what))
        records.append(record(testWrite(9), of: "A", phase))
      }
      let journal = StrangeJournal(records: records)
      let desk = WriteDesk(lab) { $0.journal = journal }
      await lab.settle()
      await lab.advance(by: .seconds(600))
      let ledger = try #require(desk.runtime.writes)
      #expect(ledger.problem?.kind == .damaged)
      #expect(ledger.entries.map(\.write) == [good], "what can be read is shown")
      #expect(await desk.server.calls.isEmpty, "of a damaged journal nothing is sent")
      #expect(try desk.scope().submit(testWrite()) == .accepted)
      await lab.settle()
      #expect(desk.told(testWrite()) == [.refused])
    }
  }

  // A number that leaves no room for the next one ends the process.
  @Test func lastNumberOfAll_isNotTheEnd() async throws {
    try await Lab.run { lab in
      let journal = StrangeJournal(records: [record(sequence: .max)])
      let desk = WriteDesk(lab) { $0.journal = journal }
      for number in 1...3 { try desk.scope().submit(testWrite(UInt8(number))) }
      await lab.settle()
      #expect(await desk.server.records.count == 4)
    }
  }

  // A delay that no clock can hold ends the process.
  @Test(arguments: [
    RetryPolicy(factor: .greatestFiniteMagnitude, longest: .seconds(Int64.max), jitter: 0),
    RetryPolicy(factor: 1e30, longest: Duration(attoseconds: .max), jitter: 1),
    RetryPolicy(first: Duration(attoseconds: .max), longest: Duration(attoseconds: .max)),
    RetryPolicy(first: Duration(attoseconds: .min), factor: -1, longest: .seconds(-1), jitter: -3),
    RetryPolicy(attempts: .min, factor: .nan, longest: .zero, jitter: .infinity),
  ])
  func policyWithoutMeasure_isKept(_ policy: RetryPolicy) async throws {
    try await Lab.run { lab in
      let server = WriteServer(
        .loseRequest, .loseRequest, .fail(.notDelivered),
        .fail(.busy(retryAfter: Duration(attoseconds: .max))),
        .fail(.busy(retryAfter: Duration(attoseconds: .min))))
      let desk = WriteDesk(lab, server) { $0.retry = policy }
      let write = testWrite()
      try desk.scope().submit(write)
      for _ in 0..<6 {
        await lab.settle()
        await lab.advance(by: .seconds(3600))
        try desk.scope().retry(write.intent)
      }
      await lab.settle()
      #expect(desk.phase(write) == .accepted)
    }
  }

  // For the server these are two accounts, and each has its own writes.
  @Test func accountsThatLookTheSame_areTwo() async throws {
    try await Lab.run { lab in
      let (one, two) = ("Zo\u{EB}", "Zoe\u{308}")
      let desk = WriteDesk(lab, signedInAs: one)
      desk.runtime.connectivity = .offline
      let write = testWrite()
      try desk.scope().submit(write)
      await lab.settle()
      desk.runtime.signIn(Account(two))
      desk.runtime.connectivity = .online
      await lab.settle()
      #expect(desk.runtime.writes?.entries.isEmpty == true)
      #expect(await desk.server.calls("send").isEmpty)
      desk.runtime.signIn(Account(one))
      await lab.settle()
      let sends = await desk.server.calls("send")
      #expect(sends.map { Array($0.account.id.utf8) } == [Array(one.utf8)])
      #expect(Intent(key: one) != Intent(key: two), "two keys for the server")
    }
  }

  // The guest's stays in its journal, and goes out when the guest is back in another process.
  @Test func guestWhoBringsWhatTheAccountHas_leavesNothingBehind() async throws {
    try await Lab.run { lab in
      let write = testWrite()
      let journal = FaultyJournal([record(write, of: "B", .accepted)])
      let desk = WriteDesk(lab, journal: journal, signedInAs: "guest")
      desk.runtime.connectivity = .offline
      try desk.scope().submit(write)
      await lab.settle()
      desk.runtime.upgrade(to: Account("B"))
      await lab.settle()
      desk.runtime.connectivity = .online
      await lab.settle()
      #expect(await journal.durable(Account("guest")).isEmpty)
      #expect(desk.phase(write) == .accepted)
      #expect(await desk.server.calls("send").isEmpty)
    }
  }

  // The account in between keeps it, and it goes out twice.
  @Test func guestWhoMovesOnTwice_sendsAsTheLast() async throws {
    try await Lab.run { lab in
      let desk = WriteDesk(lab, signedInAs: "guest")
      desk.runtime.connectivity = .offline
      try desk.scope().submit(testWrite())
      await lab.settle()
      let gate = lab.gate("commit", .deaf)
      await desk.journal.hold(at: gate)
      desk.runtime.upgrade(to: Account("B"))
      await lab.settle()
      desk.runtime.upgrade(to: Account("C"))
      await desk.journal.hold(at: nil)
      gate.open()
      await lab.settle()
      for account in ["guest", "B", "C"] {
        let kept = await desk.journal.durable(Account(account))
        #expect(kept.count == (account == "C" ? 1 : 0), "\(account) has \(kept)")
      }
      desk.runtime.connectivity = .online
      for account in ["guest", "B", "C", "B"] {
        desk.runtime.signIn(Account(account))
        await lab.settle()
        await lab.advance(by: .seconds(60))
      }
      #expect(await desk.server.calls("send").map(\.account) == [Account("C")])
    }
  }
}
