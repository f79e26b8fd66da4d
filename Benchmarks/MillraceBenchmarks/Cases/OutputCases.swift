// What a child tells its owner: by closure, by stream and by its ending, one by one and in bursts.

import Millrace

@MainActor
func outputCases(_ bench: Bench) -> [Case] {
  let scope = bench.scope
  let latch = Latch()
  return [
    Case(
      name: "output, to a closure", unit: "output", twin: "a callback with an identity guard",
      bar: .ratio(1.2), count: 200_000
    ) { region, count in
      var sum = 0
      let child = scope.start {
        Leaf(scope: $0)
      } onOutput: {
        sum += $0
      }
      if let leaf = child.flow {
        region.open()
        for _ in 0..<count { leaf.scope.emit(1) }
        region.close()
      }
      child.dismiss()
      precondition(sum == count)
    } hand: { region, count in
      let parent = HandParent()
      let (id, child) = parent.attach()
      region.open()
      for _ in 0..<count { child.emit(1) }
      region.close()
      parent.dismiss(id)
      precondition(parent.sum == count)
    },
    Case(
      name: "output, 50 in a turn, to a closure", unit: "output",
      twin: "a callback with an identity guard, called after the handler by a list",
      bar: .ratio(1.2), count: 200_000
    ) { region, count in
      var sum = 0
      let inner = scope.start {
        Leaf(scope: $0)
      } onOutput: {
        sum += $0
      }
      let outer = scope.start {
        Leaf(scope: $0)
      } onOutput: { _ in
        for _ in 0..<50 { inner.flow?.scope.emit(1) }
      }
      if let leaf = outer.flow {
        region.open()
        for _ in 0..<count / 50 { leaf.scope.emit(1) }
        region.close()
      }
      outer.dismiss()
      inner.dismiss()
      precondition(sum == count / 50 * 50)
    } hand: { region, count in
      let parent = HandParent()
      let (id, child) = parent.attach()
      var pending: [Int] = []
      region.open()
      for _ in 0..<count / 50 {
        for _ in 0..<50 { pending.append(1) }
        for value in pending { child.emit(value) }
        pending.removeAll(keepingCapacity: true)
      }
      region.close()
      parent.dismiss(id)
      precondition(parent.sum == count / 50 * 50)
    },
    Case(
      name: "output, one by one, to a stream", unit: "output",
      twin: "AsyncStream and a reading task",
      bar: .ratio(1.0), count: 5000
    ) { region, count in
      let child = scope.start { Leaf(scope: $0) }
      scope.task { for try await _ in child.outputs { latch.arrive() } }
      await settle()
      if let leaf = child.flow {
        region.open()
        for _ in 0..<count {
          leaf.scope.emit(1)
          await latch.wait(for: 1)
        }
        region.close()
      }
      child.dismiss()
      await settle()
    } hand: { region, count in
      let owner = HandOwner()
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      owner.task { for await _ in stream { latch.arrive() } }
      await settle()
      region.open()
      for _ in 0..<count {
        continuation.yield(1)
        await latch.wait(for: 1)
      }
      region.close()
      continuation.finish()
      await settle()
    },
    Case(
      name: "output, 50 buffered, from a stream", unit: "output",
      twin: "AsyncStream and a reading task", bar: .nanoseconds(80), count: 20_000
    ) { region, count in
      let child = scope.start { Leaf(scope: $0) }
      scope.task { for try await _ in child.outputs { latch.arrive() } }
      await settle()
      if let leaf = child.flow {
        region.open()
        for _ in 0..<count / 50 {
          for _ in 0..<50 { leaf.scope.emit(1) }
          await latch.wait(for: 50)
        }
        region.close()
      }
      child.dismiss()
      await settle()
    } hand: { region, count in
      let owner = HandOwner()
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      owner.task { for await _ in stream { latch.arrive() } }
      await settle()
      region.open()
      for _ in 0..<count / 50 {
        for _ in 0..<50 { continuation.yield(1) }
        await latch.wait(for: 50)
      }
      region.close()
      continuation.finish()
      await settle()
    },
    Case(
      name: "output, by an awaited ending", unit: "child",
      twin: "a checked continuation, and a table of children", bar: .ratio(1.1), count: 2000
    ) { region, count in
      var sum = 0
      var children: [Child<Leaf>] = []
      for _ in 0..<count {
        let child = scope.start { Leaf(scope: $0) }
        children.append(child)
        scope.task {
          sum += await child.ending.output ?? 0
          latch.arrive()
        }
      }
      await settle()
      region.open()
      for child in children { child.flow?.scope.finish(1) }
      await latch.wait(for: count)
      region.close()
      precondition(sum == count)
    } hand: { region, count in
      let owner = HandOwner()
      let parent = HandParent()
      var sum = 0
      var children: [Int] = []
      for _ in 0..<count {
        let (id, child) = parent.attach()
        children.append(id)
        owner.task {
          sum += await child.ending()
          latch.arrive()
        }
      }
      await settle()
      region.open()
      for id in children { parent.finish(id, 1) }
      await latch.wait(for: count)
      region.close()
      precondition(sum == count)
    },
    Case(
      name: "refused late call", unit: "call", twin: "a callback that has been taken away",
      bar: .nanoseconds(10), count: 200_000
    ) { region, count in
      let before = bench.runtime.refusals[.emitAfterEnd] ?? 0
      let first = scope.start { Leaf(scope: $0) }
      let second = scope.start { Leaf(scope: $0) }
      guard let old = first.flow?.scope, let older = second.flow?.scope else { return }
      first.dismiss()
      second.dismiss()
      region.open()
      for _ in 0..<count / 2 {
        old.emit(1)
        older.emit(1)
      }
      region.close()
      precondition((bench.runtime.refusals[.emitAfterEnd] ?? 0) - before == count)
    } hand: { region, count in
      let parent = HandParent()
      let old = [parent.attach(), parent.attach()]
      for (id, _) in old { parent.dismiss(id) }
      region.open()
      for number in 0..<count { old[number & 1].1.emit(number) }
      region.close()
      precondition(parent.sum == 0)
    },
  ]
}
