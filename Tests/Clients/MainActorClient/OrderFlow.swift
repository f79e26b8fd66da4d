import Millrace

// The coordinator, in callback form.
final class OrderFlow: Flow {
  enum Output: Equatable { case ordered(Tea.ID, price: Int), soldOut(Tea.ID), abandoned }

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
    picker = scope.start(as: .sheet) {
      TeaPicker(scope: $0, teas: teas)
    } onEnding: { [self] ending in
      switch ending.output {
      case .picked(let tea): order(tea)
      case .cancelled, nil: scope.finish(.abandoned)
      }
    }
  }

  private func order(_ tea: Tea.ID) {
    scope.perform("price") { [shop] in
      try await shop.price(of: tea)
    } then: { [self] result in
      switch result {
      case .success(let price): scope.finish(.ordered(tea, price: price))
      case .failure: scope.finish(.soldOut(tea))
      }
    }
  }
}
