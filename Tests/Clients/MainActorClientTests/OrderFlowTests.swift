// The package in a client that is isolated to the main actor by default: that it compiles is half
// of the test.

import Millrace
import MillraceTesting
import Testing

@testable import MainActorClient

private let teas = [Tea(id: 1, name: "Assam"), Tea(id: 2, name: "Sencha")]

struct OrderFlowTests {
  private func probe() -> FlowProbe<OrderFlow> {
    FlowProbe { OrderFlow(scope: $0, teas: teas, shop: FixedPrices([1: 4])) }
  }

  // An output whose conformance is isolated cannot be passed to a generic function that is not.
  @Test func aPickerAloneTellsWhatWasPicked() {
    let probe = FlowProbe { TeaPicker(scope: $0, teas: teas) }
    probe.flow.select(2)
    probe.flow.confirm()
    #expect(probe.outputs == [.picked(2)])
    #expect(probe.ending?.output == .picked(2))
  }

  @Test func aPickGivesAnOrder() async throws {
    let probe = probe()
    let picker = try #require(probe.flow.picker?.flow)
    picker.select(1)
    picker.confirm()
    try await probe.runtime.drained(limit: .seconds(3600))
    #expect(probe.outputs == [.ordered(1, price: 4)])
  }

  @Test func aFailureOfTheShopIsHeard() async throws {
    let probe = probe()
    let picker = try #require(probe.flow.picker?.flow)
    picker.select(2)
    picker.confirm()
    try await probe.runtime.drained(limit: .seconds(3600))
    #expect(probe.outputs == [.soldOut(2)])
  }

  // A picker that is gone still tells.
  @Test func aPickerThatWasDismissedTellsNothing() throws {
    let probe = probe()
    let child = try #require(probe.flow.picker)
    let picker = try #require(child.flow)
    picker.select(1)
    child.dismiss()
    #expect(probe.outputs == [.abandoned])
    picker.confirm()
    #expect(probe.outputs == [.abandoned])
    #expect(probe.runtime.counts.flows == 0)
    #expect(!probe.runtime.refusals.isEmpty)
  }
}
