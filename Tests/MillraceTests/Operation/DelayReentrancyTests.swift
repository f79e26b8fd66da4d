import Millrace
import RaceLab
import Testing

/// A pause that is over supersedes what runs; the cancellation handler of that may ask for anything.
@Suite struct DelayReentrancyTests {
  enum Request: CaseIterable { case cancelOfTheRun, cancelOfTheKey, latest, queue, debounce, end }

  /// One run with a handler, and a debounced or throttled one that takes its place after two seconds.
  @MainActor
  private struct Scene {
    let log = Log()
    let gate: Gate<Void>
    let child: Child<Step>
    let scope: FlowScope<Int>
    let waiting = Held<Operation<Void>?>(nil)

    init(_ lab: Lab, _ stage: Stage) throws {
      gate = lab.gate("gate")
      child = stage.scope.step()
      scope = try #require(child.scope)
    }

    /// Starts the first run, whose handler does this on the main actor.
    func begin(_ policy: OperationPolicy, onCancel: @escaping @MainActor @Sendable () -> Void) {
      scope.perform("key", policy) { [gate] in
        try await withTaskCancellationHandler {
          try await gate.wait()
        } onCancel: {
          MainActor.assumeIsolated { onCancel() }
        }
      }
    }

    @discardableResult
    func ask(_ name: String, _ policy: OperationPolicy) -> Operation<Void> {
      scope.perform("key", policy) { [log, gate] in
        log("begin \(name)")
        try await gate.wait()
      } onCancel: { [log] in
        log("cancelled \(name) \($0)")
      }
    }
  }

  @Test(
    arguments: Request.allCases,
    [OperationPolicy.debounce(.seconds(2)), .throttle(.seconds(2))])
  func requestInTheHandlerOfTheSuperseded_isHeard(
    _ request: Request, _ policy: OperationPolicy
  ) async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let scene = try Scene(lab, stage)
      scene.begin(policy == .debounce(.seconds(2)) ? .latest : policy) {
        switch request {
        case .cancelOfTheRun: scene.waiting.value?.cancel()
        case .cancelOfTheKey: scene.scope.cancel("key")
        case .latest: scene.ask("handler's", .latest)
        case .queue: scene.ask("handler's", .queue)
        case .debounce: scene.ask("handler's", .debounce(.seconds(2)))
        case .end: scene.child.dismiss()
        }
      }
      await lab.settle()
      scene.waiting.value = scene.ask("waiting", policy)
      await lab.advance(by: .seconds(2))
      let early = scene.log.lines
      await lab.advance(by: .seconds(2))
      switch request {
      case .cancelOfTheRun, .cancelOfTheKey:
        #expect(scene.log.lines == ["cancelled waiting requested"])
      case .latest:
        #expect(scene.log.lines == ["cancelled waiting superseded", "begin handler's"])
      case .queue:
        #expect(early == ["begin waiting"])
        if policy == .throttle(.seconds(2)) {
          // On a throttled key whatever stands in line begins when the time is over.
          #expect(scene.log.lines == early + ["cancelled waiting superseded", "begin handler's"])
        } else {
          #expect(scene.log.lines == early)
          scene.waiting.value?.cancel()
          await lab.settle()
          #expect(scene.log.lines.last == "begin handler's")
        }
      case .debounce:
        #expect(early == ["cancelled waiting superseded"])
        #expect(scene.log.lines == early + ["begin handler's"])
      case .end:
        #expect(scene.log.lines == [])
        #expect(stage.runtime.counts.operations == 0)
        return
      }
      // Whatever was asked for, the key is not lost.
      scene.scope.cancel("key")
      await lab.settle()
      let last = scene.ask("last", .first)
      await lab.advance(by: .seconds(10))
      #expect(last.isCurrent)
      #expect(scene.log.lines.last == "begin last")
    }
  }

  // A run that had its outcome held the key for ever: what came after was refused, or waited.
  @Test func cancelOfTheWaitingInTheHandler_freesTheKey() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let scene = try Scene(lab, stage)
      scene.begin(.latest) { scene.waiting.value?.cancel() }
      await lab.settle()
      scene.waiting.value = scene.ask("waiting", .debounce(.seconds(2)))
      await lab.advance(by: .seconds(2))
      let next = scene.ask("next", .first)
      await lab.settle()
      #expect(next.isCurrent)
      #expect(scene.log.lines == ["cancelled waiting requested", "begin next"])
    }
  }
}
