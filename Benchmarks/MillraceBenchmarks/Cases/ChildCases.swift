// Children that come and go, with and without a word, in a slot and on display.

import Millrace

@MainActor
func childCases(_ bench: Bench) -> [Case] {
  let scope = bench.scope
  return [
    Case(
      name: "child, attach and dismiss", unit: "child",
      twin: "a callback with an identity guard, a table of children", bar: .ratio(2.0),
      count: 20_000
    ) { region, count in
      var sum = 0
      region.open()
      for _ in 0..<count {
        scope.start {
          Leaf(scope: $0)
        } onOutput: {
          sum += $0
        }.dismiss()
      }
      region.close()
    } hand: { region, count in
      let parent = HandParent()
      region.open()
      for _ in 0..<count { parent.dismiss(parent.attach().0) }
      region.close()
    },
    Case(
      name: "child, attach, one output and dismiss", unit: "child",
      twin: "a callback with an identity guard, a table of children", bar: .ratio(2.0),
      count: 20_000
    ) { region, count in
      var sum = 0
      region.open()
      for _ in 0..<count {
        let child = scope.start {
          Leaf(scope: $0)
        } onOutput: {
          sum += $0
        }
        child.flow?.scope.emit(1)
        child.dismiss()
      }
      region.close()
      precondition(sum == count)
    } hand: { region, count in
      let parent = HandParent()
      region.open()
      for _ in 0..<count {
        let (id, child) = parent.attach()
        child.emit(1)
        parent.dismiss(id)
      }
      region.close()
      precondition(parent.sum == count)
    },
    Case(
      name: "child, replaced in a slot", unit: "child",
      twin: "a callback with an identity guard, a table of children", bar: .ratio(2.0),
      count: 20_000
    ) { region, count in
      let slot = Slot<Leaf>()
      var sum = 0
      region.open()
      for _ in 0..<count {
        scope.start(in: slot) {
          Leaf(scope: $0)
        } onOutput: {
          sum += $0
        }
      }
      slot.child?.dismiss()
      region.close()
    } hand: { region, count in
      let parent = HandParent()
      var current = 0
      region.open()
      for _ in 0..<count {
        parent.dismiss(current)
        current = parent.attach().0
      }
      parent.dismiss(current)
      region.close()
    },
  ]
}
