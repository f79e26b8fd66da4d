// R19: nothing crosses an epoch, whoever signs in next.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var epochs: [Scenario] {
    // Fault: what was begun for one session is heard, kept or delivered in the next.
    rule("values, failures and joined work stay in their epoch", 19, 18) { lab in
      let delivered = Guarded<[String]>([])
      let stage = try Stage(lab, signedInAs: "A") { record, session in
        delivered.withLock { $0.append("\(record.name) to \(session.account)") }
      }
      let answer = lab.gate(of: Int.self, "answer", .deaf)
      let old = stage.scope
      let before = try found(old.session)
      let key = JoinKey<Int>("shared")
      var heard = 0
      @MainActor func hear(_ result: Result<Int, any Error>) {
        lab.check(stage.runtime.session == before, "an answer for another session is heard")
        heard += 1
      }
      old.perform("flow's") {
        try await answer.wait()
      } then: {
        hear($0)
      }
      old.perform("session's", lifetime: .session) {
        try await answer.wait()
      } then: {
        hear($0)
      }
      old.perform(key, .join(keep: .success)) {
        try await answer.wait()
      } then: {
        hear($0)
      }
      old.handOver(Handover(name: "of A", body: []))
      let account = lab.choose(from: ["B", "A"])
      lab.adversary("sign in") {
        stage.runtime.signIn(Account(account))
        lab.check(!old.isCurrent && old.session == before, "the old flow has ended, of its session")
        lab.check(old.writes == nil && old.credential == nil, "an old flow sees the next session")
        lab.check(old.signIn(Account("C")) == nil, "an old flow signs in")
        lab.check(old.upgrade(to: Account("C")) == nil, "an old flow upgrades")
        lab.check(old.handOver(Handover(name: "late", body: [])) != .accepted, "told by then")
        let root = stage.window.rootFlow as? Step
        root?.scope.perform(key, .join(keep: .success)) {
          5
        } then: { result in
          if case .success(let value) = result { lab.check(value == 5, "an old answer is shared") }
        }
      }
      lab.adversary("answer") { answer.open(with: 1) }
      await lab.settle()
      answer.open(with: 1)
      await lab.settle()
      try lab.require(heard <= 3, "\(heard) of three are heard")
      let names = delivered.withLock { $0 }
      try lab.require(names.allSatisfy { $0 == "of A to A" }, "\(names)")
      try lab.require(!names.isEmpty || account == "B", "a record of A is lost: \(names)")
      for _ in 0..<3 { answer.open(with: 1) }
      stage.runtime.signIn(Account("A"))
      await lab.settle()
      try lab.require(!delivered.withLock { $0 }.isEmpty, "a record of A is lost")
      try await stage.runtime.drained(before, limit: .seconds(1))
      try await stage.close()
    }

    // Fault: foreign code that runs in a sign-out finds the session half closed.
    rule("a sign-in within a sign-out is the later one, and stays", 18, 19) { lab in
      let store = MemorySessionStore()
      let stage = try Stage(lab, store: store)
      await lab.settle()
      stage.runtime.signIn(Account("A"))
      let old = try found(stage.window.rootFlow as? Step)
      let never = lab.gate("never")
      var isArmed = true
      old.scope.task {
        await withTaskCancellationHandler {
          _ = try? await never.wait()
        } onCancel: {
          MainActor.assumeIsolated {
            guard isArmed else { return }
            isArmed = false
            lab.check(!old.scope.isCurrent && old.scope.credential == nil, "half closed")
            stage.runtime.signIn(Account("B"))
          }
        }
      }
      let way = lab.choose(2)
      lab.adversary("end") {
        if way == 0 { stage.runtime.signOut() } else { stage.runtime.signIn(Account("C")) }
        let account = stage.runtime.session?.account
        // Before its first line the task has no handler.
        let expected = isArmed ? (way == 0 ? nil : "C") : (way == 0 ? "B" : "C")
        lab.check(account?.id == expected, "\(account as Any) is signed in, not \(expected as Any)")
        isArmed = false
      }
      await lab.settle()
      let stored = await store.stored
      try lab.require(stored?.account == stage.runtime.session?.account, "\(stored as Any)")
      let root = stage.window.rootFlow as? Step
      try lab.require(root?.scope.session == stage.runtime.session)
      try await stage.close()
    }

    // Fault: a record is lost between two sessions, or delivered to the wrong one.
    rule("a record whose delivery fails is kept for its account", 7, 19) { lab in
      let delivered = Guarded<[String]>([])
      let fails = Guarded(true)
      let hold = lab.gate("delivery", .deaf)
      let stage = try Stage(lab, signedInAs: "A") { record, session in
        try await hold.wait()
        if fails.withLock({ $0 }) { throw Oops() }
        delivered.withLock { $0.append("\(record.name) \(session.account)") }
      }
      let old = stage.scope
      for number in 1...2 { old.handOver(Handover(name: "\(number)", body: [])) }
      let policy = lab.flip() ? HandoverPolicy.discard : .keep
      var wasFirst = false
      lab.adversary("the delivery fails") {
        wasFirst = stage.runtime.session?.account == Account("A")
        for _ in 0..<2 { hold.open() }
      }
      lab.adversary("sign out") { stage.runtime.signOut(handovers: policy) }
      await lab.settle()
      fails.withLock { $0 = false }
      for _ in 0..<8 { hold.open() }
      stage.runtime.signIn(Account("B"))
      await lab.settle()
      try lab.require(delivered.withLock { $0.allSatisfy { $0.hasSuffix(" A") } }, "it has crossed")
      stage.runtime.signIn(Account("A"))
      await lab.settle()
      let names = delivered.withLock { $0 }
      if policy == .keep { try lab.require(Set(names) == ["1 A", "2 A"], "\(names)") }
      if names.isEmpty { try lab.require(policy == .discard) }
      _ = wasFirst
      try await stage.close()
    }
  }
}
