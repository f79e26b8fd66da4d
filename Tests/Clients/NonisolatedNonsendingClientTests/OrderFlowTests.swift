// The package in a client whose async functions stay on their caller's actor by default: that it
// compiles is half of the test; that the main actor is not lost after an await is the other.

import Millrace
import MillraceTesting
import Testing

@testable import NonisolatedNonsendingClient

private let teas = [Tea(id: 1, name: "Assam"), Tea(id: 2, name: "Sencha")]
private let prices = FixedPrices([1: 4])
private let shops: [any TeaShop] = [prices, ElsewherePrices(prices: prices)]

@MainActor
struct OrderFlowTests {
  private func probe(_ shop: any TeaShop) -> FlowProbe<OrderFlow> {
    FlowProbe { OrderFlow(scope: $0, teas: teas, shop: shop) }
  }

  @Test func aPickerAloneTellsWhatWasPicked() {
    let probe = FlowProbe { TeaPicker(scope: $0, teas: teas) }
    probe.flow.select(2)
    probe.flow.confirm()
    #expect(probe.outputs == [.picked(2)])
    #expect(probe.ending?.output == .picked(2))
  }

  @Test(arguments: shops)
  func aPickGivesAnOrder(shop: any TeaShop) async throws {
    let probe = probe(shop)
    let picker = try #require(probe.flow.picker?.flow)
    picker.select(1)
    picker.confirm()
    try await probe.runtime.drained(limit: .seconds(3600))
    #expect(probe.outputs == [.ordered(1, price: 4)])
  }

  @Test(arguments: shops)
  func aFailureOfTheShopIsHeard(shop: any TeaShop) async throws {
    let probe = probe(shop)
    let picker = try #require(probe.flow.picker?.flow)
    picker.select(2)
    picker.confirm()
    try await probe.runtime.drained(limit: .seconds(3600))
    #expect(probe.outputs == [.soldOut(2)])
  }

  // A picker that is gone still tells.
  @Test func aPickerThatWasDismissedTellsNothing() async throws {
    let probe = probe(prices)
    let child = try #require(probe.flow.picker)
    let picker = try #require(child.flow)
    picker.select(1)
    child.dismiss()
    picker.confirm()
    try await probe.runtime.drained(limit: .seconds(3600))
    #expect(probe.outputs == [.abandoned])
    #expect(probe.runtime.counts.flows == 0)
    #expect(!probe.runtime.refusals.isEmpty)
  }
}
