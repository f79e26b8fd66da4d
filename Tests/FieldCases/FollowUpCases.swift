// Ends that land exactly between two steps, and intents that outlive the moment they were made in.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct FollowUpCases {
  /// A flow whose first answer starts a second call.
  @MainActor
  struct TwoSteps {
    let stage: Stage
    let first: Remote<Int>
    let second: Remote<Int>
    let child: Child<Screen>
    let flow: Screen
    let notes = Notes()

    /// `inHandler` is called in the handler of the first answer, after the second was asked for.
    init(
      _ lab: Lab, _ trial: Trial, inHandler: @escaping @MainActor (TwoSteps) -> Void
    ) async throws {
      let stage = Stage(lab)
      let child = try stage.root().scope.open("F")
      self.stage = stage
      self.child = child
      first = Remote(lab, "g1", trial.hearing)
      second = Remote(lab, "g2", trial.hearing)
      flow = try #require(child.flow)
      let steps = self
      flow.scope.load("step 1", first, by: trial.way) { _ in
        steps.notes.add("step 1")
        steps.flow.scope.load("step 2", steps.second, by: trial.way) { _ in
          steps.notes.add("step 2")
        }
        inHandler(steps)
      }
      await lab.settle()
    }

    func dismiss() { stage.window.report(.didDismiss(child.id)) }

    func finish(_ lab: Lab) async {
      await lab.settle()
      second.gate.open(with: 2)
      await lab.settle()
      let ending = await child.ending
      #expect(ending.kind == .dismissed)
      #expect(notes.count("step 2") == 0)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: the screen closes while the result of step 1 is on its way to the handler, and step 2
  // is started all the same.
  @Test(arguments: Trial.all)
  func c08_dismissalBeforeTheHandler(_ trial: Trial) async throws {
    try await Lab.run { lab in
      let steps = try await TwoSteps(lab, trial) { _ in }
      steps.first.gate.open(with: 1)
      steps.dismiss()
      await steps.finish(lab)
      #expect(steps.notes.lines.isEmpty)
      #expect(steps.second.calls == 0)
      #expect(steps.stage.outcomes(of: "step 1") == [.cancelled(.flowEnded)])
      #expect(steps.stage.outcomes(of: "step 2").isEmpty)
    }
  }

  // Fault: the screen closes inside the handler, after step 2 was asked for, and step 2 runs to
  // its end.
  @Test(arguments: Trial.all)
  func c08_dismissalInTheHandler(_ trial: Trial) async throws {
    try await Lab.run { lab in
      let steps = try await TwoSteps(lab, trial) { $0.dismiss() }
      steps.first.gate.open(with: 1)
      await steps.finish(lab)
      #expect(steps.notes.lines == ["step 1"])
      #expect(steps.second.calls == 0)
      let asked = trial.way == .perform ? "step 2" : "waiter"
      #expect(steps.stage.outcomes(of: asked).last == .cancelled(.flowEnded))
    }
  }

  // Fault: the screen closes just after step 2 was asked for; its call can no longer be taken
  // back, and its handler navigates.
  @Test(arguments: Trial.all)
  func c08_dismissalOneJobLater(_ trial: Trial) async throws {
    try await Lab.run { lab in
      let steps = try await TwoSteps(lab, trial) { steps in
        Task { steps.dismiss() }
      }
      steps.first.gate.open(with: 1)
      await steps.finish(lab)
      #expect(steps.notes.lines == ["step 1"])
      // In the task forms the waiter has one job of its own before the call is asked for.
      #expect(steps.second.calls == (trial.way == .value ? 0 : 1))
      #expect(steps.stage.outcomes(of: "step 2") == [.cancelled(.flowEnded)])
    }
  }

  /// Acts at the moment at which the task of an operation has finished.
  final class Striker: TraceSink {
    private let name: String
    private let strike: @MainActor () -> Void
    private var isDone = false

    init(_ name: String, _ strike: @escaping @MainActor () -> Void) {
      self.name = name
      self.strike = strike
    }

    func record(_ event: TraceEvent) {
      guard !isDone, case .operationQuiet(_, name) = event else { return }
      isDone = true
      strike()
    }
  }

  /// Who waits for the value.
  enum Reader: String, CaseIterable { case taskOfTheFlow, plainTask }

  // Fault: the answer is there, its reader has not run yet, and in between the flow ends, or a
  // newer call takes over. A plain task is not cancelled with the flow, so only the check helps.
  @Test(arguments: Reader.allCases, [true, false])
  func c08_dismissalBetweenTheAnswerAndItsReader(_ reader: Reader, _ ends: Bool) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let remote = Remote<Int>(lab, "g1")
      let child = try stage.root().scope.open("F")
      let flow = try #require(child.flow)
      let notes = Notes()
      let read: @MainActor () async -> Void = {
        do {
          notes.add("value \(try await flow.scope.value("load") { try await remote.call() })")
        } catch { notes.add("\((error as? OperationCancelled)?.cause.rawValue ?? "\(error)")") }
      }
      if reader == .taskOfTheFlow {
        flow.scope.task { await read() }
      } else {
        Task { await read() }
      }
      await lab.settle()
      let striker = Striker("load") {
        #expect(notes.lines.isEmpty)
        if ends { child.dismiss() } else { flow.scope.perform("load") {} }
      }
      stage.runtime.addSink(striker)
      remote.gate.open(with: 1)
      await lab.settle()
      let cause: CancellationCause = ends ? .flowEnded : .superseded
      #expect(notes.lines == [cause.rawValue])
      #expect(stage.outcomes(of: "load").first == .cancelled(cause))
      #expect(stage.stale("load") == 1)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }
}
