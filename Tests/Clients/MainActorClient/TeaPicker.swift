import Millrace
import Observation

// The view model. Its output is isolated to the main actor, as all in this module, and so is the
// conformance to Equatable.
@Observable
final class TeaPicker: Flow {
  enum Output: Equatable { case picked(Tea.ID), cancelled }

  @ObservationIgnored let scope: FlowScope<Output>
  let teas: [Tea]
  private(set) var selection: Tea.ID?

  init(scope: FlowScope<Output>, teas: [Tea]) {
    self.scope = scope
    self.teas = teas
  }

  func select(_ id: Tea.ID) {
    if scope.isCurrent, teas.contains(where: { $0.id == id }) { selection = id }
  }

  func confirm() {
    if let selection { scope.finish(.picked(selection)) }
  }

  func cancel() { scope.finish(.cancelled) }
}
