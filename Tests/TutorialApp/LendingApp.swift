import Millrace

/// The app: a runtime, and a window whose root follows the session.
@MainActor final class LendingApp {
  let runtime: FlowRuntime
  let window: FlowWindow

  init(
    library: any Library, desk: LoanDesk, host: any Host,
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    runtime = FlowRuntime(clock: clock, writes: WriteOptions(service: desk))
    window = runtime.openWindow(host: host) { state in
      state.session == nil
        ? Root { Welcome(scope: $0) } : Root { Home(scope: $0, library: library) }
    }
  }
}

@MainActor final class Welcome: Flow {
  let scope: FlowScope<Never>
  init(scope: FlowScope<Never>) { self.scope = scope }
}

@MainActor final class Home: Flow {
  let scope: FlowScope<Never>
  let lending = Slot<LendingFlow>()
  private let library: any Library
  private(set) var lent: [Int] = []

  init(scope: FlowScope<Never>, library: any Library) {
    (self.scope, self.library) = (scope, library)
  }

  func lend() {
    scope.start(in: lending, as: .push) {
      LendingFlow(scope: $0, library: library)
    } onOutput: { [self] output in
      if case .lent(let book) = output { lent.append(book) }
    }
  }
}
