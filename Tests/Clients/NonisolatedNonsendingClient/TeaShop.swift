// An app in which an async function runs on its caller's actor unless it says otherwise: so the
// shop's answer is made where it is asked for.

struct Tea: Sendable, Equatable, Identifiable {
  let id: Int
  let name: String
}

struct SoldOut: Error, Equatable {
  let tea: Tea.ID
}

protocol TeaShop: Sendable {
  func price(of tea: Tea.ID) async throws -> Int
}

struct FixedPrices: TeaShop {
  let prices: [Tea.ID: Int]

  init(_ prices: [Tea.ID: Int]) { self.prices = prices }

  func price(of tea: Tea.ID) async throws -> Int {
    guard let price = prices[tea] else { throw SoldOut(tea: tea) }
    return price
  }
}

// One that always leaves its caller's actor.
struct ElsewherePrices: TeaShop {
  let prices: FixedPrices

  @concurrent
  func price(of tea: Tea.ID) async throws -> Int { try await prices.price(of: tea) }
}
