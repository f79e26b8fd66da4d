// R1, R3 and R5: what an end leaves behind, in memory and on the way.

import Millrace
import MillraceTesting
import RaceLab

/// A flow whose outputs are counted while they are in memory.
@MainActor
private final class Sender: Flow {
  let scope: FlowScope<Counted>
  init(_ scope: FlowScope<Counted>) { self.scope = scope }
}

extension RuleScenarios {
  @ScenarioList static var remains: [Scenario] {
    // Fault: the runtime keeps flows that have ended, each with its last value.
    rule("what an ended flow told is freed with the handles on it", 5, 1) { lab in
      let alive = Guarded(0)
      let stage = try Stage(lab, signedInAs: "A", host: RecordingHost())
      let fixed = stage.runtime.openWindow(fixedRoot: Root { Step($0) })
      let outside = try found(fixed.rootFlow as? Step).scope
      let slot = Slot<Sender>()
      let way = lab.choose(5)
      var scope: FlowScope<Counted>?
      do {
        let child =
          switch way {
          case 0: stage.scope.start { Sender($0) }
          case 1: stage.scope.start(in: slot, as: .push) { Sender($0) }
          case 2: outside.start(in: stage.runtime.session) { Sender($0) }
          case 3: stage.scope.start(as: .sheet, { Sender($0) }, onOutput: { _ in })
          default: stage.scope.start(as: .tab, { Sender($0) }, onEnding: { _ in })
          }
        scope = child.flow?.scope
        if lab.flip() {
          stage.scope.task("waits") { _ = await child.ending }
          stage.scope.task("reads") { do { for try await _ in child.outputs {} } catch {} }
        }
      }
      if let scope, lab.flip() { scope.task("work") { try await scope.sleep(for: .seconds(60)) } }
      lab.adversary("finish") {
        scope?.emit(Counted(alive))
        scope?.finish(Counted(alive))
        scope = nil
      }
      let child = stage.scope.step()
      lab.adversary("beside") { child.dismiss() }
      await lab.settle()
      await lab.advance(by: .seconds(1))
      try lab.require(alive.withLock { $0 } == 0, "\(alive.withLock { $0 }) values are kept")
      fixed.close()
      try await stage.close()
    }

    // Fault: an owner is told before its child, whose end waits for the next main-actor job.
    rule("who ends in the job in which his child has ended is told after it", 3, 9) { lab in
      let stage = try Stage(lab, signedInAs: "A")
      var lines: [String] = []
      let owner = stage.scope.step(
        willEnd: { _, _ in lines.append("owner") }, onEnding: { _ in lines.append("owner's") })
      let scope = try found(owner.flow?.scope)
      let way = lab.choose(4)
      lab.adversary("start and end") {
        guard scope.isCurrent else { return }
        scope.step(
          start: { step in
            step.scope.emit(1)
            step.scope.finish(2)
          },
          willEnd: { _, _ in lines.append("child") },
          onOutput: { _ in
            lab.check(scope.isCurrent, "an owner hears after its end")
            lines.append("value")
          }, onEnding: { _ in lines.append("child's") })
        switch way {
        case 0: owner.dismiss()
        case 1: scope.finish(1)
        case 2: stage.runtime.signOut()
        default: break
        }
      }
      lab.adversary("dismiss") { owner.dismiss() }
      await lab.settle()
      let child = lines.firstIndex(of: "child")
      if let child {
        if let owner = lines.firstIndex(of: "owner") {
          try lab.require(child < owner, "\(lines)")
        }
        let heard = lines.filter { $0 == "value" }.count
        try lab.require(heard == 0 || heard == 2, "\(lines)")
        try lab.require(lines.filter { $0 == "child's" }.count <= 1, "\(lines)")
        if heard == 2 { try lab.require(lines.prefix(2) == ["value", "value"], "\(lines)") }
      }
      try await stage.close()
    }

    // Fault: a dismissal is settled while screens of flows below are still on the host.
    rule("a dismissal waits for all that left with the flow", 26, 24) { lab in
      let host = RecordingHost(.whenTold)
      let stage = try Stage(lab, signedInAs: "A", host: host)
      let child = stage.scope.step()
      let scope = try found(child.flow?.scope)
      let sheet = scope.step(as: .sheet)
      let over = try found(sheet.flow?.scope).step(as: .push)
      let cover = scope.step(as: .cover)
      host.answerAll()
      await lab.settle()
      var settled: Dismissal.Settlement?
      lab.adversary("dismiss") {
        let first = child.dismiss()
        lab.check(first.acceptance == .accepted && !over.isCurrent, "all below have ended")
        let again = child.dismiss()
        lab.check(again.acceptance == .refused(.endAfterEnd), "it ends once")
        Task {
          let outcome = await first.settled()
          settled = outcome
          let states = [sheet, over, cover].map(\.screenState)
          lab.check(outcome == .hostTimeout || states == [.gone, .gone, .gone], "\(states)")
        }
        Task {
          let outcome = await sheet.dismiss().settled()
          lab.check(outcome == .hostTimeout || sheet.screenState == .gone, "\(outcome)")
        }
      }
      let answers = lab.choose(3)
      for _ in 0..<answers { lab.adversary("answer") { host.answer() } }
      await lab.settle()
      try lab.require((settled != nil) == (host.unanswered.isEmpty && answers > 0), "\(answers)")
      await lab.advance(by: .seconds(5))
      await lab.settle()
      try lab.require(settled != nil, "it waits for ever")
      host.answerAll()
      await lab.advance(by: .seconds(6))
      host.answerAll()
      try lab.require(stage.window.navigation.flows == [stage.root.scope.id])
      try await stage.close()
    }

    // Fault: a dismissal that has to wait for its turn settles long after its limit.
    rule("a dismissal behind another transition settles at its own limit", 26) { lab in
      let host = RecordingHost(.whenTold)
      let stage = try Stage(lab, host: host)
      host.answerAll()
      let child = stage.scope.step(as: .sheet)
      host.answerAll()
      var settled: Dismissal.Settlement?
      lab.adversary("dismiss") {
        stage.scope.step(as: .cover)
        let dismissal = child.dismiss()
        Task { settled = await dismissal.settled() }
      }
      await lab.settle()
      await lab.advance(by: .seconds(5))
      try lab.require(settled == .hostTimeout, "\(settled as Any)")
      try await stage.close()
    }
  }
}
