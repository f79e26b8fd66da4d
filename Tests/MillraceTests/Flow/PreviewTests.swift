import Millrace
import MillraceTesting
import RaceLab
import Testing

/// View models built alone: for previews, and for tests.
@Suite struct PreviewTests {
  @MainActor private final class Counting: Flow {
    let scope: FlowScope<Int>
    private let counted: Counted
    private(set) var started = 0
    private(set) var endings: [EndingKind] = []
    init(_ scope: FlowScope<Int>, _ alive: Tally) {
      self.scope = scope
      counted = Counted(alive)
    }
    func start() { started += 1 }
    func willEnd(_ ending: Ending<Int>) { endings.append(ending.kind) }
  }

  // A preview that needs an app around it is not written.
  @Test func previewScope_tellsItsOutputs() async throws {
    try await Lab.run { lab in
      let log = Log()
      let flow = Step(.preview(onOutput: { log($0) }, onEnding: { log($0.kind) }))
      #expect(flow.scope.isCurrent)
      flow.scope.emit(1)
      let child = flow.scope.step(onOutput: { log("child \($0)") })
      child.scope?.emit(2)
      flow.scope.perform("load") {
        3
      } then: {
        log((try? $0.get()) ?? 0)
      }
      await lab.settle()
      flow.scope.finish(4)
      #expect(log.lines == ["1", "child 2", "3", "4", "finished"])
      #expect(!flow.scope.isCurrent)
      #expect(!child.isCurrent)
      #expect(flow.scope.tryEmit(5) == .refused(.emitAfterEnd))
    }
  }

  // A preview is made over and over: none may stay.
  @Test func previewFlow_isFreedWithAndWithoutAnEnd() async throws {
    try await Lab.run { lab in
      let alive = Tally()
      do {
        let ended = Counting(.preview(), alive)
        let dropped = Counting(.preview(), alive)
        ended.scope.emit(1)
        ended.scope.finish(1)
        dropped.scope.emit(1)
        #expect(alive.value == 2)
        #expect(ended.started == 0)
      }
      await lab.settle()
      #expect(alive.value == 0)
    }
  }

  // Two previews are two runtimes.
  @Test func twoPreviews_shareNothing() async throws {
    try await Lab.run { lab in
      let (one, two) = (Step(.preview()), Step(.preview()))
      one.scope.finish(1)
      #expect(two.scope.isCurrent)
    }
  }

  // A test of a view model reads what it told, and how it ended.
  @Test func probe_recordsOutputsAndEnding() async throws {
    try await Lab.run { lab in
      let alive = Tally()
      do {
        let probe = FlowProbe(clock: lab.clock, signedInAs: Account("a")) { Counting($0, alive) }
        #expect(probe.flow.started == 1)
        #expect(probe.flow.scope.session?.account == Account("a"))
        probe.flow.scope.emit(1)
        #expect(probe.outputs == [1])
        #expect(probe.ending == nil)
        probe.flow.scope.finish(2)
        #expect(probe.outputs == [1, 2])
        #expect(probe.ending?.output == 2)
        #expect(probe.flow.endings == [.finished])
        probe.flow.scope.emit(3)
        #expect(probe.runtime.refusals == [.emitAfterEnd: 1])
      }
      await lab.settle()
      #expect(alive.value == 0)
    }
  }

  // Ended from outside, the probe knows how too.
  @Test func probe_canEndItsFlow() async throws {
    try await Lab.run { lab in
      let dismissed = FlowProbe(clock: lab.clock) { Counting($0, Tally()) }
      dismissed.dismiss()
      #expect(!dismissed.flow.scope.isCurrent)
      #expect(dismissed.flow.endings.count == 1)
      #expect(dismissed.ending?.kind == .dismissed)
      let signedOut = FlowProbe(clock: lab.clock, signedInAs: Account("a")) {
        Counting($0, Tally())
      }
      signedOut.runtime.signOut()
      #expect(signedOut.flow.endings == [.sessionEnded])
      #expect(signedOut.ending?.kind == .sessionEnded)
    }
  }

  // What a flow says in its start reaches the probe like any owner.
  @Test func probe_hearsWhatStartSays() async throws {
    try await Lab.run { lab in
      let probe = FlowProbe(clock: lab.clock) { Step($0, start: { $0.scope.emit(1) }) }
      #expect(probe.outputs == [])
      await lab.settle()
      #expect(probe.outputs == [1])
    }
  }
}
