// How long work may live, and how its cancellation spreads.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct LifetimeCases {
  // Fault: pops cancel work, but a replaced stack leaves three screens working.
  @Test(arguments: Trial.all)
  func c10_replacingAWholeStackLeavesTheOldScreensWorking(_ trial: Trial) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let names = ["a", "b", "c"]
      let remotes = names.map { Remote<Int>(lab, $0, trial.hearing) }
      @MainActor func work(_ index: Int) -> @MainActor (Screen) -> Void {
        { flow in
          flow.scope.load(names[index], remotes[index], by: trial.way) { _ in
            notes.add("\(flow.name) handled")
            flow.scope.open("late")
          }
        }
      }
      @MainActor func told(_ flow: Screen, _ ending: Ending<String>) {
        notes.add("\(flow.name) \(ending.kind)")
      }
      stage.window.replaceRoot(
        Root { Screen($0, "A", onStart: work(0), onEnd: told) })
      let a = try stage.root()
      let b = try #require(a.scope.open("B", onStart: work(1), onEnd: told).flow)
      let c = try #require(b.scope.open("C", as: .sheet, onStart: work(2), onEnd: told).flow)
      let old = [a, b, c].map(\.scope.id)
      await lab.settle()
      #expect(remotes.map(\.pending) == [1, 1, 1])

      stage.window.replaceRoot(Root { Screen($0, "D") })
      await lab.settle()
      #expect(notes.lines == ["C ownerEnded", "B ownerEnded", "A replaced"])
      #expect(stage.endedInOrder.suffix(3) == old.reversed())
      #expect(old.map(stage.endings) == [[.replaced], [.ownerEnded], [.ownerEnded]])
      #expect(stage.outcomes(of: "a") == [.cancelled(.flowEnded)])
      #expect(stage.outcomes(of: "b") == [.cancelled(.ownerEnded)])
      #expect(stage.outcomes(of: "c") == [.cancelled(.ownerEnded)])
      if trial.hearing == .cooperative, trial.way != .reply {
        #expect(remotes.map(\.pending) == [0, 0, 0])
        #expect(stage.runtime.counts.operations == 0)
      }
      let commands = stage.host.commands
      for remote in remotes { remote.gate.open(with: 1) }
      await lab.settle()

      #expect(notes.lines.count == 3)
      #expect(stage.host.commands == commands)
      #expect(stage.runtime.counts.flows == 1)
      #expect(stage.runtime.counts.operations == 0)
      #expect(try stage.root().name == "D")
      stage.expectSound()
    }
  }

  /// How a flow is ended from outside.
  enum Exit: String, CaseIterable { case dismissed, cancelled, reported, ownerEnded, finished }

  private func end(_ child: Child<Screen>, _ exit: Exit, _ stage: Stage) throws {
    switch exit {
    case .dismissed: child.dismiss()
    case .cancelled: child.cancel()
    case .reported: stage.window.report(.didDismiss(child.id))
    case .ownerEnded: stage.window.replaceRoot(Root { Screen($0, "next") })
    case .finished: try #require(child.flow).scope.finish("done")
    }
  }

  // Fault: work that was started and cancelled in one turn runs its first lines all the same.
  @Test(arguments: Exit.allCases)
  func c12_cancelledBeforeTheFirstLineRan(_ exit: Exit) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let remote = Remote<Int>(lab, "y", .deaf)
      let child = try stage.root().scope.open("F")
      let flow = try #require(child.flow)
      let x = flow.scope.task("X") { notes.add("began") }
      let tick = flow.scope.every(.seconds(1)) { notes.add("began") }
      let operations = [OperationPolicy.latest, .queue, .queue, .debounce(.zero)].map { policy in
        flow.scope.perform("load", policy, { try await remote.call() }) { _ in notes.add("then") }
      }
      let plan = JoinKey<Int>("plan")
      let joined = flow.scope.perform(plan) {
        try await remote.call()
      } then: { _ in
        notes.add("then")
      }
      try end(child, exit, stage)
      await lab.advance(by: .seconds(5))

      let cause: CancellationCause = exit == .ownerEnded ? .ownerEnded : .flowEnded
      #expect(notes.lines.isEmpty)
      #expect(remote.calls == 0)
      #expect(x.outcome?.cancellation == cause)
      #expect(tick.outcome?.cancellation == cause)
      #expect(joined.outcome?.cancellation == cause)
      #expect(operations.last?.outcome?.cancellation == cause)
      #expect(operations.allSatisfy { $0.outcome?.cancellation != nil })
      #expect(stage.runtime.counts.operations == 0)
      #expect(stage.refusals(.staleResult) == 0)
      stage.expectSound()
    }
  }

  // Fault: a task that is cancelled by hand, dropped or superseded before its first line runs it.
  @Test func c12_cancelledBeforeTheFirstLineRan_whileTheFlowLives() async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let flow = try stage.root()
      flow.scope.task("X") { notes.add("X") }.cancel()
      flow.scope.perform("load") { await notes.add("superseded") }
      flow.scope.perform("load") { await notes.add("newest") }
      let held = lab.gate("held")
      flow.scope.perform("line", .queue) { try await held.wait() }
      flow.scope.perform("line", .queue) { await notes.add("never taken from the queue") }
      await lab.settle()
      flow.scope.cancel("line")
      held.open()
      await lab.settle()
      #expect(notes.lines == ["newest"])
      #expect(stage.outcomes(of: "X") == [.cancelled(.requested)])
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: what a cancelled task had started goes on without it.
  @Test(arguments: Trial.all, Exit.allCases)
  func c12_cancelledWithWhatItStarted(_ trial: Trial, _ exit: Exit) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let notes = Notes()
      let remote = Remote<Int>(lab, "y", trial.hearing)
      let child = try stage.root().scope.open("F")
      let flow = try #require(child.flow)
      let x = flow.scope.task("X") {
        notes.add("began")
        flow.scope.load("Y", remote, by: trial.way) { _ in notes.add("Y handled") }
        try await flow.scope.sleep(for: .seconds(60))
        notes.add("slept")
      }
      await lab.settle()
      #expect(remote.pending == 1)
      try end(child, exit, stage)
      await lab.settle()

      let cause: CancellationCause = exit == .ownerEnded ? .ownerEnded : .flowEnded
      #expect(x.outcome?.cancellation == cause)
      #expect(stage.outcomes(of: "Y") == [.cancelled(cause)])
      #expect(stage.outcomes(of: "sleep") == [.cancelled(cause)])
      remote.gate.open(with: 1)
      await lab.advance(by: .seconds(100))
      #expect(notes.lines == ["began"])
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }
}
