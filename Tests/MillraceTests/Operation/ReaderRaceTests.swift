import Millrace
import RaceLab
import Testing

/// R15 and R16 for who waits for a value, in every order of the answer, the cancellation of the reader
/// and a newer run.
@Suite struct ReaderRaceTests {
  @MainActor
  private static func read(
    _ scope: FlowScope<Int>, _ name: String, _ policy: OperationPolicy, _ log: Log,
    _ heard: Held<[String]>, limit: Duration? = nil
  ) -> TaskOperation {
    scope.task(name) {
      do {
        let value = try await scope.value("key", policy, limit: limit) {
          log("begin \(name)")
          await Task.yield()
          return name
        }
        heard.value.append("value \(value)")
      } catch let cancelled as OperationCancelled {
        heard.value.append("\(name) \(cancelled.cause)")
      }
    }
  }

  @Test(arguments: [
    OperationPolicy.latest, .first, .queue, .concurrent(2), .debounce(.seconds(1)),
    .throttle(.seconds(1)),
  ])
  func readerCancelledAtEveryStep_isAnsweredOnceAndHoldsNothing(
    _ policy: OperationPolicy
  ) async throws {
    try await explore(schedules: 400) { lab in
      let stage = try Stage(lab)
      let log = Log()
      let heard = Held<[String]>([])
      let scope = stage.scope
      let one = Self.read(scope, "one", policy, log, heard)
      let two = Self.read(scope, "two", policy, log, heard)
      lab.adversary("cancel one") { one.cancel() }
      lab.adversary("cancel two") { two.cancel() }
      await lab.settle()
      await lab.advance(by: .seconds(5))
      try lab.require(stage.runtime.counts.operations == 0, "\(stage.runtime.tree)")
      // A task that was cancelled before its first line reads nothing; no reader is told twice.
      for name in ["one", "two"] {
        let told = heard.value.count { $0.contains(name) }
        try lab.require(told <= 1, "\(heard.value)")
        let begun = log.lines.count { $0.contains(name) }
        try lab.require(begun <= 1, "\(log.lines)")
        if heard.value.contains("value \(name)") { try lab.require(begun == 1, "\(log.lines)") }
      }
      // The key is free again.
      let last = Self.read(scope, "last", .first, log, heard)
      await lab.settle()
      await lab.advance(by: .seconds(5))
      try lab.require(last.outcome != nil && heard.value.last == "value last", "\(heard.value)")
      try lab.require(
        stage.trace.count { if case .operationStarted = $0 { true } else { false } }
          == stage.trace.count { if case .operationQuiet = $0 { true } else { false } },
        "each is quiet once")
    }
  }

  @Test func flowEndedAtEveryStepOfAReader_acceptsNothing() async throws {
    try await explore(schedules: 600) { lab in
      let stage = try Stage(lab)
      let log = Log()
      let heard = Held<[String]>([])
      let child = stage.scope.step()
      guard let scope = child.scope else { return }
      var ended = false
      _ = Self.read(scope, "one", .queue, log, heard, limit: .seconds(3))
      _ = Self.read(scope, "two", .queue, log, heard, limit: .seconds(3))
      let before = Held(0)
      lab.adversary("dismiss") {
        child.dismiss()
        ended = true
        before.value = heard.value.count { $0.hasPrefix("value") }
      }
      await lab.settle()
      await lab.advance(by: .seconds(5))
      let values = heard.value.count { $0.hasPrefix("value") }
      try lab.require(!ended || values == before.value, "\(heard.value)")
      try lab.require(ended || values == 2, "\(heard.value)")
      try lab.require(stage.runtime.counts.operations == 0, "nothing is left")
    }
  }

  // The order in which they began, whatever was taken out between them.
  @Test func runsAreToldOldestFirst_inTheTreeAndWhatIsLeft() async throws {
    try await Lab.run { lab in
      let stage = try Stage(lab)
      let deaf = lab.gate("deaf", .deaf)
      let child = stage.scope.step()
      let scope = try #require(child.scope)
      var runs: [Operation<Void>] = []
      for number in 1...7 {
        runs.append(scope.perform("run\(number)") { try await deaf.wait() })
      }
      let queued = scope.perform("run3", .queue) {}
      await lab.settle()
      queued.cancel()
      func order(_ text: String) -> [Int] {
        text.split(separator: "\n").compactMap { line in
          line.firstRange(of: "run").flatMap { range in
            line[range.upperBound...].first.flatMap { $0.wholeNumberValue }
          }
        }
      }
      #expect(order(stage.runtime.tree).filter { $0 > 0 } == [1, 2, 3, 4, 5, 6, 7])
      child.dismiss()
      let left = Held<[String]>([])
      let waiting = Task { @MainActor in
        do { try await scope.drained(limit: .seconds(1)) } catch let error as NotDrained {
          left.value = error.leftovers.map(\.name)
        }
      }
      await lab.settle()
      await lab.advance(by: .seconds(2))
      try await waiting.value
      #expect(left.value == (1...7).map { "run\($0)" })
      deaf.open()
      await lab.settle()
      #expect(stage.runtime.counts.operations == 0)
    }
  }
}
