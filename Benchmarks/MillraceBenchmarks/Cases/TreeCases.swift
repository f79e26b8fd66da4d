// The end of trees of flows, each with a waiting task: wide, deep and mixed.

import Millrace

/// A shape of a tree: whom the node with this number belongs to; the root is number 0.
struct TreeShape: Sendable {
  let name: String
  let count: Int
  let growth: [Int]
  let parent: @Sendable (_ number: Int) -> Int

  static let wide = TreeShape(
    name: "tree, 10,000 wide", count: 10_000, growth: Case.counts(to: 100_000)
  ) { _ in 0 }
  static let deep = TreeShape(
    name: "tree, 1,000 deep", count: 1000, growth: Case.counts(to: 100_000)
  ) { $0 - 1 }
  static let mixed = TreeShape(
    name: "tree, 10,000 mixed", count: 10_000, growth: Case.counts(to: 100_000)
  ) { ($0 - 1) / 10 }
}

@MainActor
func treeCases(_ bench: Bench) -> [Case] {
  [TreeShape.wide, .deep, .mixed].map { treeCase(bench.scope, $0) }
}

@MainActor
private func treeCase(_ scope: FlowScope<Int>, _ shape: TreeShape) -> Case {
  let latch = Latch()
  return Case(
    name: shape.name, unit: "flow",
    twin: "a table of children and one of tasks in each node, ended from the leaves up",
    bar: .ratio(1.15), count: shape.count, growth: shape.growth
  ) { region, count in
    let top = scope.start { Leaf(scope: $0) }
    var flows = top.flow.map { [$0] } ?? []
    for number in 1..<count {
      let child = flows[shape.parent(number)].scope.start { Leaf(scope: $0) }
      if let flow = child.flow { flows.append(flow) }
    }
    for flow in flows { startWaiting(flow.scope, latch) }
    await settle()
    flows = []
    region.open()
    top.dismiss()
    await latch.wait(for: count)
    region.close()
  } hand: { region, count in
    let top = HandNode()
    var nodes = [top]
    for number in 1..<count { nodes.append(nodes[shape.parent(number)].start()) }
    for node in nodes { startWaiting(node, latch) }
    await settle()
    nodes = []
    region.open()
    top.end()
    await latch.wait(for: count)
    region.close()
  }
}
