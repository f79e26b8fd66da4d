// The corpus: known faults of asynchronous code, each with a mended twin. A search has to find
// every fault and may report nothing on a twin.

import RaceLab

/// A fault and its mended twin.
public struct Pair: Sendable {
  /// Number in the corpus, from 1.
  public let number: Int
  /// What goes wrong, in a few words.
  public let name: String
  /// How many tasks the search may cancel.
  public let cancels: Int
  private let body: @MainActor (Lab, Bool) async throws -> Void

  init(
    _ number: Int, _ name: String, cancels: Int = 0,
    _ body: @escaping @MainActor (_ lab: Lab, _ mended: Bool) async throws -> Void
  ) {
    self.number = number
    self.name = name
    self.cancels = cancels
    self.body = body
  }

  /// The scenario with the fault.
  public var faulty: @MainActor (Lab) async throws -> Void {
    { lab in try await body(lab, false) }
  }

  /// The scenario without it.
  public var mended: @MainActor (Lab) async throws -> Void {
    { lab in try await body(lab, true) }
  }

  /// All pairs, in order of their numbers.
  public static let all: [Pair] =
    (storePairs + flowPairs + streamPairs + waitPairs + meetingPairs + familyPairs)
    .sorted { $0.number < $1.number }
}

/// Stands for work off any actor. With nothing between two calls of an actor, the compiler joins
/// them to one.
@inline(never) func think() {}

/// Starts something on the pool a few steps later, so that the fault does not show by itself.
@discardableResult
func later(
  _ steps: Int, _ body: @escaping @Sendable () async -> Void
) -> Task<Void, Never> {
  Task.detached {
    for _ in 0..<steps { await Task.yield() }
    await body()
  }
}

/// Tasks that wait to be resumed, one by one, in order.
@MainActor final class WaitingLine {
  private var line: [CheckedContinuation<Void, Never>] = []

  var isEmpty: Bool { line.isEmpty }
  var count: Int { line.count }

  func wait() async {
    await withCheckedContinuation { line.append($0) }
  }

  func resumeFirst() {
    if !line.isEmpty { line.removeFirst().resume() }
  }

  func resumeAll() {
    let all = line
    line = []
    for continuation in all { continuation.resume() }
  }
}
