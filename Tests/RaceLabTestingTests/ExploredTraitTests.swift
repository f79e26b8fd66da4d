import RaceLab
import RaceLabTesting
import Synchronization
import Testing

private actor Store {
  var value = 0
  func get() -> Int { value }
  func set(_ new: Int) { value = new }
}

@inline(never) private func use(_ value: Int) -> Int { value }

private func increment(_ store: Store) async {
  let value = await store.get()
  await store.set(use(value) + 1)
}

@Suite struct ExploredTraitTests {
  // A right test must pass as before, whatever the schedule.
  @Test(.explored(schedules: 500)) func rightTest_passes() async throws {
    let store = Store()
    await increment(store)
    await increment(store)
    #expect(await store.get() == 2)
    #expect(Lab.current != nil)
  }

  // The order that fails is one of many; as the test is written, it would pass every time here.
  @Test(.oneIssue, .explored(schedules: 500))
  func testWithARace_recordsOneIssueAtItsLine() async throws {
    let store = Store()
    let one = Task { await increment(store) }
    for _ in 0..<12 { await Task.yield() }
    let two = Task { await increment(store) }
    await one.value
    await two.value
    #expect(await store.get() == 2)
  }

  // Arguments belong to the case, and each case is explored for itself.
  @Test(.explored(schedules: 100), arguments: [1, 2]) func testWithArguments_getsThem(
    number: Int
  ) async throws {
    #expect([1, 2].contains(number))
  }
}

/// Takes the issues of a test, and fails unless there is just one, as it should be.
private struct OneIssue: TestTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let issues = Mutex<[Issue]>([])
    let taking = IssueHandlingTrait.compactMapIssues { issue in
      issues.withLock { $0.append(issue) }
      return nil
    }
    try await taking.provideScope(for: test, testCase: testCase, performing: function)
    let taken = issues.withLock { $0 }
    #expect(taken.count == 1)
    #expect(taken.first?.sourceLocation?.line == 38)
    #expect(taken.first?.comments.contains { $0.rawValue.contains("rl1-") } == true)
  }
}

extension Trait where Self == OneIssue {
  fileprivate static var oneIssue: Self { Self() }
}
