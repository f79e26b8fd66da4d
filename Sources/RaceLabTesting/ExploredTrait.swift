// A trait that explores a test that exists already: its body is unchanged and runs under many
// schedules; only the shrunk failing run is recorded.

import RaceLab
import Testing

/// Runs a test, or every test of a suite, in the lab under many schedules.
///
/// ```swift
/// @Test(.explored(schedules: 2_000)) func checkout() async throws { … }
/// ```
///
/// What the test records during the search is held back. If a schedule fails, it is shrunk and run
/// once more, and the first issue of that run is recorded, at its own line, with the report. Inside,
/// `Lab.current` gives the lab.
public struct ExploredTrait: TestTrait, SuiteTrait, TestScoping {
  private let options: SearchOptions
  private let token: String?

  fileprivate init(options: SearchOptions, token: String?) {
    self.options = options
    self.token = token
  }

  /// A suite's trait is its tests' trait.
  public var isRecursive: Bool { true }

  /// Called by the testing library.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      // What is left of the search may hold the box a moment longer than this call lasts.
      let body = TestBody(function)
      defer { body.forget() }
      try await explore(test, testCase) { try await body.run() }
    }
  }

  private func explore(
    _ test: Test, _ testCase: Test.Case?, _ function: @escaping @Sendable () async throws -> Void
  ) async throws {
    let held = HeldIssues()
    let holding = IssueHandlingTrait.compactMapIssues { issue in
      guard issue.severity >= .error else { return nil }
      held.add(issue)
      return nil
    }
    let scenario: @MainActor (Lab) async throws -> Void = { _ in
      try await holding.provideScope(for: test, testCase: testCase, performing: function)
    }
    let exploration: Exploration
    if let token {
      exploration = try await Exploration.replay(
        test.name, token, options: options, elsewhere: { held.take() }, scenario)
    } else {
      exploration = try await Exploration.search(
        test.name, options: options, elsewhere: { held.take() }, scenario)
    }
    guard let finding = exploration.finding else { return }
    let report = ExplorationFailure(exploration: exploration).description
    try await record(finding, report, test, testCase, function)
  }

  /// The test's body, until it is forgotten.
  private final class TestBody: Sendable {
    private let function: Guarded<(@Sendable () async throws -> Void)?>

    init(_ function: @escaping @Sendable () async throws -> Void) {
      self.function = Guarded(function)
    }

    func run() async throws { try await function.withLock { $0 }?() }
    func forget() { function.withLock { $0 = nil } }
  }

  /// Makes the shrunk run once more and lets its first issue through.
  private func record(
    _ finding: Exploration.Finding, _ report: String, _ test: Test, _ testCase: Test.Case?,
    _ function: @escaping @Sendable () async throws -> Void
  ) async throws {
    let passed = HeldIssues()
    let passing = IssueHandlingTrait.compactMapIssues { issue in
      guard issue.severity >= .error else { return issue }
      guard passed.isEmpty else { return nil }
      passed.add(issue)
      var issue = issue
      issue.comments.append(Comment(rawValue: report))
      return issue
    }
    let again = try await Exploration.replay(
      test.name, finding.token.description, options: options, elsewhere: { nil }
    ) { _ in
      try await passing.provideScope(for: test, testCase: testCase, performing: function)
    }
    // What is no issue, such as a deadlock, is recorded here.
    if passed.isEmpty {
      Issue.record(
        Comment(rawValue: report), sourceLocation: test.sourceLocation)
    }
    _ = again
  }
}

extension Trait where Self == ExploredTrait {
  /// Explores the test under up to `schedules` schedules; the same `seed`, the same schedules.
  public static func explored(
    schedules: Int = 1_000, strategy: Strategy = .portfolio, seed: UInt64 = 1,
    cancelEverywhere: Bool = false
  ) -> ExploredTrait {
    var options = SearchOptions()
    options.schedules = schedules
    options.strategy = strategy
    options.seed = seed
    options.cancels = cancelEverywhere ? 1 : 0
    return ExploredTrait(options: options, token: nil)
  }

  /// Explores the test with all options.
  public static func explored(_ options: SearchOptions) -> ExploredTrait {
    ExploredTrait(options: options, token: nil)
  }

  /// Makes the one run of the test that a token of a report names.
  public static func explored(replaying token: String) -> ExploredTrait {
    ExploredTrait(options: SearchOptions(), token: token)
  }
}
