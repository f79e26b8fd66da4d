// Last references, which go away on any thread: what they held ends all the same.

import Millrace
import RaceLab
import Testing

private enum Local {
  @TaskLocal static var value = 0
}

@MainActor @Suite(.timeLimit(.minutes(15))) struct ReleaseCases {
  /// What has become of the flows.
  final class Counts: Sendable {
    let begun = Tally()
    let cancelled = Tally()
    let ended = Tally()
    let strays = Tally()
  }

  /// The last references to a runtime and its window, until they are dropped.
  final class Holder: Sendable {
    private let held: Guarded<(FlowRuntime?, FlowWindow?)>
    private weak let runtime: FlowRuntime?
    private weak let window: FlowWindow?

    init(_ runtime: FlowRuntime?, _ window: FlowWindow?) {
      held = Guarded((runtime, window))
      self.runtime = runtime
      self.window = window
    }

    /// True while what was given is alive.
    var isAlive: Bool { runtime != nil || window != nil }
    /// How many flows the runtime has.
    @MainActor var flows: Int? { runtime?.counts.flows }

    func drop() {
      let last = held.withLock { held in
        defer { held = (nil, nil) }
        return held
      }
      withExtendedLifetime(last) {}
    }
  }

  /// A runtime with a root, a child and an operation of each. The handles on the child and on the
  /// scopes go away here, which changes nothing.
  private func make(_ counts: Counts) -> (FlowRuntime, FlowWindow) {
    let runtime = FlowRuntime()
    let work: @MainActor (Screen) -> Void = { flow in
      flow.scope.perform("work") {
        counts.begun.add()
        await untilCancelled()
        counts.cancelled.add()
      }
    }
    let window = runtime.openWindow { _ in
      Root {
        Screen(
          $0, "root",
          onStart: { flow in
            work(flow)
            flow.scope.open("child", onStart: work)
          },
          onEnd: { _, _ in
            if !isOnMainQueue() { counts.strays.add() }
            counts.ended.add()
          })
      }
    }
    return (runtime, window)
  }

  /// Where the last reference goes away.
  enum Place: String, CaseIterable {
    case mainActor, detached, taskLocal, taskLocalTask, synchronous
  }

  /// What goes away: the runtime while its window is kept, or both.
  enum Last: String, CaseIterable { case runtime, both }

  /// A place without any concurrency of its own.
  nonisolated private func dropSynchronously(_ holder: Holder) { holder.drop() }

  private func drop(_ holder: Holder, _ place: Place) async {
    switch place {
    case .mainActor: holder.drop()
    case .detached: await Task.detached { holder.drop() }.value
    case .taskLocal: Local.$value.withValue(1) { holder.drop() }
    case .taskLocalTask:
      await Local.$value.withValue(2) { await Task { @concurrent in holder.drop() }.value }
    case .synchronous: dropSynchronously(holder)
    }
  }

  /// The only references to a new runtime, and to its window if that goes away with it.
  private func hold(_ counts: Counts, _ last: Last) -> (holder: Holder, kept: FlowWindow?) {
    let (runtime, window) = make(counts)
    return last == .both ? (Holder(runtime, window), nil) : (Holder(runtime, nil), window)
  }

  /// The only reference to a new window of this runtime.
  private func hold(_ counts: Counts, in runtime: FlowRuntime) -> Holder {
    Holder(
      nil,
      runtime.openWindow { _ in
        Root {
          Screen(
            $0, "root", onStart: { flow in flow.scope.open("child") },
            onEnd: { _, _ in
              if !isOnMainQueue() { counts.strays.add() }
              counts.ended.add()
            })
        }
      })
  }

  // Fault: the clean-up of the last reference traps off the main actor or in a task with
  // task-local values, or ends the root twice, or not at all.
  @Test(arguments: Place.allCases, Last.allCases)
  func c75_lastReleaseOffTheMainActor(_ place: Place, _ last: Last) async throws {
    let rounds = 1_000
    let counts = Counts()
    var kept: [FlowWindow] = []
    var survivors = 0
    for round in 1...rounds {
      let (holder, window) = hold(counts, last)
      if let window { kept.append(window) }
      await counts.begun.reached(2 * round)
      if holder.flows != 2 { Issue.record("a dropped handle ended its flow") }
      await drop(holder, place)
      if holder.isAlive { survivors += 1 }
    }
    await counts.ended.reached(rounds)
    await counts.cancelled.reached(2 * rounds)
    #expect(survivors == 0, "the last release was somewhere else")
    #expect(counts.ended.count == rounds)
    #expect(counts.strays.count == 0)
    #expect(kept.allSatisfy { $0.rootFlow == nil })
  }

  // Fault: the same for a window, whose runtime lives on.
  @Test(arguments: Place.allCases)
  func c75_lastReleaseOfAWindow(_ place: Place) async throws {
    let rounds = 1_000
    let counts = Counts()
    let (runtime, first) = make(counts)
    var survivors = 0
    for _ in 0..<rounds {
      let holder = hold(counts, in: runtime)
      await drop(holder, place)
      if holder.isAlive { survivors += 1 }
    }
    await counts.ended.reached(rounds)
    #expect(survivors == 0, "the last release was somewhere else")
    #expect(counts.ended.count == rounds)
    #expect(counts.strays.count == 0)
    #expect(runtime.counts.flows == 2)
    first.close()
    #expect(runtime.counts.flows == 0)
    try await runtime.drained(limit: .seconds(3_600))
  }

  // Fault: a synchronous test, which never gives the main actor back, traps when it lets go.
  @Test(arguments: Last.allCases)
  func c75_lastReleaseInASynchronousTest(_ last: Last) {
    let counts = Counts()
    for _ in 0..<1_000 {
      let holder = hold(counts, last).holder
      dropSynchronously(holder)
      if holder.isAlive { Issue.record("the last release was somewhere else") }
    }
    // It is the main actor's own turn: the ends come in later jobs.
    #expect(counts.ended.count == 0)
  }
}
