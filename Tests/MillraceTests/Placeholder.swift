import Testing
import Millrace
import MillraceTesting

@MainActor final class Leaf: Flow {
  enum Output: Sendable, Equatable { case value(Int), done }
  let scope: FlowScope<Output>
  var log: (String) -> Void = { _ in }
  init(scope: FlowScope<Output>) { self.scope = scope }
  func willEnd(_ ending: Ending<Output>) { log("willEnd \(ending.kind)") }
}
@MainActor @Test func smoke() async throws {
  weak var weakFlow: Leaf?
  do {
    let probe = FlowProbe { Leaf(scope: $0) }
    weakFlow = probe.flow
    probe.flow.scope.emit(.value(1))
    probe.flow.scope.emit(.value(2))
    #expect(probe.outputs == [.value(1), .value(2)])
    print(probe.runtime.tree)
    let leaf = probe.flow
    let op = leaf.scope.perform("x") { 3 } then: { r in leaf.scope.emit(.value((try? r.get()) ?? -1)) }
    print(probe.runtime.tree)
    try await probe.runtime.drained(limit: .seconds(1))
    #expect(op.outcome?.value == 3)
    #expect(probe.outputs.last == .value(3))
    leaf.scope.task { let v = try await leaf.scope.value("v") { 9 }; leaf.scope.emit(.value(v)) }
    try await probe.runtime.drained(limit: .seconds(1))
    #expect(probe.outputs.last == .value(9))
    leaf.scope.finish(.done)
    #expect(probe.ending?.kind == .finished)
    leaf.scope.emit(.value(4))
    #expect(probe.runtime.refusals == [.emitAfterEnd: 1])
    #expect(probe.runtime.counts.flows == 0)
  }
  #expect(weakFlow == nil)
}
