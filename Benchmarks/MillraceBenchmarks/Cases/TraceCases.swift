// What it costs to be watched: the other side is Millrace without a sink.

import Millrace

/// A sink that looks at nothing.
@MainActor
private final class BlindSink: TraceSink {
  private(set) var count = 0
  func record(_ event: TraceEvent) { count += 1 }
}

@MainActor
func traceCases(_ bench: Bench) -> [Case] {
  let watched = Bench()
  let sink = BlindSink()
  watched.runtime.addSink(sink)
  let latch = Latch()
  @MainActor func run(_ scope: FlowScope<Int>, _ region: Region, _ count: Int) async {
    region.open()
    for _ in 0..<max(1, count / 1000) {
      for _ in 0..<1000 { scope.task { latch.arrive() } }
      await latch.wait(for: 1000)
    }
    region.close()
  }
  return [
    Case(
      name: "trace, a sink that counts", unit: "task", twin: "Millrace without a sink",
      bar: .added(75), count: 5000
    ) { region, count in
      let before = sink.count
      await run(watched.scope, region, count)
      precondition(sink.count - before >= 3 * count - 1)
    } hand: { region, count in
      await run(bench.scope, region, count)
    }
  ]
}
