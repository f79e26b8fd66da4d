// Real threads: reports from anywhere, and last references that go away anywhere.

import Millrace
import MillraceTesting
import RaceLab
import Synchronization
import Testing

private enum Local {
  @TaskLocal static var value = 0
}

@MainActor @Suite(.timeLimit(.minutes(2))) struct ThreadCases {
  /// What has become of the flows of C75.
  final class Counts: Sendable {
    let begun = Tally()
    let cancelled = Tally()
    let ended = Tally()
    let strays = Tally()
  }

  /// The last references to a runtime and its window, until they are dropped.
  final class Holder: Sendable {
    private let held: Mutex<(FlowRuntime, FlowWindow)?>
    init(_ runtime: FlowRuntime, _ window: FlowWindow) { held = Mutex((runtime, window)) }

    func drop() {
      let last = held.withLock { held in
        defer { held = nil }
        return held
      }
      _ = consume last
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
  enum Place: String, CaseIterable { case mainActor, detached, taskLocal, synchronous }

  /// A place without any concurrency of its own.
  nonisolated private func dropSynchronously(_ holder: Holder) { holder.drop() }

  private func drop(_ holder: Holder, _ place: Place) async {
    switch place {
    case .mainActor: holder.drop()
    case .detached: await Task.detached { holder.drop() }.value
    case .taskLocal:
      Local.$value.withValue(1) { holder.drop() }
      await Local.$value.withValue(2) { await Task { @concurrent in holder.drop() }.value }
    case .synchronous: dropSynchronously(holder)
    }
  }

  // Fault: the clean-up of the last reference traps off the main actor or in a task with
  // task-local values, or ends the root twice, or not at all.
  @Test(arguments: Place.allCases)
  func c75_lastReleaseOffTheMainActor(_ place: Place) async throws {
    let rounds = 1_000
    let counts = Counts()
    for round in 1...rounds {
      let (runtime, window) = make(counts)
      await counts.begun.reached(2 * round)
      if runtime.counts.flows != 2 { Issue.record("a dropped handle ended its flow") }
      await drop(Holder(runtime, window), place)
    }
    await counts.ended.reached(rounds)
    await counts.cancelled.reached(2 * rounds)
    #expect(counts.ended.count == rounds)
    #expect(counts.strays.count == 0)
  }

  // Fault: the same for a window, whose runtime lives on.
  @Test(arguments: Place.allCases)
  func c75_lastReleaseOfAWindow(_ place: Place) async throws {
    let rounds = 1_000
    let counts = Counts()
    let (runtime, first) = make(counts)
    for _ in 0..<rounds {
      let window = runtime.openWindow { _ in
        Root {
          Screen(
            $0, "root", onStart: { flow in flow.scope.open("child") },
            onEnd: { _, _ in
              if !isOnMainQueue() { counts.strays.add() }
              counts.ended.add()
            })
        }
      }
      await drop(Holder(runtime, window), place)
    }
    await counts.ended.reached(rounds)
    #expect(counts.ended.count == rounds)
    #expect(counts.strays.count == 0)
    #expect(runtime.counts.flows == 2)
    first.close()
    #expect(runtime.counts.flows == 0)
    try await runtime.drained(limit: .seconds(60))
  }

  // Fault: a synchronous test, which never gives the main actor back, traps when it lets go.
  @Test func c75_lastReleaseInASynchronousTest() {
    let counts = Counts()
    for _ in 0..<1_000 {
      let (runtime, window) = make(counts)
      dropSynchronously(Holder(runtime, window))
    }
    // It is the main actor's own turn: the ends come in later jobs.
    #expect(counts.ended.count == 0)
  }

  // Fault: a system callback comes on a background queue into main-actor code, and traps.
  @Test func c76_callbackFromABackgroundQueue() async throws {
    let (threads, rounds) = (8, 1_000)
    let runtime = FlowRuntime()
    let sink = ReportSink()
    let host = RecordingHost()
    let window = runtime.openWindow(host: host) { _ in Root { Screen($0, "root") } }
    let root = try #require(window.rootFlow as? Screen)
    let ended = Tally()
    let strays = Tally()
    let ids = (0..<rounds).map { _ in
      root.scope.open(
        "sheet", as: .sheet,
        onEnding: { ending in
          if !isOnMainQueue() || ending.kind != .dismissed { strays.add() }
          ended.add()
        }
      ).id
    }
    runtime.addSink(sink)
    onThreads(threads) { _ in
      for id in ids {
        window.report(.gestureCancelled(id))
        window.report(.didDismiss(id))
      }
    }
    await sink.reported.reached(threads * rounds * 2)
    #expect(ended.count == rounds)
    #expect(strays.count == 0 && sink.strays == 0)
    #expect(runtime.counts.flows == 1)
    // Every report of a sheet that is gone is refused, and nothing else is.
    let late = sink.reports.count - inTime(sink.reports)
    #expect(runtime.refusals == [.unknownFlow: late])
    window.close()
  }

  /// How many of these reports were about a flow that was there.
  private func inTime(_ reports: [HostReport]) -> Int {
    var gone: Set<FlowID> = []
    return reports.count { report in
      switch report {
      case .didDismiss(let id): gone.insert(id).inserted
      case .gestureCancelled(let id): !gone.contains(id)
      default: false
      }
    }
  }

  // Fault: each event is sent by a task of its own, and their order is lost on the way.
  @Test func c77_orderLostOnTheWay() async throws {
    let rounds = 10_000
    let runtime = FlowRuntime()
    let sink = ReportSink()
    let window = runtime.openWindow { _ in Root { Screen($0, "root") } }
    let root = try #require(window.rootFlow as? Screen)
    let ended = Tally()
    let ids = (0..<rounds).map { _ in
      root.scope.open("B", onEnding: { _ in ended.add() }).id
    }
    runtime.addSink(sink)
    let isOver = Atomic<Bool>(false)
    let noise = startNoise { isOver.load(ordering: .relaxed) }
    onThreads(1) { _ in
      for id in ids {
        window.report(.gestureBegan(id))
        window.report(.gestureCancelled(id))
        window.report(.gestureBegan(id))
        window.report(.gestureCompleted(id))
      }
    }
    await sink.reported.reached(rounds * 4)
    isOver.store(true, ordering: .relaxed)
    for task in noise { await task.value }
    #expect(
      sink.reports
        == ids.flatMap { id in
          [.gestureBegan(id), .gestureCancelled(id), .gestureBegan(id), .gestureCompleted(id)]
        })
    #expect(ended.count == rounds)
    #expect(sink.strays == 0)
    #expect(runtime.counts.flows == 1)
    #expect(runtime.refusals.isEmpty)
    window.close()
  }

  // Fault: a report that a handler makes overtakes those that came in before it.
  @Test func c77_orderLostOnTheWay_reportFromAHandler() async throws {
    try await Lab.run { lab in
      let stage = Stage(lab)
      let root = try stage.root()
      let window = stage.window
      var third: FlowID?
      let first = root.scope.open(
        "first",
        onEnding: { _ in
          if let third { window.report(.didDismiss(third)) }
        })
      let second = root.scope.open("second")
      third = root.scope.open("third").id
      let ids = [first.id, second.id]
      await Task.detached { for id in ids { window.report(.didDismiss(id)) } }.value
      await lab.settle()
      let reports = stage.log.events.compactMap { event -> FlowID? in
        if case .report(.didDismiss(let id)) = event { id } else { nil }
      }
      #expect(reports == [first.id, second.id, third])
      stage.expectSound()
    }
  }

  /// Keeps the machine and the main actor busy, at several priorities, until it is over.
  private func startNoise(
    until isOver: @escaping @Sendable () -> Bool
  ) -> [Task<Void, Never>] {
    [TaskPriority.background, .low, .medium, .high].map { priority in
      Task.detached(priority: priority) {
        while !isOver() { await MainActor.run {} }
      }
    }
  }
}
