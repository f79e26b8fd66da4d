// Work that is shared, and keys that are not.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct SingleFlightCases {
  private struct Broken: Error, Equatable {}
  private let key = JoinKey<String>("k")

  // Fault: two screens of one type share their keys, and cancelling in one stops the other.
  @Test(arguments: Hearing.allCases)
  func c42_oneKeyTwoInstances(_ hearing: Hearing) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let remotes = ["X1", "X2"].map { Remote<String>(lab, $0, hearing) }
      let flows = try ["X1", "X2"].map { try #require(try stage.root().scope.open($0).flow) }
      let runs = zip(flows, remotes).map { flow, remote in
        flow.scope.perform("load") {
          try await remote.call()
        } then: {
          notes.add("\(flow.name) \((try? $0.get()) ?? "failed")")
        }
      }
      await lab.settle()
      flows[0].scope.cancel("load")
      await lab.settle()
      for remote in remotes { remote.gate.open(with: "v") }
      await lab.settle()
      #expect(runs[0].outcome?.cancellation == .requested)
      #expect(runs[1].outcome?.value == "v")
      #expect(notes.lines == ["X2 v"])
      #expect(remotes.map(\.calls) == [1, 1])
      stage.expectSound()
    }
  }

  /// How a caller asks for shared work.
  enum Asking: String, CaseIterable { case perform, value }

  /// Asks from a flow; what the caller gets is added to the notes.
  @discardableResult
  private func ask(
    _ flow: Screen, _ asking: Asking, _ remote: Remote<String>, _ notes: Notes,
    _ policy: JoinPolicy = .join
  ) -> AnyOperation {
    func hear(_ result: Result<String, any Error>) {
      switch result {
      case .success(let value): notes.add("\(flow.name) \(value)")
      case .failure(is Broken): notes.add("\(flow.name) broken")
      case .failure(let error as OperationCancelled): notes.add("\(flow.name) \(error.cause)")
      case .failure(let error): notes.add("\(flow.name) \(error)")
      }
    }
    switch asking {
    case .perform:
      return flow.scope.perform(key, policy, { try await remote.call() }, then: hear)
    case .value:
      return flow.scope.task("waiter") {
        do {
          hear(.success(try await flow.scope.value(key, policy) { try await remote.call() }))
        } catch { hear(.failure(error)) }
      }
    }
  }

  private func callers(_ names: [String], _ stage: Stage) throws -> [Screen] {
    try names.map { try #require(try stage.root().scope.open($0, as: .tab).flow) }
  }

  /// What the remote call of C43 answers.
  enum Answer: String, CaseIterable { case value, error }

  // Fault: two callers both find nothing there, and both load.
  @Test(arguments: Asking.allCases, Answer.allCases)
  func c43_checkAwaitStore(_ asking: Asking, _ answer: Answer) async throws {
    for keeps in [false, true] { try await askSixTimes(keeps, asking, answer) }
  }

  private func askSixTimes(_ keeps: Bool, _ asking: Asking, _ answer: Answer) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "A")
      let notes = Notes()
      let remote = Remote<String>(lab, "k")
      let policy = keeps ? JoinPolicy.join(keep: .success) : .join
      let flows = try callers((1...6).map { "W\($0)" }, stage)
      for flow in flows.prefix(5) { ask(flow, asking, remote, notes, policy) }
      await lab.settle()
      #expect(remote.calls == 1)
      if answer == .value { remote.gate.open(with: "v") } else { remote.gate.fail(Broken()) }
      await lab.settle()
      let told = answer == .value ? "v" : "broken"
      #expect(notes.lines == (1...5).map { "W\($0) \(told)" })

      ask(flows[5], asking, remote, notes, policy)
      await lab.settle()
      let calls = keeps && answer == .value ? 1 : 2
      #expect(remote.calls == calls)
      if calls == 2 { remote.gate.open(with: "v") }
      await lab.settle()
      #expect(notes.lines.last == "W6 v")
      #expect(notes.lines.count == 6)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  /// How the first waiter leaves.
  enum Leaving: String, CaseIterable { case cancelled, dismissed, timedOut }

  // Fault: the slot is freed when the first waiter leaves, and a second refresh starts beside the
  // one that runs.
  @Test(arguments: Leaving.allCases, Hearing.allCases)
  func c44_firstWaiterLeaves(_ leaving: Leaving, _ hearing: Hearing) async throws {
    for asking in Asking.allCases { try await leave(leaving, hearing, asking) }
  }

  private func leave(_ leaving: Leaving, _ hearing: Hearing, _ asking: Asking) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "A")
      let notes = Notes()
      let remote = Remote<String>(lab, "refresh", hearing)
      let flows = try callers(["W1", "W2", "W3"], stage)
      let first = flows[0].scope
      var run: AnyOperation?
      if leaving == .timedOut {
        run = first.perform(key, limit: .seconds(1)) {
          try await remote.call()
        } then: {
          if case .failure(is OperationTimedOut) = $0 { notes.add("W1 timed out") }
        }
      } else {
        run = ask(flows[0], asking, remote, notes)
      }
      ask(flows[1], asking, remote, notes)
      await lab.settle()
      switch leaving {
      case .cancelled: run?.cancel()
      case .dismissed: stage.window.report(.didDismiss(first.id))
      case .timedOut: await lab.advance(by: .seconds(1))
      }
      #expect(run?.isCurrent == false)
      await lab.settle()
      let left = notes.lines
      #expect(left.allSatisfy { $0.hasPrefix("W1") })
      #expect(remote.calls == 1 && remote.pending == 1)

      ask(flows[2], asking, remote, notes)
      await lab.settle()
      #expect(remote.calls == 1)
      remote.gate.open(with: "v")
      await lab.settle()
      #expect(notes.lines == left + ["W2 v", "W3 v"])
      #expect(remote.calls == 1)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: work goes on that nobody waits for any more, or its late answer is kept.
  @Test(arguments: Leaving.allCases, Hearing.allCases)
  func c44_lastWaiterLeaves(_ leaving: Leaving, _ hearing: Hearing) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "A")
      let notes = Notes()
      let remotes = ["g1", "g2"].map { Remote<String>(lab, $0, hearing) }
      let flows = try callers(["W1", "W2"], stage)
      let policy = JoinPolicy.join(keep: .success)
      let first = flows[0].scope
      let limit: Duration? = leaving == .timedOut ? .seconds(1) : nil
      let run = first.perform(key, policy, limit: limit) { [remote = remotes[0]] in
        try await remote.call()
      } then: {
        if case .success = $0 { notes.add("W1 heard") }
      }
      await lab.settle()
      switch leaving {
      case .cancelled: run.cancel()
      case .dismissed: stage.window.report(.didDismiss(first.id))
      case .timedOut: await lab.advance(by: .seconds(1))
      }
      await lab.settle()
      #expect(stage.outcomes(of: "k").contains(.cancelled(.noWaiter)))
      if hearing == .cooperative { #expect(remotes[0].pending == 0) }
      ask(flows[1], .perform, remotes[1], notes, policy)
      await lab.settle()
      remotes[0].gate.open(with: "old")
      await lab.settle()
      #expect(notes.lines.isEmpty)
      remotes[1].gate.open(with: "new")
      await lab.settle()
      #expect(notes.lines == ["W2 new"])
      #expect(remotes.map(\.calls) == [1, 1])
      stage.expectSound()
    }
  }

  /// What parts the second run from the first.
  enum Reset: String, CaseIterable { case epoch, invalidated, abandoned }

  // Fault: the old run, when it comes to its end, frees the slot of the new one, and a third
  // starts.
  @Test(arguments: Reset.allCases, [Hearing.deaf, .shielded])
  func c46_oldRunClearsTheNewRunsSlot(_ reset: Reset, _ hearing: Hearing) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "A")
      let notes = Notes()
      let remotes = ["g1", "g2", "g3"].map { Remote<String>(lab, $0, hearing) }
      let old = try callers(["old"], stage)[0]
      let run = ask(old, .perform, remotes[0], notes)
      await lab.settle()
      switch reset {
      case .epoch: stage.runtime.signIn(Account("A"))
      case .invalidated: old.scope.invalidate(key)
      case .abandoned: run.cancel()
      }
      let flows = try callers(["W1", "W2", "W3"], stage)
      ask(flows[0], .value, remotes[1], notes)
      await lab.settle()
      remotes[0].gate.open(with: "old")
      await lab.settle()
      #expect(notes.lines == (reset == .invalidated ? ["old old"] : []))
      ask(flows[1], .value, remotes[2], notes)
      ask(flows[2], .perform, remotes[2], notes)
      await lab.settle()
      #expect(remotes.map(\.calls) == [1, 1, 0])
      remotes[1].gate.open(with: "new")
      await lab.settle()
      #expect(Set(notes.lines).subtracting(["old old"]) == ["W1 new", "W2 new", "W3 new"])
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }
}
