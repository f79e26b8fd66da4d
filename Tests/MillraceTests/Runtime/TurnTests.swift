import Millrace
import RaceLab
import Testing

/// R13 and R21: handlers never nest, and deliveries come first in first out.
@Suite struct TurnTests {
  // A handler that is interrupted by another one sees state that is half changed.
  @Test func emitInAHandler_isHeardAfterIt() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let held = Held<Child<Step>?>(nil)
      held.value = stage.scope.step(onOutput: { value in
        log("in \(value)")
        if value == 1 {
          held.value?.scope?.emit(2)
          held.value?.scope?.emit(3)
        }
        log("out \(value)")
      })
      held.value?.scope?.emit(1)
      #expect(log.lines == ["in 1", "out 1", "in 2", "out 2", "in 3", "out 3"])
    }
  }

  // Over several children the order is that of the sending, not that of the children.
  @Test func outputsOfSeveralChildrenInOneTurn_areFirstInFirstOut() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let (first, second) = (
        stage.scope.step(onOutput: { log("first \($0)") }, onEnding: { _ in log("first ended") }),
        stage.scope.step(onOutput: { log("second \($0)") })
      )
      let flows = Held([first.flow, second.flow])
      let trigger = stage.scope.step(onOutput: { _ in
        flows.value[1]?.scope.emit(1)
        flows.value[0]?.scope.emit(2)
        flows.value[1]?.scope.emit(3)
        flows.value[0]?.scope.finish(4)
        flows.value[1]?.scope.emit(5)
      })
      trigger.scope?.emit(0)
      #expect(
        log.lines == [
          "second 1", "first 2", "second 3", "first 4", "first ended", "second 5",
        ])
    }
  }

  // Each delivery is checked when its turn comes: an end that came first has dropped it.
  @Test func deliveryWhoseChildEndsBeforeIt_isNotDue() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let held = Held<[Child<Step>]>([])
      held.value = [
        stage.scope.step(onOutput: { _ in
          log("first")
          held.value[1].dismiss()
        }),
        stage.scope.step(onOutput: { _ in log("second") }),
      ]
      let trigger = stage.scope.step(onOutput: { _ in
        for child in held.value { child.scope?.emit(1) }
      })
      trigger.scope?.emit(0)
      #expect(log.lines == ["first"])
      #expect(stage.runtime.counts.outputsDropped == 1)
    }
  }

  // init, start, then and willEnd are turns too: what they cause comes after them.
  @Test func emitOfAnotherInEachKindOfTurn_isHeardAfterIt() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let other = stage.scope.step(onOutput: { log("heard \($0)") })
      let flow = try #require(other.flow)
      @MainActor func emit(_ name: String, _ value: Int) {
        log("\(name) in")
        flow.scope.emit(value)
        log("\(name) out")
      }
      let child = stage.scope.start(Step.self) { scope in
        emit("init", 1)
        return Step(
          scope, start: { _ in emit("start", 2) }, willEnd: { _, _ in emit("willEnd", 3) })
      }
      #expect(
        log.lines == ["init in", "init out", "start in", "start out", "heard 1", "heard 2"])
      log.clear()
      child.dismiss()
      #expect(log.lines == ["willEnd in", "willEnd out", "heard 3"])
      log.clear()
      stage.scope.perform("work") {
      } then: { _ in
        emit("then", 4)
      }
      await lab.settle()
      #expect(log.lines == ["then in", "then out", "heard 4"])
    }
  }

  // Outside a turn `emit` and `finish` deliver before they return: no hop, no flicker.
  @Test func emitOutsideATurn_deliversInTheCall() async throws {
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let child = stage.scope.step(
        onOutput: { log($0) }, onEnding: { _ in log("ending") })
      let scope = try #require(child.scope)
      scope.emit(1)
      log("emitted")
      scope.finish(2)
      log("finished")
      #expect(log.lines == ["1", "emitted", "2", "ending", "finished"])
    }
  }

  // A chain of handlers that go on through many flows must not go down the stack.
  @Test func longChainOfReactions_doesNotNest() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      stage.runtime.removeSink(stage.trace)
      var count = 0
      let held = Held<Child<Step>?>(nil)
      held.value = stage.scope.step(onOutput: { value in
        count += 1
        if value > 0 { held.value?.scope?.emit(value - 1) }
      })
      held.value?.scope?.emit(50_000)
      #expect(count == 50_001)
    }
  }

  // A sink is called in the midst of the work: what it asks for is done after it.
  @Test func actInASink_isDoneAfterTheWork() async throws {
    @MainActor final class Striker: TraceSink {
      var act: (@MainActor () -> Void)?
      func record(_ event: TraceEvent) {
        guard case .flowEnded = event, let act else { return }
        self.act = nil
        act()
      }
    }
    try await Lab.run { lab in
      let log = Log()
      let stage = try Stage(lab)
      let striker = Striker()
      stage.runtime.addSink(striker)
      let other = stage.scope.step(willEnd: { _, _ in log("other") })
      let top = stage.scope.step(willEnd: { _, _ in log("top") })
      top.scope?.step(willEnd: { _, _ in log("below") })
      striker.act = { other.dismiss() }
      top.dismiss()
      #expect(log.lines.sorted() == ["below", "other", "top"])
      #expect(log.lines.firstIndex(of: "below") ?? 9 < log.lines.firstIndex(of: "top") ?? 0)
      #expect(stage.runtime.counts.flows == 1)
    }
  }
}
