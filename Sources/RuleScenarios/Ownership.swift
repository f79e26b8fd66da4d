// R1 to R4: one owner, one end, in one order, told in one order.

import Millrace
import MillraceTesting
import RaceLab

extension RuleScenarios {
  @ScenarioList static var ownership: [Scenario] {
    // Fault: a handle that is let go of takes its flow along, or a window that is gone leaves its
    // flows behind.
    rule("handles are let go of, and the last window and runtime end what they hold", 1) { lab in
      let app = App(lab)
      let root = try found(app.root)
      let answer = lab.gate(of: Int.self, "answer")
      var heard: [Int] = []
      root.scope.step(
        start: { step in step.scope.task { step.scope.emit(try await answer.wait()) } },
        onOutput: { heard.append($0) })
      lab.adversary("answer") { answer.open(with: 1) }
      await lab.settle()
      try lab.require(heard == [1], "a child without a handle is heard")
      let parts = lab.choose(3)
      Task.detached { if parts != 1 { app.window.withLock { $0 = nil } } }
      Task.detached { if parts != 0 { app.runtime.withLock { $0 = nil } } }
      await lab.settle()
      try lab.require(app.endings == [.ownerEnded], "\(app.endings)")
      try lab.require(!root.scope.isCurrent)
      if let runtime = app.runtime.withLock({ $0 }) { try app.oracle.atRest(runtime) }
    }

    // Fault: two causes are applied, or the second one is told.
    rule("a flow ends once, by what was applied first", 2) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      let failure = lab.gate("failure")
      var first: EndingKind?
      var told: [EndingKind] = []
      var willEnd: [EndingKind] = []
      var heard: [Int] = []
      let child = stage.scope.step(
        as: .sheet,
        start: { step in
          step.scope.task {
            try await failure.wait()
            throw Oops()
          }
        }, willEnd: { willEnd.append($1.kind) }, onOutput: { heard.append($0) },
        onEnding: { told.append($0.kind) })
      let scope = try found(child.flow?.scope)
      @MainActor func strike(_ kind: EndingKind, _ act: @escaping @MainActor () -> Acceptance) {
        lab.adversary(kind.rawValue) {
          let wasCurrent = child.isCurrent
          let before = stage.refused(.endAfterEnd)
          lab.check(act().isAccepted == wasCurrent, "a second end is accepted")
          lab.check(!child.isCurrent, "an end is not applied in the call")
          if wasCurrent { first = kind }
          let refused = stage.refused(.endAfterEnd) - before
          lab.check(refused == (wasCurrent ? 0 : 1), "a second end is counted once")
        }
      }
      strike(.finished) { scope.tryFinish(7) }
      strike(.dismissed) { child.dismiss().acceptance }
      strike(.cancelled) { child.cancel() }
      let way = lab.choose(3)
      if way == 1 { lab.adversary("failure") { failure.open() } }
      if way == 2 {
        lab.adversary("sign out") {
          if child.isCurrent { first = .sessionEnded }
          stage.runtime.signOut()
          lab.check(!child.isCurrent, "a sign-out is not applied in the call")
        }
      }
      let window = stage.window
      let id = child.id
      Task.detached { window.report(.didDismiss(id)) }
      await lab.settle()
      try lab.require(willEnd.count == 1, "the end is told to the flow once")
      let kind = try found(willEnd.first)
      if let first { try lab.require(kind == first, "\(kind) is told, \(first) came first") }
      let ownerLives = stage.scope.isCurrent
      try lab.require(told == (ownerLives || told.count == 1 ? [kind] : []), "\(told)")
      if ownerLives { try lab.require(heard == (kind == .finished ? [7] : []), "\(heard)") }
      try lab.require(stage.oracle.endings(of: id) == [kind])
      try await stage.close()
    }

    // Fault: a flow is told, or does something, while another below the same end is still current.
    rule("an end is a state step for all below, deepest and youngest first", 3) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      var all: [Child<Step>] = []
      var told: [FlowID] = []
      var heard = 0
      let open = lab.gate("work")
      let inert: @MainActor @Sendable () -> Void = {
        lab.check(!all.contains(where: \.isCurrent), "a part is current")
      }
      @MainActor func build(_ scope: FlowScope<Int>) -> Child<Step> {
        let child = scope.step(
          start: { step in
            step.scope.emit(1)
            step.scope.task("work") {
              await withTaskCancellationHandler {
                _ = try? await open.wait()
              } onCancel: {
                MainActor.assumeIsolated {
                  inert()
                  lab.check(step.scope.tryEmit(2) != .accepted, "a flow acts in its end")
                }
              }
            }
          },
          willEnd: { step, _ in
            inert()
            told.append(step.scope.id)
          },
          onOutput: { _ in
            lab.check(scope.isCurrent, "an owner hears after its end")
            heard += 1
          })
        all.append(child)
        return child
      }
      let a = build(stage.scope)
      let b = build(try found(a.flow?.scope))
      let c = build(try found(a.flow?.scope))
      let d = build(try found(c.flow?.scope))
      let order = [d.id, c.id, b.id, a.id]
      let way = lab.choose(3)
      let scope = try found(a.flow?.scope)
      lab.adversary("end") {
        switch way {
        case 0: a.dismiss()
        case 1: scope.finish(3)
        default: stage.runtime.signOut()
        }
        inert()
        lab.check(
          stage.oracle.endedInOrder.prefix(4) == order[...],
          "ended as \(stage.oracle.endedInOrder), not \(order)")
      }
      await lab.settle()
      try lab.require(told == order, "told as \(told), not \(order)")
      try lab.require(heard <= 5, "nothing is heard twice")
      open.open()
      try await stage.close()
    }

    // Fault: the owner hears of an end before the flow itself, or its reader after the owner.
    rule("an end is told to the flow, then to its reader and its owner", 4) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      var lines: [String] = []
      let reads = lab.flip()
      let child = stage.scope.step(
        willEnd: { step, _ in
          lines.append("flow")
          lab.check(step.scope.tryEmit(5) != .accepted, "the scope is inert by then")
        },
        onEnding: { _ in
          lab.check(lines.last == "flow", "the owner is told before the flow")
          lines.append("owner")
        })
      if reads {
        stage.scope.task("reader") {
          for try await _ in child.outputs {}
          lines.append("reader")
        }
      }
      stage.scope.task("waiter") {
        _ = await child.ending
        lines.append("waiter")
      }
      let scope = try found(child.flow?.scope)
      let way = lab.choose(3)
      lab.adversary("end") {
        lab.check(lines.isEmpty, "something is told before the end")
        switch way {
        case 0: child.dismiss()
        case 1: scope.finish(1)
        default: stage.runtime.signOut()
        }
        lab.check(lines.first == "flow", "the end is told before the call returns")
        if way != 2 { lab.check(lines == ["flow", "owner"], "\(lines)") }
      }
      await lab.settle()
      if way == 2 {
        // The owner has ended too: its closure hears nothing, and its tasks find out.
        try lab.require(lines.first == "flow" && !lines.contains("owner"), "\(lines)")
      } else {
        try lab.require(lines.prefix(2) == ["flow", "owner"], "\(lines)")
        try lab.require(lines.count == (reads ? 4 : 3), "\(lines)")
      }
      try await stage.close()
    }

    // Fault: a flow that stays in memory is not noticed, or one that is free is called a leak.
    rule("a flow that is held after its end is named, with what is known to hold it", 4, 6) { lab in
      let stage = try Stage(lab)
      let deaf = lab.gate("deaf", .deaf)
      var isBegun = false
      let child = stage.scope.step(
        start: { step in
          step.scope.task("deaf") {
            isBegun = true
            try await deaf.wait()
            _ = step.scope.isCurrent
          }
        })
      lab.adversary("dismiss") {
        lab.check(stage.runtime.leaks().isEmpty, "a flow that lives is called a leak")
        child.dismiss()
      }
      await lab.settle()
      let leaks = stage.runtime.leaks()
      try lab.require(leaks.map(\.id) == (isBegun ? [child.id] : []), "\(leaks)")
      let holders = leaks.first?.holders ?? []
      try lab.require(holders.count == leaks.count, "\(holders)")
      try lab.require(holders.allSatisfy { $0.contains("deaf") }, "\(holders)")
      let named = stage.oracle.events.count { if case .leak = $0 { true } else { false } }
      try lab.require(named == leaks.count, "a leak is traced")
      deaf.open()
      await lab.settle()
      try lab.require(stage.runtime.leaks().isEmpty, "a flow that is free is called a leak")
      try await stage.close()
    }
  }
}

/// A runtime and a window that can be let go of, on any thread.
@MainActor
private final class App {
  let runtime: Guarded<FlowRuntime?>
  let window: Guarded<FlowWindow?>
  let oracle: TraceOracle
  private let notes: Notes
  private(set) weak var root: Step?
  var endings: [EndingKind] { notes.endings }

  @MainActor
  private final class Notes { var endings: [EndingKind] = [] }

  init(_ lab: Lab) {
    let oracle = TraceOracle(lab)
    let notes = Notes()
    let runtime = FlowRuntime(clock: lab.clock, sinks: [oracle])
    let window = runtime.openWindow { _ in
      Root { Step($0, willEnd: { notes.endings.append($1.kind) }) }
    }
    root = window.rootFlow as? Step
    self.oracle = oracle
    self.notes = notes
    self.runtime = Guarded(runtime)
    self.window = Guarded(window)
  }
}
