import RaceLab
import Testing

// Each scenario gives one of two answers, by the order of two tasks off all actors: a search that leaves
// out an order which makes a difference sees one of them only.
@Suite(.enabled(if: Lab.uncontrolled.isEmpty)) struct ReducedSearchTests {
  /// The answers that all courses give, one after the other: in what comes after an order that was
  /// left out wrongly, nothing is tried any more.
  private static func answers(
    _ scenario: @escaping @MainActor (Lab) async -> Int
  ) async throws -> Set<[Int]> {
    let seen = Guarded<Set<[Int]>>([])
    let exploration = try await explore(schedules: 20_000, strategy: .reduced) { lab in
      let first = await scenario(lab)
      let second = await scenario(lab)
      seen.withLock { _ = $0.insert([first, second]) }
    }
    #expect(exploration.isExhausted)
    return seen.withLock { $0 }
  }

  // A task that asks whether it is cancelled, and another that cancels it.
  @Test func cancellation_comesBeforeAndAfter() async throws {
    let answers = try await Self.answers { _ in
      let worker = Task.detached {
        await Task.yield()
        return Task.isCancelled ? 1 : 0
      }
      let canceller = Task.detached { worker.cancel() }
      await canceller.value
      return await worker.value
    }
    #expect(answers == [[0, 0], [0, 1], [1, 0], [1, 1]])
  }

  // Two who send to one stream: the reader gets one or the other first.
  @Test func valuesOfAStream_comeInBothOrders() async throws {
    let answers = try await Self.answers { _ in
      let (values, feed) = AsyncStream.makeStream(of: Int.self)
      let one = Task.detached { _ = feed.yield(1) }
      let two = Task.detached { _ = feed.yield(2) }
      await one.value
      await two.value
      for await value in values { return value }
      return 0
    }
    #expect(answers == [[1, 1], [1, 2], [2, 1], [2, 2]])
  }

  // Two who open one gate.
  @Test func releasesOfAGate_comeInBothOrders() async throws {
    let answers = try await Self.answers { lab in
      let gate = lab.gate(of: Int.self, "answer")
      let one = Task.detached { gate.open(with: 1) }
      let two = Task.detached { gate.open(with: 2) }
      await one.value
      await two.value
      return (try? await gate.wait()) ?? 0
    }
    #expect(answers == [[1, 1], [1, 2], [2, 1], [2, 2]])
  }

  // Two who add to the line of one actor.
  @Test func linesOfAnActor_formInBothOrders() async throws {
    actor Log {
      var first = 0
      func add(_ number: Int) { if first == 0 { first = number } }
    }
    let answers = try await Self.answers { _ in
      let log = Log()
      let one = Task.detached { await log.add(1) }
      let two = Task.detached { await log.add(2) }
      await one.value
      await two.value
      return await log.first
    }
    #expect(answers == [[1, 1], [1, 2], [2, 1], [2, 2]])
  }
}
