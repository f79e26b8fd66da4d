// R29 to R32: what a ledger tells, keeps and takes back, when the journal, the check or the server fails.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var ledgers: [Scenario] {
    // Fault: a write that was taken back goes out, or one that went out is taken back.
    rule("a write is withdrawn before it was sent, and never after", 29, 30) { lab in
      let server = FaultyServer(lab, faults: 0)
      let noting = NotingJournal()
      let journal = noting.base
      let bench = Bench(lab, server, noting)
      let sink = PhaseSink { intent, phase in
        let isThere = phase == .withdrawn && noting.holds(intent)
        lab.check(!isThere, "withdrawn, and the journal has it")
      }
      bench.runtime.addSink(sink)
      let write = makeWrite(1)
      let form = try found(bench.form)
      let commit = lab.gate("commit", .deaf)
      if lab.flip() { await journal.hold(at: commit, after: 1) }
      try lab.require(form.scope.withdraw(write.intent) == .refused(.unknownWrite))
      var watched: [WritePhase] = []
      form.scope.submit(write)
      form.scope.task {
        for await phase in form.scope.watch(write.intent) { watched.append(phase) }
      }
      var answer: Acceptance?
      var wasSent = false
      lab.adversary("withdraw") {
        wasSent = bench.told(write).contains(.sent)
        answer = form.scope.withdraw(write.intent)
        lab.check(answer?.isAccepted == !wasSent, "\(answer as Any), sent: \(wasSent)")
        lab.check(form.scope.submit(write) != .accepted, "an intent is used again")
      }
      lab.adversary("the journal") { for _ in 0..<6 { commit.open() } }
      await lab.settle()
      await lab.advance(by: .seconds(600))
      let sends = await server.sends
      let told = bench.told(write)
      try lab.require(sends.count == (wasSent ? 1 : 0), "\(sends)")
      try lab.require(
        told.last == (wasSent ? .accepted : .withdrawn) && bench.isOrderly(write), "\(told)")
      try lab.require(
        watched == told.filter { $0 != .accepted } || watched == told, "\(watched) of \(told)")
      let left = await journal.durable(Account("A"))
      try lab.require(left.contains { $0.write == write } == wasSent, "the journal has \(left)")
      try lab.require(bench.runtime.writes?.pending.isEmpty == !wasSent)
    }

    // Fault: "kept" is told before it is, or something leaves before the journal says so.
    rule("nothing is told as kept or sent before the journal has it", 30, 32) { lab in
      let noting = NotingJournal()
      let journal = noting.base
      let server = FaultyServer(lab, faults: 1, journal: noting)
      let bench = Bench(lab, server, noting)
      let writes = [makeWrite(1), makeWrite(2)]
      let form = try found(bench.form)
      let gate = lab.gate("commit", .deaf)
      await journal.hold(at: gate)
      for write in writes { form.scope.submit(write) }
      let fails = lab.flip()
      if fails {
        lab.adversary("the journal fails") {
          await journal.failCommits(with: JournalError(.full, ""))
        }
        lab.adversary("it is mended") { await journal.failCommits(with: nil) }
      }
      for _ in 0..<3 { lab.adversary("commit") { gate.open() } }
      let sink = PhaseSink { intent, phase in
        let kept = noting.kept(intent)
        switch phase {
        case .validated: lab.check(kept.contains(.validated), "validated, and it is not kept")
        case .sent: lab.check(kept.contains(.sent), "sent, and the journal does not say so")
        // A journal that fails takes no answer away.
        case .accepted where !fails:
          lab.check(kept.contains(.accepted), "accepted, and the journal does not say so")
        default: break
        }
      }
      bench.runtime.addSink(sink)
      await lab.settle()
      await journal.hold(at: nil)
      await journal.failCommits(with: nil)
      for _ in 0..<8 { gate.open() }
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let records = await server.records
      try lab.require(noting.mostCommits == 1, "commits overtake each other")
      for write in writes {
        let told = bench.told(write)
        try lab.require(bench.isOrderly(write), "\(told)")
        if told.last == .refused {
          try lab.require(fails && records[write.intent] == nil, "a refused write is done")
          try lab.require(form.scope.submit(write) == .accepted, "it may be submitted again")
        } else {
          try lab.require(told.last == .accepted && records[write.intent] == 1, "\(told)")
        }
      }
    }

    // Fault: a write is lost in a check that fails, or waits for ever for somebody who came.
    rule("a write that cannot go on says why, and goes on when it can", 30, 32) { lab in
      let server = WriteServer()
      let bench = Bench(lab, server, MemoryWriteJournal(), attempts: 2)
      let write = makeWrite(1)
      let form = try found(bench.form)
      let scope = form.scope
      let way = lab.choose(5)
      switch way {
      case 0: await server.failValidation(with: WriteFailure.rejected("no"))
      case 1: await server.failValidation(with: WriteServer.NoAnswer())
      case 2: await server.next(.fail(.signedOut))
      case 3: for _ in 0..<2 { await server.next(.loseAnswer) }
      default: await server.next(.reject("no"))
      }
      var result: Result<WriteEntry, any Error>?
      scope.task("waits", onError: { result = .failure($0) }) {
        result = .success(try await scope.write(write, until: .accepted))
      }
      lab.adversary("retry") { scope.retry(write.intent) }
      lab.adversary("report") {
        if way == 3 { bench.runtime.report(.confirmed(), for: write.intent, of: Account("A")) }
      }
      await lab.settle()
      await lab.advance(by: .seconds(600))
      await lab.settle()
      let entry = bench.runtime.writes?.entry(for: write.intent)
      switch way {
      case 0, 4:
        try lab.require(entry?.phase == .rejected && entry?.reason == "no", "\(entry as Any)")
      case 1: try lab.require(entry == nil, "a write that was refused is remembered")
      case 2:
        if entry?.pause == .signedOut {
          scope.updateCredential([9])
          await lab.settle()
          await lab.advance(by: .seconds(600))
        }
        try lab.require(bench.told(write).last == .accepted, "\(bench.told(write))")
      default:
        if entry?.pause == .attempts { scope.retry(write.intent) }
        await lab.settle()
        await lab.advance(by: .seconds(600))
        let last = bench.told(write).last
        try lab.require(last == .accepted || last == .confirmed, "\(bench.told(write))")
      }
      let records = await server.records
      try lab.require(records.count == (way == 2 || way == 3 ? 1 : 0), "\(records)")
      try lab.require(bench.isOrderly(write), "\(bench.told(write))")
      switch (way, try found(result)) {
      case (0, .failure(let error)), (1, .failure(let error)), (4, .failure(let error)):
        let ended = if case .ended? = error as? WriteError { true } else { false }
        try lab.require(ended, "\(error)")
      case (2, .success), (3, .success): break
      default: lab.fail("\(way): \(result as Any)")
      }
    }

    // Fault: a guest's write that became one of the account is read, and sent, as the guest's again.
    rule("a write that goes to another account is not that of the former one any more", 32, 31) {
      lab in
      let server = FaultyServer(lab, faults: 0)
      let bench = Bench(lab, server, FaultyJournal())
      let write = makeWrite(1)
      bench.runtime.connectivity = .offline
      bench.form?.scope.submit(write)
      await lab.settle()
      bench.runtime.upgrade(to: Account("B"))
      lab.adversary("the guest again") { bench.runtime.signIn(Account("A")) }
      lab.adversary("online") { bench.runtime.connectivity = .online }
      for account in ["A", "B", "A"] {
        await lab.settle()
        await lab.advance(by: .seconds(60))
        bench.runtime.signIn(Account(account))
      }
      await lab.settle()
      let sends = await server.sends
      try lab.require(sends.map(\.session.account) == [Account("B")], "\(sends)")
      try lab.require(
        bench.runtime.writes?.entries.isEmpty == true, "it is still shown to the guest")
    }

    // Fault: what the account has done already stays the guest's as well, and goes out as the guest's.
    rule("a guest's write that the account has made before is not made by the guest", 32, 31) {
      lab in
      let server = FaultyServer(lab, faults: 0)
      let bench = Bench(lab, server, FaultyJournal(), account: "B")
      let write = makeWrite(1)
      bench.form?.scope.submit(write)
      await lab.settle()
      bench.runtime.connectivity = .offline
      bench.runtime.signIn(Account("A"))
      bench.form?.scope.submit(write)
      await lab.settle()
      try lab.require(bench.runtime.writes?.entry(for: write.intent)?.phase == .validated)
      bench.runtime.upgrade(to: Account("B"))
      lab.adversary("the guest again") { bench.runtime.signIn(Account("A")) }
      lab.adversary("online") { bench.runtime.connectivity = .online }
      await lab.settle()
      bench.runtime.connectivity = .online
      for account in ["A", "B", "A"] {
        bench.runtime.signIn(Account(account))
        await lab.settle()
        await lab.advance(by: .seconds(60))
      }
      let sends = await server.sends
      try lab.require(sends.map(\.session.account) == [Account("B")], "\(sends)")
    }

    // Fault: a journal that mixes accounts up makes one account's write another's.
    rule("what a journal gives of another account is not sent, and told as damage", 32) { lab in
      let server = FaultyServer(lab, faults: 0)
      let bench = Bench(lab, server, MixingJournal(), account: "A")
      bench.runtime.connectivity = .offline
      let write = makeWrite(1)
      bench.form?.scope.submit(write)
      await lab.settle()
      bench.runtime.signIn(Account("B"))
      lab.adversary("online") { bench.runtime.connectivity = .online }
      lab.adversary("A again") { bench.runtime.signIn(Account("A")) }
      await lab.settle()
      bench.runtime.connectivity = .online
      bench.runtime.signIn(Account("B"))
      await lab.settle()
      try lab.require(bench.runtime.writes?.entries.isEmpty == true, "B is shown what is A's")
      try lab.require(bench.runtime.writes?.problem?.kind == .damaged, "nobody is told")
      await lab.advance(by: .seconds(600))
      let sends = await server.sends
      try lab.require(sends.allSatisfy { $0.session.account == Account("A") }, "\(sends)")
    }
  }
}

/// A journal that gives the records of A to whoever asks.
private struct MixingJournal: WriteJournal {
  let base = MemoryWriteJournal()

  @concurrent func load(_ account: Account) async throws -> JournalContents {
    var contents = await base.load(account)
    if account != Account("A") { contents.records += await base.load(Account("A")).records }
    return contents
  }

  @concurrent func commit(_ changes: [JournalChange]) async throws { await base.commit(changes) }
}
