// R22 and R23: one way in for other threads, and foreign code that finds a sound state.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var reports: [Scenario] {
    // Fault: reports of one sender change places, are lost, or come twice.
    rule("reports keep the order of each sender, and each comes once", 22) { lab in
      let host = RecordingHost()
      let stage = try Stage(lab, host: host)
      let child = stage.scope.step(as: .sheet)
      let connection = stage.window.connection
      let senders = (0..<2).map { sender in
        (0..<4).map { FlowID(rawValue: 1_000_000 + UInt64(sender * 100 + $0)) }
      }
      for ids in senders {
        Task.detached {
          for (number, id) in ids.enumerated() {
            connection.report(.didShow(id))
            if number == 1 { await Task.yield() }
          }
        }
      }
      let own = (0..<3).map { FlowID(rawValue: 1_000_900 + UInt64($0)) }
      lab.adversary("on the main actor") {
        for id in own {
          connection.report(.didShow(id))
          lab.check(
            stage.oracle.events.suffix(3).contains(.report(.didShow(id))), "applied at once")
        }
      }
      let id = child.id
      Task.detached { connection.report(.didDismiss(id)) }
      await lab.settle()
      let reported = stage.oracle.events.compactMap { event -> FlowID? in
        if case .report(.didShow(let id)) = event, id.rawValue >= 1_000_000 { id } else { nil }
      }
      for ids in senders + [own] {
        try lab.require(reported.filter(ids.contains) == ids, "\(reported)")
      }
      try lab.require(!child.isCurrent, "a report of another thread is applied")
      try lab.require(stage.refused(.unknownFlow) == 11, "unknown flows are counted")
      try await stage.close()
    }

    // Fault: what is asked for from within the runtime's work finds half a state, or waits for ever.
    rule("foreign code that is called finds a sound state, and may ask for anything", 23, 21) {
      lab in
      let host = RecordingHost()
      let stage = try Stage(lab, signedInAs: "A", host: host)
      let sink = Asking(stage)
      stage.runtime.addSink(sink)
      let open = lab.gate("work")
      let child = stage.scope.step(
        as: .push,
        start: { step in
          step.scope.task("work") {
            try await withTaskCancellationHandler {
              try await open.wait()
            } onCancel: {
              stage.window.report(.didShow(FlowID(rawValue: 1)))
              MainActor.assumeIsolated {
                lab.check(!step.scope.isCurrent, "a handler is called while the flow is current")
                lab.check(step.scope.tryEmit(1) != .accepted, "the scope is inert by then")
                stage.scope.step(as: .sheet)
              }
            }
          }
        })
      lab.adversary("dismiss") { child.dismiss() }
      lab.adversary("ask") { sink.asks = true }
      let window = stage.window
      let id = child.id
      Task.detached { window.report(.didCover(id)) }
      await lab.settle()
      sink.asks = false
      stage.runtime.removeSink(sink)
      let before = sink.calls
      stage.scope.step()
      try lab.require(sink.calls == before, "a sink that was removed is told")
      open.open()
      try await stage.close()
    }
  }
}

/// A sink that asks the runtime for something in the middle of its work.
@MainActor
private final class Asking: TraceSink {
  private let scope: FlowScope<Int>
  private let lab: Lab
  var asks = false
  private(set) var calls = 0
  private var depth = 0

  init(_ stage: Stage) {
    scope = stage.scope
    lab = stage.lab
  }

  func record(_ event: TraceEvent) {
    calls += 1
    guard asks, depth == 0, calls < 60 else { return }
    depth += 1
    var isHeard = false
    let child = scope.step(onOutput: { _ in isHeard = true })
    child.flow?.scope.emit(1)
    lab.check(!isHeard, "a value is heard in the middle of the runtime's work")
    child.cancel()
    depth -= 1
  }
}
