// Old closures in old hands: kept by somebody outside, and called after the end.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct RetainedCallbackCases {
  /// A parent with a child, and everything that can be kept of the two.
  @MainActor
  final class Kept {
    let parent: Screen
    let child: Child<Screen>
    let old: Screen
    let output: @MainActor (String) -> Void
    let ending: @MainActor (Ending<String>) -> Void
    let remote: Remote<String>
    let notes = Notes()
    private(set) var answers: [Acceptance] = []

    init(_ parent: Screen, _ lab: Lab, _ hearing: Hearing) throws {
      let remote = Remote<String>(lab, "delay", hearing)
      let notes = notes
      self.parent = parent
      self.remote = remote
      output = { value in
        notes.add("output \(value)")
        parent.scope.open("after \(value)")
      }
      ending = { ending in
        notes.add("ending \(ending.kind)")
        parent.scope.finish("over")
      }
      child = parent.scope.open("C", onOutput: output, onEnding: ending)
      old = try #require(child.flow)
      // The parent's delayed continuations: one that the runtime knows, and one that it does not.
      parent.scope.load("delay", remote, by: .value) { _ in
        notes.add("continued")
        parent.scope.open("delayed")
      }
      Task.detached {
        let value = (try? await remote.call()) ?? "failed"
        await MainActor.run {
          notes.add("detached")
          parent.scope.emit(value)
          parent.scope.open("detached")
        }
      }
    }

    /// Does with the old child what its view or its service might still do.
    func useOldChild() {
      answers.append(old.scope.tryEmit("late"))
      answers.append(old.scope.tryFinish("late"))
      answers.append(child.dismiss().acceptance)
      answers.append(child.cancel())
      answers.append(old.scope.handOver(Handover(name: "late", body: [])))
      old.scope.task { [notes] in notes.add("task") }
      old.scope.perform("work") { [notes] in await notes.add("work") }
      old.scope.every(.seconds(1)) { [notes] in notes.add("tick") }
      old.scope.open("late")
    }
  }

  /// How the pair comes to its end.
  enum End: String, CaseIterable { case replaced, dismissed, reported, signedOut }

  // Fault: callbacks of a screen that is gone still navigate, in the old flow's name or in that of
  // its successor.
  @Test(arguments: End.allCases, Hearing.allCases)
  func retainedCallbacks_changeNothing(_ end: End, _ hearing: Hearing) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab, signedInAs: "A")
      let root = try stage.root()
      let slot = Slot<Screen>()
      let child = root.scope.start(in: slot, as: .push) { Screen($0, "P") }
      let kept = try Kept(try #require(child.flow), lab, hearing)
      await lab.settle()

      switch end {
      case .replaced: root.scope.start(in: slot, as: .push) { Screen($0, "P") }
      case .dismissed: child.dismiss()
      case .reported: stage.window.report(.didDismiss(child.id))
      case .signedOut: stage.runtime.signIn(Account("A"))
      }
      await lab.settle()
      let (tree, commands) = (stage.runtime.tree, stage.host.commands)
      let (flows, told) = (stage.runtime.counts.flows, kept.notes.lines)
      let before = stage.runtime.refusals
      @MainActor func new(_ kind: RefusalKind) -> Int { stage.refusals(kind) - (before[kind] ?? 0) }

      kept.useOldChild()
      await lab.advance(by: .seconds(5))
      #expect(
        kept.answers == [
          .refused(.emitAfterEnd), .refused(.endAfterEnd), .refused(.endAfterEnd),
          .refused(.endAfterEnd), .refused(.noSession),
        ])
      #expect(new(.workAfterEnd) == 3 && new(.startAfterEnd) == 1)
      kept.output("late")
      #expect(new(.startAfterEnd) == 2)
      kept.ending(.dismissed)
      #expect(new(.endAfterEnd) == 4)
      kept.remote.gate.open(with: "late")
      if hearing == .cooperative { kept.remote.gate.open(with: "late") }
      await lab.settle()

      #expect(new(.emitAfterEnd) == 2 && new(.startAfterEnd) == 3)
      #expect(new(.staleResult) == (hearing == .cooperative ? 0 : 1))
      #expect(kept.notes.lines == told + ["output late", "ending dismissed", "detached"])
      #expect(stage.runtime.tree == tree)
      #expect(stage.runtime.counts.flows == flows)
      #expect(stage.host.commands == commands)
      #expect(stage.runtime.counts.operations == 0)
      stage.expectSound()
    }
  }

  // Fault: the old child's callbacks reach the parent that lives on, in the name of the new child.
  @Test(arguments: [false, true])
  func retainedCallbacks_ofAReplacedChildReachNobody(_ isRead: Bool) async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let parent = try #require(try stage.root().scope.open("P").flow)
      let slot = Slot<Screen>()
      let (notes, record) = (Notes(), Record())
      let heard: @MainActor (String) -> Void = { notes.add($0) }
      @MainActor func start(_ name: String) -> Child<Screen> {
        parent.scope.start(in: slot, { Screen($0, name) }, onOutput: isRead ? nil : heard)
      }
      let first = start("same")
      let old = try #require(first.flow)
      if isRead { parent.scope.read(first, by: .outputs, into: record) }
      await lab.settle()
      let second = start("same")
      let new = try #require(second.flow)
      if isRead { parent.scope.read(second, by: .outputs, into: record) }
      #expect(old.scope.tryEmit("old") == .refused(.emitAfterEnd))
      #expect(first.dismiss().acceptance == .refused(.endAfterEnd))
      #expect(first.cancel() == .refused(.endAfterEnd))
      #expect(old.scope.tryFinish("old") == .refused(.endAfterEnd))
      await lab.settle()
      #expect(second.isCurrent && slot.child?.id == second.id)
      new.scope.emit("new")
      await lab.settle()
      #expect(notes.lines == (isRead ? [] : ["new"]))
      #expect(record.lines == (isRead ? ["ended(replaced)", "new"] : []))
      stage.expectSound()
    }
  }
}
