// Starting and completing: tasks, operations with a value, one at a time and many in flight.

import Millrace

@MainActor
func operationCases(_ bench: Bench) -> [Case] {
  let scope = bench.scope
  let latch = Latch()
  return [
    Case(
      name: "task, one at a time", unit: "task", twin: "Task and a table of tasks",
      bar: .ratio(1.15), count: 5000
    ) { region, count in
      region.open()
      for _ in 0..<count {
        scope.task { latch.arrive() }
        await latch.wait(for: 1)
      }
      region.close()
    } hand: { region, count in
      let owner = HandOwner()
      region.open()
      for _ in 0..<count {
        owner.task { latch.arrive() }
        await latch.wait(for: 1)
      }
      region.close()
    },
    Case(
      name: "task, 1,000 in flight", unit: "task", twin: "Task and a table of tasks",
      bar: .ratio(1.15), count: 5000
    ) { region, count in
      region.open()
      for _ in 0..<max(1, count / 1000) {
        for _ in 0..<1000 { scope.task { latch.arrive() } }
        await latch.wait(for: 1000)
      }
      region.close()
    } hand: { region, count in
      let owner = HandOwner()
      region.open()
      for _ in 0..<max(1, count / 1000) {
        for _ in 0..<1000 { owner.task { latch.arrive() } }
        await latch.wait(for: 1000)
      }
      region.close()
    },
    Case(
      name: "task, 100 in one job", unit: "task",
      twin: "Task.immediate where there is one, and a table of tasks", bar: .ratio(1.0), count: 5000
    ) { region, count in
      region.open()
      for _ in 0..<max(1, count / 100) {
        for _ in 0..<100 { scope.task { latch.arrive() } }
        await latch.wait(for: 100)
      }
      region.close()
    } hand: { region, count in
      let owner = HandOwner()
      region.open()
      for _ in 0..<max(1, count / 100) {
        for _ in 0..<100 { owner.taskImmediate { latch.arrive() } }
        await latch.wait(for: 100)
      }
      region.close()
    },
    Case(
      name: "perform, one at a time", unit: "operation",
      twin: "Task, the same two crossings, an identity guard", bar: .ratio(1.15), count: 5000
    ) { region, count in
      var sum = 0
      region.open()
      for _ in 0..<count {
        scope.perform("load") {
          await one()
        } then: {
          if case .success(let value) = $0 { sum += value }
          latch.arrive()
        }
        await latch.wait(for: 1)
      }
      region.close()
      precondition(sum == count)
    } hand: { region, count in
      let owner = HandOwner()
      var sum = 0
      region.open()
      for _ in 0..<count {
        owner.perform {
          await one()
        } then: {
          sum += $0
          latch.arrive()
        }
        await latch.wait(for: 1)
      }
      region.close()
      precondition(sum == count)
    },
    Case(
      name: "value, one at a time", unit: "operation",
      twin: "Task and await of its value, passing cancellation on, an identity guard",
      bar: .ratio(1.15), count: 5000
    ) { region, count in
      var sum = 0
      region.open()
      for _ in 0..<count { sum += (try? await scope.value("load") { await one() }) ?? 0 }
      region.close()
      precondition(sum == count)
    } hand: { region, count in
      let owner = HandOwner()
      var sum = 0
      region.open()
      for _ in 0..<count { sum += await owner.value { await one() } ?? 0 }
      region.close()
      precondition(sum == count)
    },
  ]
}
