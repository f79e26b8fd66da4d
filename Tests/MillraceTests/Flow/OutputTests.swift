import Millrace
import RaceLab
import Testing

/// R9 to R11: the values of one child, told to the closures of its owner.
@Suite struct OutputTests {
  // Equal values are events of their own: nothing may merge, lose or repeat them.
  @Test func values_arriveInOrderOnceEachEqualOnesKept() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [Int] = []
      let child = stage.scope.step(onOutput: { heard.append($0) })
      for value in [1, 1, 2, 1] { child.scope?.emit(value) }
      #expect(heard == [1, 1, 2, 1])
      #expect(stage.runtime.counts.outputsDelivered == 4)
    }
  }

  // What a child says in its first line was lost where the owner subscribed after the start.
  @Test func emitInStart_arrivesInTheNextJob() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [Int] = []
      let child = stage.scope.step(
        start: { step in
          step.scope.emit(1)
          step.scope.emit(2)
        }, onOutput: { heard.append($0) })
      #expect(heard.isEmpty)
      #expect(child.isCurrent)
      await lab.settle()
      #expect(heard == [1, 2])
    }
  }

  // The same for a value that is sent while the flow is being built.
  @Test func emitInInit_arrivesInTheNextJob() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [Int] = []
      stage.scope.start(
        Step.self,
        { scope in
          scope.emit(1)
          return Step(scope)
        }, onOutput: { heard.append($0) })
      #expect(heard.isEmpty)
      await lab.settle()
      #expect(heard == [1])
    }
  }

  // A later value must not overtake those of `start`, though it could be delivered at once.
  @Test func emitAfterStart_comesBehindThoseOfStart() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [Int] = []
      let child = stage.scope.step(
        start: { $0.scope.emit(1) }, onOutput: { heard.append($0) })
      child.scope?.emit(2)
      #expect(heard.isEmpty)
      await lab.settle()
      #expect(heard == [1, 2])
      child.scope?.emit(3)
      #expect(heard == [1, 2, 3])
    }
  }

  // A child that is done at once: the owner has its handle before it hears so.
  @Test func finishInStart_isHeardAfterTheOwnerHasItsChild() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let held = Held<Child<Step>?>(nil)
      held.value = stage.scope.step(
        start: { step in
          step.scope.emit(1)
          step.scope.finish(2)
        }, willEnd: { _, _ in log("willEnd") },
        onOutput: { log("output \($0) handle \(held.value != nil)") },
        onEnding: { log("ending \($0.output ?? 0)") })
      #expect(held.value?.isCurrent == false)
      #expect(log.lines == [])
      await lab.settle()
      #expect(
        log.lines == ["output 1 handle true", "output 2 handle true", "willEnd", "ending 2"])
    }
  }

  // A child that was dismissed before the job came must not be heard.
  @Test func dismissalBeforeTheNextJob_dropsWhatStartSaid() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [Int] = []
      var endings: [EndingKind] = []
      let child = stage.scope.step(
        start: { $0.scope.emit(1) }, onOutput: { heard.append($0) },
        onEnding: { endings.append($0.kind) })
      child.dismiss()
      #expect(endings == [.dismissed])
      await lab.settle()
      #expect(heard.isEmpty)
      #expect(stage.runtime.counts.outputsDropped == 1)
    }
  }

  // R3: a child that ended in its start is told before its owner, whatever queue it waits in.
  @Test func ownerEndedBeforeTheNextJob_isToldAfterItsChild() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let owner = stage.scope.step(willEnd: { _, _ in log("owner") })
      owner.scope?.step(
        start: { $0.scope.finish(1) }, willEnd: { _, ending in log("child \(ending.kind)") },
        onOutput: { log($0) }, onEnding: { _ in log("onEnding") })
      owner.dismiss()
      await lab.settle()
      #expect(log.lines == ["child finished", "owner"])
    }
  }

  // R10: the value of finish is the last output, and the ending that follows it repeats it.
  @Test func finish_isTheLastOutputThenTheEnding() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(
        onOutput: { log("output \($0)") }, onEnding: { log("ending \($0.output ?? 0)") })
      let scope = try #require(child.scope)
      scope.emit(1)
      scope.finish(2)
      scope.emit(3)
      #expect(log.lines == ["output 1", "output 2", "ending 2"])
      #expect(stage.refused(.emitAfterEnd) == 1)
    }
  }

  // R10: a dismissal that comes later, in the same turn too, does not undo a finish.
  @Test func dismissalAfterFinishInOneTurn_losesNothing() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(
        onOutput: { log("output \($0)") }, onEnding: { log("ending \($0.kind)") })
      let flow = try #require(child.flow)
      let trigger = stage.scope.step(onOutput: { _ in
        flow.scope.emit(1)
        flow.scope.finish(2)
        child.dismiss()
      })
      trigger.scope?.emit(0)
      #expect(log.lines == ["output 1", "output 2", "ending finished"])
    }
  }

  // R11: what the owner has not heard when it takes the child away, it does not hear after.
  @Test func dismissalAfterEmitInOneTurn_dropsTheValue() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [Int] = []
      let child = stage.scope.step(onOutput: { heard.append($0) })
      let flow = try #require(child.flow)
      let trigger = stage.scope.step(onOutput: { _ in
        flow.scope.emit(1)
        flow.scope.emit(2)
        child.dismiss()
      })
      trigger.scope?.emit(0)
      #expect(heard.isEmpty)
      #expect(stage.runtime.counts.outputsDropped == 2)
      #expect(stage.trace.events.contains(.outputsDropped(child.id, name: "Step", count: 2)))
    }
  }

  // R10: a finished value reaches nobody when the owner itself has ended meanwhile.
  @Test func ownerEndedInTheTurnOfTheFinish_hearsNothing() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [Int] = []
      var endings = 0
      let owner = stage.scope.step()
      let child = owner.scope?.step(
        onOutput: { heard.append($0) }, onEnding: { _ in endings += 1 })
      let flow = child?.flow
      let trigger = stage.scope.step(onOutput: { _ in
        flow?.scope.finish(1)
        owner.dismiss()
      })
      trigger.scope?.emit(0)
      await lab.settle()
      #expect(heard.isEmpty)
      #expect(endings == 0)
    }
  }

  // R11 does not drop what a failing child had said before: it came to its end by itself.
  @Test func failure_keepsTheValuesBeforeIt() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      stage.scope.step(
        start: { step in
          step.scope.task {
            step.scope.emit(1)
            throw Oops()
          }
        }, onOutput: { log($0) }, onEnding: { log($0.kind) })
      await lab.settle()
      #expect(log.lines == ["1", "failed"])
    }
  }

  // R12: one turn can fill the buffer of a closure too; what follows is refused, and told.
  @Test func burstInOneTurn_isBoundedAndTheOverflowIsTold() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(
        buffer: 3, onOutput: { log($0) }, onOverflow: { log("overflow") },
        onEnding: { log("ending \($0.output ?? 0)") })
      let flow = try #require(child.flow)
      let trigger = stage.scope.step(onOutput: { _ in
        let answers = (1...5).map { flow.scope.tryEmit($0) }
        #expect(
          answers == [
            .accepted, .accepted, .accepted, .refused(.overflow), .refused(.overflow),
          ])
      })
      trigger.scope?.emit(0)
      #expect(log.lines == ["1", "2", "3", "overflow"])
      // The overflow is for ever; only the end is told after it.
      #expect(flow.scope.tryEmit(6) == .refused(.overflow))
      flow.scope.finish(7)
      #expect(log.lines == ["1", "2", "3", "overflow", "7", "ending 7"])
      #expect(stage.refused(.overflow) == 3)
      #expect(stage.trace.events.contains(.overflow(child.id, name: "Step", limit: 3)))
    }
  }

  // Without `onOverflow` the owner still must not get a value from behind the gap.
  @Test func overflowThatNobodyHears_leavesTheOrderWhole() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [Int] = []
      let child = stage.scope.step(
        buffer: 1,
        start: { step in for value in 1...3 { step.scope.emit(value) } },
        onOutput: { heard.append($0) })
      await lab.settle()
      child.scope?.emit(4)
      #expect(heard == [1])
      #expect(stage.refused(.overflow) == 3)
    }
  }

  // A buffer that was given as nothing, or less, still holds one value.
  @Test(arguments: [0, -5]) func bufferBelowOne_holdsOne(_ buffer: Int) async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [Int] = []
      stage.scope.step(
        buffer: buffer, start: { $0.scope.emit(1) }, onOutput: { heard.append($0) })
      await lab.settle()
      #expect(heard == [1])
    }
  }
}
