// Sign-out and replacement with everything below: the largest ends that an app has.

import Millrace

@MainActor
func sessionCases() -> [Case] {
  let bench = Bench()
  let latch = Latch()
  return [
    Case(
      name: "sign-out, 10,000 flows with a task", unit: "flow",
      twin: "a table of children and one of tasks in each node", bar: .ratio(1.15), count: 10_000,
      growth: Case.counts(to: 100_000)
    ) { region, count in
      bench.runtime.signIn(Account("anna"))
      fill(bench.scope, count, latch)
      await settle()
      region.open()
      bench.runtime.signOut()
      await latch.wait(for: count)
      region.close()
    } hand: { region, count in
      let session = HandNode()
      fill(session, count, latch)
      await settle()
      region.open()
      session.end()
      await latch.wait(for: count)
      region.close()
    },
    Case(
      name: "sign-out, 10,000 bare flows", unit: "flow",
      twin: "a table of children and one of tasks in each node", bar: .ratio(2.0), count: 10_000,
      growth: Case.counts(to: 100_000)
    ) { region, count in
      bench.runtime.signIn(Account("anna"))
      let scope = bench.scope
      for _ in 0..<count { scope.start { Leaf(scope: $0) } }
      region.open()
      bench.runtime.signOut()
      region.close()
      precondition(bench.runtime.counts.flows == 1)
    } hand: { region, count in
      let session = HandNode()
      for _ in 0..<count { _ = session.start() }
      region.open()
      session.end()
      region.close()
      precondition(session.isEnded)
    },
    Case(
      name: "replace the root, 10,000 flows", unit: "flow",
      twin: "a table of children and one of tasks in each node", bar: .ratio(1.15), count: 10_000
    ) { region, count in
      fill(bench.scope, count, latch)
      await settle()
      region.open()
      bench.window.replaceRoot(Root { Leaf(scope: $0) })
      await latch.wait(for: count)
      region.close()
    } hand: { region, count in
      var root = HandNode()
      fill(root, count, latch)
      await settle()
      region.open()
      let old = root
      root = HandNode()
      old.end()
      await latch.wait(for: count)
      region.close()
      precondition(!root.isEnded)
    },
  ]
}

@MainActor
private func fill(_ scope: FlowScope<Int>, _ count: Int, _ latch: Latch) {
  for _ in 0..<count {
    if let flow = scope.start({ Leaf(scope: $0) }).flow { startWaiting(flow.scope, latch) }
  }
}

@MainActor
private func fill(_ node: HandNode, _ count: Int, _ latch: Latch) {
  for _ in 0..<count { startWaiting(node.start(), latch) }
}
