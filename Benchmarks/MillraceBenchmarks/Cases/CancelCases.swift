// Starting what waits, and cancelling it: until the last task has really finished.

import Millrace

@MainActor
func cancelCases(_ bench: Bench) -> [Case] {
  let scope = bench.scope
  let latch = Latch()
  return [
    Case(
      name: "start waiting, of 10,000", unit: "task", twin: "Task and a table of tasks",
      bar: .ratio(1.0), count: 10_000, growth: Case.counts(to: 100_000)
    ) { region, count in
      let child = scope.start { Leaf(scope: $0) }
      region.open()
      if let flow = child.flow { for _ in 0..<count { startWaiting(flow.scope, latch) } }
      await settle()
      region.close()
      child.dismiss()
      await latch.wait(for: count)
    } hand: { region, count in
      let owner = HandOwner()
      region.open()
      for _ in 0..<count { startWaiting(owner, latch) }
      await settle()
      region.close()
      owner.cancelAll()
      await latch.wait(for: count)
    },
    Case(
      name: "cancel and be quiet, of 10,000", unit: "task",
      twin: "Task.cancel for all of a table, which each leaves when it has ended", bar: .ratio(1.0),
      count: 10_000, growth: Case.counts(to: 100_000)
    ) { region, count in
      let child = scope.start { Leaf(scope: $0) }
      if let flow = child.flow { for _ in 0..<count { startWaiting(flow.scope, latch) } }
      await settle()
      region.open()
      child.dismiss()
      await latch.wait(for: count)
      region.close()
    } hand: { region, count in
      let owner = HandOwner()
      for _ in 0..<count { startWaiting(owner, latch) }
      await settle()
      region.open()
      owner.stop()
      await latch.wait(for: count)
      region.close()
      precondition(owner.isQuiet)
    },
    Case(
      name: "dismiss with stream readers, of 10,000", unit: "child",
      twin: "an AsyncStream and a reading task for each, finished and cancelled",
      bar: .ratio(1.15), count: 10_000
    ) { region, count in
      let parent = scope.start { Leaf(scope: $0) }
      if let flow = parent.flow {
        for _ in 0..<count {
          let child = flow.scope.start { Leaf(scope: $0) }
          scope.task {
            for try await _ in child.outputs {}
            latch.arrive()
          }
        }
      }
      await settle()
      region.open()
      parent.dismiss()
      await latch.wait(for: count)
      region.close()
    } hand: { region, count in
      let owner = HandOwner()
      var continuations: [AsyncStream<Int>.Continuation] = []
      for _ in 0..<count {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        continuations.append(continuation)
        owner.task {
          for await _ in stream {}
          latch.arrive()
        }
      }
      await settle()
      region.open()
      for continuation in continuations { continuation.finish() }
      await latch.wait(for: count)
      region.close()
      withExtendedLifetime(continuations) {}
    },
  ]
}
