import Millrace

// The coordinator, as one task that reads from top to bottom.
@MainActor
final class OrderFlow: Flow {
  enum Output: Sendable, Equatable { case ordered(Tea.ID, price: Int), soldOut(Tea.ID), abandoned }

  let scope: FlowScope<Output>
  let teas: [Tea]
  let shop: any TeaShop
  private(set) var picker: Child<TeaPicker>?

  init(scope: FlowScope<Output>, teas: [Tea], shop: any TeaShop) {
    self.scope = scope
    self.teas = teas
    self.shop = shop
  }

  func start() {
    let picker = scope.start(as: .sheet) { TeaPicker(scope: $0, teas: teas) }
    self.picker = picker
    scope.task { [self] in
      guard case .finished(.picked(let tea)) = await picker.ending else {
        return scope.finish(.abandoned)
      }
      MainActor.assertIsolated()
      do {
        let price = try await scope.value("price") { [shop] in try await shop.price(of: tea) }
        MainActor.assertIsolated()
        scope.finish(.ordered(tea, price: price))
      } catch let error as SoldOut {
        MainActor.assertIsolated()
        scope.finish(.soldOut(error.tea))
      }
    }
  }
}
