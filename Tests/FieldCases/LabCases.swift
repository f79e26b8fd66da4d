// Tests that know when the work is done: settle answers, or the run fails and says what is left.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct LabCases {
  // Fault: a test waits for work that is not in its hands, and hangs, or guesses that it is done.
  @Test func c78_workOutsideTheLab_isNamed() async throws {
    await #expect(throws: LabError.outside(["the server", "the keychain"])) {
      try await Lab.run(outsideLimit: .zero) { lab in
        let stage = Stage(lab)
        let (never, feed) = AsyncStream.makeStream(of: Void.self)
        for name in ["the server", "the keychain"] {
          try stage.root().scope.perform(name) {
            await lab.outside(name) { for await _ in never {} }
          }
        }
        await lab.settle()
        #expect(stage.runtime.counts.operations == 2)
        feed.finish()
      }
    }
  }

  // Fault: work that spins is taken for work that ends soon.
  @Test func c78_workThatNeverRests_failsTheRun() async throws {
    await #expect(throws: LabError.stepLimit(10_000)) {
      try await Lab.run(stepLimit: 10_000) { lab in
        let stage = Stage(lab)
        try stage.root().scope.task { while true { await Task.yield() } }
        await lab.settle()
      }
    }
  }

  // Fault: the test itself waits for what cannot come, and nobody says for what.
  @Test func c78_bodyThatWaitsForAClosedGate_namesIt() async throws {
    let error = await #expect(throws: LabError.self) {
      try await Lab.run(patience: .zero) { lab in
        let stage = Stage(lab)
        let remote = Remote<Int>(lab, "answer")
        let child = try stage.root().scope.open("F")
        child.flow?.scope.task {
          child.flow?.scope.finish("\(try await remote.call())")
        }
        _ = await child.ending
      }
    }
    guard case .deadlock(let waiting) = error else {
      Issue.record("not a deadlock")
      return
    }
    #expect(waiting.first == "gate \"answer\"")
    if !Lab.uncontrolled.contains("where tasks wait") {
      #expect(waiting.count == 2)
      #expect(waiting.last?.contains("Child.ending") == true)
    }
  }

  // Fault: settled is taken for finished; what is left over is not known by name.
  @Test func c78_unfinishedOperations_areListed() async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "A")
      let remote = Remote<Int>(lab, "g", .deaf)
      let child = try stage.root().scope.open("F")
      let flow = try #require(child.flow)
      flow.scope.perform("load") { try await remote.call() }
      flow.scope.task("waiting") { try await flow.scope.sleep(for: .seconds(100)) }
      await lab.settle()
      child.dismiss()
      await lab.advance(by: .seconds(2))
      let waiting = Task { try await stage.runtime.drained(limit: .seconds(1)) }
      await lab.advance(by: .seconds(1))
      let left = await #expect(throws: NotDrained.self) { try await waiting.value }
      #expect(left?.leftovers.map(\.name) == ["load"])
      #expect(left?.leftovers.first?.owner == "Screen \(child.id)")
      #expect(left?.leftovers.first?.cancelledAgo == .seconds(3))
      remote.gate.open(with: 1)
      try await stage.runtime.drained(limit: .seconds(1))
    }
    await #expect(throws: LabError.leftovers(["gate \"g\""])) {
      try await Lab.run(leftovers: .fail) { lab in
        let remote = Remote<Int>(lab, "g", .deaf)
        let stage = Stage(lab)
        try stage.root().scope.perform("load") { try await remote.call() }
        await lab.settle()
        #expect(stage.runtime.counts.operations == 1)
      }
    }
  }
}
