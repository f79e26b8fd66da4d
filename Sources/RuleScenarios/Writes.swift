// R29 to R32: remote writes with a fault possible at every step.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var writes: [Scenario] {
    // Whatever is lost on the way, and whenever the flow goes: once at the server, and the flow that has
    // gone navigates nowhere.
    rule("whatever is lost on the way, a write is done once at the server", 29, 30, 31) { lab in
      let server = FaultyServer(lab, faults: 2)
      let bench = Bench(lab, server, MemoryWriteJournal())
      let write = makeWrite(1)
      guard let form = bench.form else { return lab.fail("no form") }
      let child = form.scope.start(as: .sheet) { Blank($0) }
      guard let scope = child.flow?.scope else { return lab.fail("no child") }
      var late = 0
      scope.task {
        _ = try await scope.write(write, until: .accepted)
        if !child.isCurrent { late += 1 }
      }
      lab.adversary("dismiss") { child.dismiss() }
      lab.always("phases go forward") { bench.isOrderly(write) }
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let records = await server.records
      // Dismissed before the task began, nothing was submitted.
      if bench.told(write).isEmpty { return try lab.require(records.isEmpty) }
      try lab.require(late == 0 && records == [write.intent: 1])
      try lab.require(bench.told(write).last == .accepted)
      try lab.require(!bench.told(write).contains(.rejected))
    }

    // Two taps, and a third from elsewhere.
    rule("taps on one intent are one write", 31) { lab in
      let server = FaultyServer(lab, faults: 0)
      let bench = Bench(lab, server, MemoryWriteJournal())
      let write = makeWrite(1)
      var accepted = 0
      for _ in 0..<3 {
        Task {
          await Task.yield()
          if bench.form?.scope.submit(write) == .accepted { accepted += 1 }
        }
      }
      await lab.settle()
      let sends = await server.sends
      try lab.require(accepted == 1 && sends.count == 1)
    }

    // The network comes and goes at any step.
    rule("a network that comes and goes loses no write and doubles none", 30, 31) { lab in
      let server = FaultyServer(lab, faults: 1)
      let bench = Bench(lab, server, MemoryWriteJournal())
      bench.runtime.connectivity = .offline
      let write = makeWrite(1)
      guard let scope = bench.form?.scope else { return lab.fail("no form") }
      var went = false
      scope.task {
        _ = try await scope.write(write, until: .validated)
        went = true
      }
      lab.adversary("online") { bench.runtime.connectivity = .online }
      lab.adversary("offline") { bench.runtime.connectivity = .offline }
      lab.always("phases go forward") { bench.isOrderly(write) }
      await lab.settle()
      try lab.require(went)
      bench.runtime.connectivity = .offline
      bench.runtime.connectivity = .online
      await lab.advance(by: .seconds(3600))
      let records = await server.records
      try lab.require(records == [write.intent: 1] && bench.told(write).last == .accepted)
    }

    // Another account at any step: nothing goes out under it, nothing of A is lost or doubled.
    rule("nothing goes out under another account", 32, 19) { lab in
      let unsent = lab.choose(from: [UnsentWrites.keep, .discard])
      let server = FaultyServer(lab, faults: 1)
      let journal = MemoryWriteJournal()
      // One that stands in line as well: what is on its way lets it go on, whoever is there by then.
      let bench = Bench(lab, server, journal, concurrency: lab.choose(from: [4, 1]))
      let writes = [makeWrite(1), makeWrite(2)]
      guard let form = bench.form else { return lab.fail("no form") }
      for write in writes { form.scope.submit(write) }
      var seenByB = 0
      var discarded: [Write] = []
      lab.adversary("B") {
        if unsent == .discard {
          discarded = writes.filter { !bench.told($0).contains(.sent) }
        }
        bench.runtime.signIn(Account("B"), unsent: unsent)
        seenByB += bench.runtime.writes?.entries.count ?? 0
      }
      await lab.settle()
      await lab.advance(by: .seconds(600))
      bench.runtime.signIn(Account("A"))
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let sends = await server.sends
      let records = await server.records
      try lab.require(seenByB == 0)
      try lab.require(sends.allSatisfy { $0.session.account == Account("A") })
      for write in writes {
        let phase = bench.runtime.writes?.entry(for: write.intent)?.phase
        if discarded.contains(write) {
          try lab.require(records[write.intent] == nil, "it was discarded, and is done")
        }
        if records[write.intent] == nil {
          // Discarded before it was sent; never merely forgotten.
          try lab.require(unsent == .discard && (phase == nil || phase == .withdrawn))
        } else {
          try lab.require(records[write.intent] == 1 && phase == .accepted, "\(phase as Any)")
        }
      }
    }

    // A guest signs in at any step: each write goes out once, under one of the two.
    rule("a guest who signs in takes along what was not sent", 32) { lab in
      let server = FaultyServer(lab, faults: 1)
      let bench = Bench(lab, server, MemoryWriteJournal())
      let writes = [makeWrite(1), makeWrite(2)]
      guard let form = bench.form else { return lab.fail("no form") }
      for write in writes { form.scope.submit(write) }
      var taken: [Write] = []
      lab.adversary("upgrade") {
        taken = writes.filter { !bench.told($0).contains(.sent) }
        bench.runtime.upgrade(to: Account("B"))
      }
      await lab.settle()
      await lab.advance(by: .seconds(600))
      bench.runtime.signIn(Account("A"))
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let sends = await server.sends
      let records = await server.records
      for write in writes {
        let accounts = Set(sends.filter { $0.key == write.intent.key }.map(\.session.account))
        try lab.require(accounts.count == 1 && records[write.intent] == 1, "\(accounts)")
        let sender = Account(taken.contains(write) ? "B" : "A")
        try lab.require(accounts == [sender], "it goes out under \(accounts), not \(sender)")
      }
    }

    // The process dies at any step: what was told as kept is there once after the relaunch.
    rule("what was told as kept is done once after the process has died", 32, 30) { lab in
      let server = FaultyServer(lab, faults: 1)
      let disk = FaultyJournal()
      let bench = Bench(lab, server, disk)
      let writes = [makeWrite(1), makeWrite(2)]
      guard let form = bench.form else { return lab.fail("no form") }
      for write in writes { form.scope.submit(write) }
      let never = lab.gate("after death", .deaf)
      var promised: [Write] = []
      var isDead = false
      lab.adversary("death") {
        await disk.hold(at: never)
        guard !isDead else { return }
        isDead = true
        promised = writes.filter { bench.told($0).contains(.validated) }
      }
      await lab.settle()
      if !isDead { promised = writes }
      await disk.hold(at: never)
      let relaunched = Bench(lab, server, FaultyJournal(await disk.durable(Account("A"))))
      await lab.settle()
      await lab.advance(by: .seconds(3600))
      let records = await server.records
      for write in promised {
        let phase = relaunched.runtime.writes?.entry(for: write.intent)?.phase
        try lab.require(records[write.intent] == 1 && phase == .accepted, "\(phase as Any)")
      }
    }

    // The profile fails, and the user signs out, at any step of a sign-in: no path says "failed" while
    // the session is B's.
    rule("a sign-in in two steps fails in one of them at most", 19, 21) { lab in
      struct Failed: Error {}
      let runtime = FlowRuntime(clock: lab.clock)
      runtime.signIn(Account("A"))
      let profile = lab.gate("profile")
      var reports: [String] = []
      let window = runtime.openWindow { state in
        Root(Blank.self) { scope in
          if state.session?.account == Account("B") {
            scope.perform("profile") {
              try await profile.wait()
            } then: { result in
              if case .failure = result { reports.append("profile") }
            }
          }
          return Blank(scope)
        }
      }
      guard let form = window.rootFlow as? Blank else { return lab.fail("no form") }
      let commits = lab.flip()
      form.scope.perform("step 1") {
        if !commits { throw Failed() }
      } then: { result in
        if case .success = result { form.scope.signIn(Account("B")) }
        if case .failure = result {
          reports.append("sign-in")
          if runtime.session?.account == Account("B") { lab.fail("failed, and it is B's session") }
        }
      }
      lab.adversary("profile fails") { profile.fail(Failed()) }
      lab.adversary("sign out") { runtime.signOut() }
      await lab.settle()
      try lab.require(!(reports.contains("sign-in") && reports.contains("profile")))
      if reports.contains("profile") { try lab.require(commits) }
    }
  }
}
