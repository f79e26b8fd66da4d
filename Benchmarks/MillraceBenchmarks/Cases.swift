// The cases. Bars are ratios to the hand-written twin in the same process.

import Millrace

@MainActor
final class Leaf: Flow {
  let scope: FlowScope<Int>
  init(scope: FlowScope<Int>) { self.scope = scope }
}

/// A runtime with one flow to work under.
@MainActor
final class Bench {
  let runtime = FlowRuntime(clock: StillClock(), options: RuntimeOptions(checksLeaks: false))
  let window: FlowWindow
  let flow: Leaf

  init() {
    var made: Leaf?
    window = runtime.openWindow { _ in
      Root(Leaf.self) { scope in
        let leaf = Leaf(scope: scope)
        made = leaf
        return leaf
      }
    }
    guard let made else { preconditionFailure("a window makes its root at once") }
    flow = made
  }
}

@MainActor
func allCases(_ bench: Bench, scale: Int) -> [Case] {
  let scope = bench.flow.scope
  let latch = Latch()
  return [
    Case(name: "task, start and complete", bar: 1.15, count: 20_000 / scale) { count in
      for _ in 0..<count {
        scope.task { latch.arrive() }
        await latch.wait(for: 1)
      }
    } hand: { count in
      let owner = HandOwner()
      for _ in 0..<count {
        owner.task { latch.arrive() }
        await latch.wait(for: 1)
      }
    },
    Case(name: "task, 1,000 in flight", bar: 1.15, count: 20_000 / scale) { count in
      for _ in 0..<max(1, count / 1000) {
        for _ in 0..<1000 { scope.task { latch.arrive() } }
        await latch.wait(for: 1000)
      }
    } hand: { count in
      let owner = HandOwner()
      for _ in 0..<max(1, count / 1000) {
        for _ in 0..<1000 { owner.task { latch.arrive() } }
        await latch.wait(for: 1000)
      }
    },
    Case(name: "perform, start and complete", bar: 1.15, count: 20_000 / scale) { count in
      var sum = 0
      for _ in 0..<count {
        scope.perform("load") {
          1
        } then: {
          if case .success(let value) = $0 { sum += value }
          latch.arrive()
        }
        await latch.wait(for: 1)
      }
      precondition(sum == count)
    } hand: { count in
      let owner = HandOwner()
      var sum = 0
      for _ in 0..<count {
        owner.perform {
          1
        } then: {
          sum += $0
          latch.arrive()
        }
        await latch.wait(for: 1)
      }
      precondition(sum == count)
    },
    Case(name: "output to a closure", bar: 1.2, count: 2_000_000 / scale) { count in
      var sum = 0
      let child = scope.start {
        Leaf(scope: $0)
      } onOutput: {
        sum += $0
      }
      if let leaf = child.flow { for _ in 0..<count { leaf.scope.emit(1) } }
      child.dismiss()
      precondition(sum == count)
    } hand: { count in
      let parent = HandParent()
      let (id, child) = parent.attach()
      for _ in 0..<count { child.emit(1) }
      parent.dismiss(id)
      precondition(parent.sum == count)
    },
    Case(name: "cancel and be quiet, of 10,000", bar: 1.0, count: 10_000) { count in
      let child = scope.start { Leaf(scope: $0) }
      for _ in 0..<count {
        child.flow?.scope.task {
          await waitForCancellation()
          latch.arrive()
        }
      }
      await Task.yield()
      child.dismiss()
      await latch.wait(for: count)
    } hand: { count in
      let owner = HandOwner()
      for _ in 0..<count {
        owner.task {
          await waitForCancellation()
          latch.arrive()
        }
      }
      await Task.yield()
      owner.cancelAll()
      await latch.wait(for: count)
    },
    Case(name: "attach and dismiss a child", bar: 2.0, count: 400_000 / scale) { count in
      var sum = 0
      for _ in 0..<count {
        scope.start {
          Leaf(scope: $0)
        } onOutput: {
          sum += $0
        }.dismiss()
      }
    } hand: { count in
      let parent = HandParent()
      for _ in 0..<count { parent.dismiss(parent.attach().0) }
    },
  ]
}
