// What it costs to be watched: the other side is Millrace without a sink.

import Millrace
import MillraceTrace

/// A sink that looks at nothing.
@MainActor
private final class BlindSink: TraceSink {
  private(set) var count = 0
  func record(_ event: TraceEvent) { count += 1 }
}

@MainActor
func traceCases(_ bench: Bench) -> [Case] {
  let scope = bench.scope
  let runtime = bench.runtime
  let sink = BlindSink()
  let profile = CancellationProfile(clock: runtime.clock)
  let real = FlowRuntime(options: RuntimeOptions(checksLeaks: false))
  let realProfile = CancellationProfile(clock: real.clock)
  let latch = Latch()
  @MainActor func complete(_ region: Region, _ count: Int, _ sink: (any TraceSink)?) async {
    if let sink { runtime.addSink(sink) }
    region.open()
    for _ in 0..<max(1, count / 1000) {
      for _ in 0..<1000 { scope.task { latch.arrive() } }
      await latch.wait(for: 1000)
    }
    region.close()
    if let sink { runtime.removeSink(sink) }
  }
  @MainActor func cancel(_ region: Region, _ count: Int, _ sink: (any TraceSink)?) async {
    let child = scope.start { Leaf(scope: $0) }
    if let flow = child.flow { for _ in 0..<count { startWaiting(flow.scope, latch) } }
    await settle()
    if let sink { runtime.addSink(sink) }
    region.open()
    child.dismiss()
    await latch.wait(for: count)
    region.close()
    await settle()
    if let sink { runtime.removeSink(sink) }
  }
  return [
    Case(
      name: "trace, a sink that counts", unit: "task", twin: "Millrace without a sink",
      bar: .added(75), count: 5000
    ) { region, count in
      let before = sink.count
      await complete(region, count, sink)
      precondition(sink.count - before >= 3 * count - 1)
    } hand: { region, count in
      await complete(region, count, nil)
    },
    Case(
      name: "trace, profile of tasks that complete", unit: "task",
      twin: "Millrace without a sink", bar: .added(75), count: 5000
    ) { region, count in
      await complete(region, count, profile)
    } hand: { region, count in
      await complete(region, count, nil)
    },
    Case(
      name: "trace, profile of cancelled tasks", unit: "task", twin: "Millrace without a sink",
      bar: .added(75), count: 5000
    ) { region, count in
      // A real clock: what the profile does is to read it.
      await cancel(region, count, realProfile)
    } hand: { region, count in
      await cancel(region, count, nil)
    },
  ]
}
