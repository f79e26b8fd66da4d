// Real threads: reports from anywhere, in the order in which they were sent.

import Millrace
import MillraceTesting
import RaceLab
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(15))) struct ThreadCases {
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
    // The highest first: a lower one would take along what is over it.
    onThreads(threads) { _ in
      for id in ids.reversed() {
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
      case .gestureCancelled(let id, _): !gone.contains(id)
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
    // The highest first: a lower one would take along what is above it.
    let ids = (0..<rounds).map { _ in
      root.scope.open("B", onEnding: { _ in ended.add() }).id
    }.reversed()
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
        "first", as: .tab,
        onEnding: { _ in
          if let third { window.report(.didDismiss(third)) }
        })
      let second = root.scope.open("second", as: .tab)
      third = root.scope.open("third", as: .tab).id
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
