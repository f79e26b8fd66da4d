// R29 to R32: what is told of one write from several sides. A report of a push channel, the answer to the
// call, a second tap, the journal of an earlier process: whichever comes first, the end is the same.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var reconciling: [Scenario] {
    // Fault: a report is lost or taken back by an answer or an older report that comes after it, or one
    // about another key or another account counts.
    rule("a report and an answer end the same, whichever comes first", 30, 32) { lab in
      let server = WriteServer()
      let journal = FaultyJournal()
      let bench = Bench(lab, server, journal)
      let write = makeWrite(1)
      let scope = try found(bench.form).scope
      let answer = lab.gate("answer", .deaf)
      await server.next(lab.flip() ? .holdAnswer(answer) : .loseAnswer)
      var counts = false
      scope.submit(write)
      lab.adversary("report") {
        counts = bench.told(write).contains(.sent)
        bench.runtime.report(.confirmed(receipt: [7]), for: write.intent, of: Account("A"))
      }
      lab.adversary("an older report") {
        bench.runtime.report(.accepted(receipt: [3]), for: write.intent, of: Account("A"))
      }
      lab.adversary("reports that mean another one") {
        bench.runtime.report(.rejected("no"), for: makeWrite(2).intent, of: Account("A"))
        bench.runtime.report(.rejected("no"), for: write.intent, of: Account("B"))
      }
      lab.adversary("answer") { answer.open() }
      await lab.settle()
      answer.open()
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let told = bench.told(write)
      let entry = try found(bench.runtime.writes?.entry(for: write.intent))
      try lab.require(bench.isOrderly(write), "\(told)")
      if counts {
        try lab.require(told.last == .confirmed && entry.receipt == [7], "\(told) \(entry.receipt)")
      } else {
        try lab.require(told.last == .accepted || told.last == .confirmed, "\(told)")
      }
      let kept = await journal.phases(of: Account("A"))
      try lab.require(kept == [write.intent: entry.phase ?? .refused], "kept is \(kept)")
      let records = await server.records
      try lab.require(records == [write], "\(records)")
    }

    // Fault: what an earlier process has sent is taken for unsent, or for done; a report that comes
    // before the journal was read is lost.
    rule("what an earlier process has sent is unknown until somebody knows", 32, 30) { lab in
      let server = WriteServer()
      let write = makeWrite(1)
      let isLetIn = lab.flip()
      if !isLetIn { for _ in 0..<99 { await server.next(.fail(.signedOut)) } }
      let record = WriteRecord(account: Account("A"), write: write, phase: .sent, sequence: 1)
      let journal = FaultyJournal([record])
      let gate = lab.gate("read", .deaf)
      await journal.holdLoads(at: gate)
      let bench = Bench(lab, server, journal)
      let scope = try found(bench.form).scope
      // A form that was restored.
      lab.adversary("submit") { scope.submit(write) }
      lab.adversary("withdraw") { scope.withdraw(write.intent) }
      var isReported = false
      lab.adversary("report") {
        isReported = true
        bench.runtime.report(.confirmed(), for: write.intent, of: Account("A"))
      }
      lab.adversary("read") { gate.open() }
      await lab.settle()
      await journal.holdLoads(at: nil)
      gate.open()
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let entry = try found(bench.runtime.writes?.entry(for: write.intent))
      let expected: WritePhase = isReported ? .confirmed : isLetIn ? .accepted : .unknown
      try lab.require(
        entry.phases.starts(with: [.validated, .sent, .unknown]), "\(entry.phases)")
      try lab.require(entry.phase == expected, "\(entry.phases)")
      let kept = await journal.phases(of: Account("A"))
      try lab.require(
        kept == [write.intent: expected == .unknown ? .sent : expected], "kept is \(kept)")
    }

    // Fault: a second tap is told that it has begun something, or gives the write another body.
    rule("an intent stands for one body, and a second tap is told so at once", 29, 31) { lab in
      let server = WriteServer()
      let bench = Bench(lab, server, MemoryWriteJournal())
      let write = makeWrite(1)
      let other = Write("loan", intent: write.intent, body: [99])
      let form = try found(bench.form)
      let answer = lab.gate("answer", .deaf)
      await server.next(.holdAnswer(answer))
      try lab.require(form.scope.submit(write) == .accepted)
      @MainActor func tap() {
        let isOver = bench.told(write).last?.isFinal ?? false
        let again = form.scope.submit(write)
        let isRunning = again == .refused(.alreadyRunning) && !isOver
        lab.check(isRunning || again == .refused(.alreadySettled), "\(again)")
        lab.check(form.scope.submit(other) == .refused(.intentInUse), "it stands for two bodies")
      }
      // In the same turn, and at any step after it.
      tap()
      for number in 1...2 { lab.adversary("tap \(number)") { tap() } }
      lab.adversary("report") {
        bench.runtime.report(.confirmed(), for: write.intent, of: Account("A"))
      }
      lab.adversary("answer") { answer.open() }
      await lab.settle()
      answer.open()
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let records = await server.records
      let sends = await server.calls("send")
      try lab.require(records == [write] && sends.count == 1, "\(records), \(sends.count) sends")
    }

    // Fault: what is left behind at the end of a flow is lost, or one who waits in a task of his own waits
    // on for a flow that is not there any more, and acts in its name.
    rule("a write outlives its flow, and the waiting for it does not", 29, 7, 15) { lab in
      let server = WriteServer()
      let bench = Bench(lab, server, MemoryWriteJournal())
      let writes = [makeWrite(1), makeWrite(2)]
      let form = try found(bench.form)
      let child = form.scope.start(as: .sheet) { Parting($0, writes[1]) }
      let parting = try found(child.flow)
      let answer = lab.gate("answer", .deaf)
      await server.next(.holdAnswer(answer))
      parting.scope.submit(writes[0])
      var isAnswered = false
      Task {
        let entry = try? await parting.scope.phase(of: writes[0].intent, until: .accepted)
        isAnswered = true
        lab.check(entry == nil || child.isCurrent, "a flow that has ended is told of its write")
      }
      lab.adversary("dismiss") { child.dismiss() }
      await lab.settle()
      child.dismiss()
      await lab.settle()
      try lab.require(isAnswered, "one waits for a flow that has ended")
      try lab.require(parting.answer == .accepted, "\(parting.answer as Any)")
      answer.open()
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let records = await server.records
      try lab.require(Set(records) == Set(writes) && records.count == 2, "\(records)")
    }

    // Fault: an account that a write has only passed through keeps it, and sends it as well.
    rule("a write that moves on twice is that of the last account", 32) { lab in
      let server = WriteServer()
      let journal = FaultyJournal()
      let bench = Bench(lab, server, journal)
      let write = makeWrite(1)
      bench.runtime.connectivity = .offline
      bench.form?.scope.submit(write)
      let commit = lab.gate("commit", .deaf)
      await journal.hold(at: commit)
      for account in ["B", "C"] {
        lab.adversary("on to \(account)") { bench.runtime.upgrade(to: Account(account)) }
      }
      for _ in 0..<2 { lab.adversary("commit") { commit.open() } }
      await lab.settle()
      await journal.hold(at: nil)
      for _ in 0..<8 { commit.open() }
      await lab.settle()
      let last = try found(bench.runtime.session).account
      bench.runtime.connectivity = .online
      for account in [last.id, "A", "B", "C", "A"] {
        bench.runtime.signIn(Account(account))
        await lab.settle()
        await lab.advance(by: .seconds(60))
      }
      let senders = await server.calls("send").map(\.account)
      try lab.require(senders == [last], "it goes out under \(senders), not \(last)")
    }
  }
}
