import Millrace
import RaceLab
import Testing

/// R25: a place for at most one child.
@Suite struct SlotTests {
  // Two taps on one row open one screen.
  @Test func startWithTheSameID_returnsTheRunningChild() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let slot = Slot<Step>()
      let first = stage.scope.start(in: slot, id: 7) { Step($0) }
      let second = stage.scope.start(in: slot, id: 7) { scope in
        Issue.record("built twice")
        return Step(scope)
      }
      #expect(first.id == second.id)
      #expect(slot.child?.id == first.id)
      let other = stage.scope.start(in: slot, id: 8) { Step($0) }
      #expect(!first.isCurrent)
      #expect(slot.child?.id == other.id)
      let ending = await first.ending
      #expect(ending.kind == .replaced)
    }
  }

  // Without an id each start is a new one; with `keep` the running one stays.
  @Test func startWithoutAnID_followsThePolicy() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let replacing = Slot<Step>()
      let keeping = Slot<Step>(.keep)
      let first = stage.scope.start(in: replacing) { Step($0) }
      #expect(stage.scope.start(in: replacing) { Step($0) }.id != first.id)
      #expect(!first.isCurrent)
      let kept = stage.scope.start(in: keeping) { Step($0) }
      #expect(stage.scope.start(in: keeping) { Step($0) }.id == kept.id)
      #expect(stage.scope.start(in: keeping, id: 3) { Step($0) }.id == kept.id)
      kept.dismiss()
      #expect(keeping.child == nil)
      #expect(stage.scope.start(in: keeping) { Step($0) }.id != kept.id)
    }
  }

  // Equal ids of two types are two ids: nothing is compared by how it looks.
  @Test func idsOfTwoTypes_areDifferent() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let slot = Slot<Step>()
      let first = stage.scope.start(in: slot, id: 7) { Step($0) }
      let second = stage.scope.start(in: slot, id: "7") { Step($0) }
      #expect(first.id != second.id)
      #expect(!first.isCurrent)
    }
  }

  // A slot of another flow must not end that flow's child.
  @Test func slotOfAnotherFlow_isRefused() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let slot = Slot<Step>()
      let mine = stage.scope.start(in: slot) { Step($0) }
      let other = stage.scope.step()
      let refused = try #require(other.scope).start(in: slot) { scope in
        Issue.record("built in a foreign slot")
        return Step(scope)
      }
      #expect(!refused.isCurrent)
      let ending = await refused.ending
      #expect(ending.kind == .cancelled)
      #expect(mine.isCurrent)
      #expect(stage.runtime.refusals == [.foreignSlot: 1])
    }
  }

  // A child that starts another in its own slot while it is built: one is left.
  @Test func startInTheSlotWhileOneStartsThere_leavesOne() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let slot = Slot<Step>()
      let scope = stage.scope
      let inner = Held<Child<Step>?>(nil)
      let outer = scope.start(in: slot) {
        Step($0, start: { _ in inner.value = scope.start(in: slot) { Step($0) } })
      }
      let current = [outer.isCurrent, inner.value?.isCurrent ?? false]
      #expect(current.count { $0 } == 1)
      #expect(slot.child?.isCurrent == true)
      #expect(stage.runtime.counts.flows == 2)
    }
  }

  // The owner ends in the ending of the child that is replaced: nothing new is started.
  @Test func ownerEndedByTheReplacedChild_startsNothing() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let slot = Slot<Step>()
      let owner = stage.scope.step()
      let scope = try #require(owner.scope)
      scope.start(in: slot) {
        Step($0)
      } onEnding: { _ in
        owner.dismiss()
      }
      let second = scope.start(in: slot) { scope in
        Issue.record("built for an ended owner")
        return Step(scope)
      }
      #expect(!second.isCurrent)
      #expect(slot.child == nil)
      #expect(stage.runtime.counts.flows == 1)
    }
  }
}
