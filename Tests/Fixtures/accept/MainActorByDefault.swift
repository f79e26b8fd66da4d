// A client whose module is isolated to the main actor unless it says otherwise.
// flags: -default-isolation MainActor

import Millrace

nonisolated protocol Clock24: Sendable {
  func hour() async throws -> Int
}

final class HourPicker: Flow {
  nonisolated enum Output: Sendable, Equatable { case picked(Int) }
  let scope: FlowScope<Output>
  let clock: any Clock24
  var hour = 0

  init(scope: FlowScope<Output>, clock: any Clock24) {
    self.scope = scope
    self.clock = clock
  }

  func start() {
    scope.perform("hour") { [clock] in
      try await clock.hour()
    } then: { [self] result in
      if case .success(let now) = result { hour = now }
    }
  }

  func confirm() { scope.finish(.picked(hour)) }
}
