// An app whose module is isolated to the main actor by default. It says `nonisolated` only where
// something belongs to no actor: what the shop answers, and the shop itself.

nonisolated struct Tea: Sendable, Equatable, Identifiable {
  let id: Int
  let name: String
}

nonisolated struct SoldOut: Error, Equatable {
  let tea: Tea.ID
}

nonisolated protocol TeaShop: Sendable {
  func price(of tea: Tea.ID) async throws -> Int
}

nonisolated struct FixedPrices: TeaShop {
  let prices: [Tea.ID: Int]

  init(_ prices: [Tea.ID: Int]) { self.prices = prices }

  func price(of tea: Tea.ID) async throws -> Int {
    guard let price = prices[tea] else { throw SoldOut(tea: tea) }
    return price
  }
}
