// What is held: bytes per live flow and per waiting task, as the allocator rounds them.

import Millrace

@MainActor
func memoryCases(_ bench: Bench) -> [Case] {
  let scope = bench.scope
  let latch = Latch()
  return [
    Case(
      name: "memory, a live flow", unit: "flow", twin: "a callback child in a table",
      bar: .bytes(400), count: 10_000, isMemory: true
    ) { region, count in
      let parent = scope.start { Leaf(scope: $0) }
      var sum = 0
      region.open()
      for _ in 0..<count {
        parent.flow?.scope.start {
          Leaf(scope: $0)
        } onOutput: {
          sum += $0
        }
      }
      region.close()
      parent.dismiss()
    } hand: { region, count in
      let parent = HandParent()
      region.open()
      for _ in 0..<count { _ = parent.attach() }
      region.close()
    },
    Case(
      name: "memory, a waiting task", unit: "task", twin: "Task in a table of tasks",
      bar: .ratio(1.1), count: 10_000, isMemory: true
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
      name: "memory, a flow with a waiting task", unit: "flow",
      twin: "a node with a table of children and one of tasks", bar: .ratio(1.1), count: 10_000,
      isMemory: true
    ) { region, count in
      let parent = scope.start { Leaf(scope: $0) }
      region.open()
      for _ in 0..<count {
        guard let flow = parent.flow?.scope.start({ Leaf(scope: $0) }).flow else { continue }
        startWaiting(flow.scope, latch)
      }
      await settle()
      region.close()
      parent.dismiss()
      await latch.wait(for: count)
    } hand: { region, count in
      let parent = HandNode()
      region.open()
      for _ in 0..<count { startWaiting(parent.start(), latch) }
      await settle()
      region.close()
      parent.end()
      await latch.wait(for: count)
    },
  ]
}
