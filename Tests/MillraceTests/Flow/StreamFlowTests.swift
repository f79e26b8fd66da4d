import Millrace
import RaceLab
import Testing

/// A plain stream as a child.
@Suite struct StreamFlowTests {
  // Code that has streams and no flows must get the same order and the same end.
  @Test func elements_areToldThenTheEnd() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      var heard: [StreamOutput<Int>] = []
      var endings: [EndingKind] = []
      let (stream, source) = AsyncStream.makeStream(of: Int.self)
      let child = stage.scope.start(
        reading: stream, onOutput: { heard.append($0) }, onEnding: { endings.append($0.kind) })
      source.yield(1)
      await lab.settle()
      source.yield(2)
      source.finish()
      await lab.settle()
      #expect(heard == [.element(1), .element(2), .end])
      #expect(endings == [.finished])
      #expect(!child.isCurrent)
    }
  }

  // A stream outlives its screen: what it gives afterwards reaches nobody, and is no fault.
  @Test func dismissal_stopsTheReadingWithoutARefusal() async throws {
    try await Lab.run(leftovers: .fail) { lab in
      let stage = try Stage(lab)
      var heard: [StreamOutput<Int>] = []
      let stopped = Tally()
      let (stream, source) = AsyncStream.makeStream(of: Int.self)
      source.onTermination = { _ in stopped.add() }
      let child = stage.scope.start(reading: stream, onOutput: { heard.append($0) })
      source.yield(1)
      await lab.settle()
      source.yield(2)
      child.dismiss()
      source.yield(3)
      await lab.settle()
      #expect(heard == [.element(1)])
      #expect(stopped.value == 1)
      #expect(stage.runtime.counts.operations == 0)
      #expect(stage.runtime.refusals.isEmpty)
    }
  }

  // A stream that is faster than its reader must not look complete.
  @Test func streamFasterThanItsReader_overflows() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let (stream, source) = AsyncStream.makeStream(of: Int.self)
      let child = stage.scope.start(reading: stream, buffer: 2)
      for value in 1...4 { source.yield(value) }
      source.finish()
      await lab.settle()
      var heard: [StreamOutput<Int>] = []
      await #expect(throws: OutputError.overflow) {
        for try await output in child.outputs { heard.append(output) }
      }
      #expect(heard == [.element(1), .element(2)])
    }
  }
}
