// Links to places behind places that are not there yet.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import Testing

private enum Shelf: Route {
  case home, shelf(Int), page(Int)

  var parent: Shelf? {
    switch self {
    case .home: nil
    case .shelf: .home
    case .page(let number): .shelf(number)
    }
  }

  static let links = LinkTable(
    schemes: ["deep"],
    [
      LinkPattern("/", Shelf.home),
      LinkPattern("/pages/:number", .value("number", as: Int.self)) {
        .page($0)
      } values: { place in
        if case .page(let number) = place { number } else { nil }
      },
    ])
}

/// A shelf with an odd number has no pages.
@MainActor private final class Room: RoutedFlow {
  let scope: FlowScope<Never>
  let route: Shelf
  init(scope: FlowScope<Never>, _ route: Shelf) { (self.scope, self.route) = (scope, route) }

  func canShow(_ way: [Shelf]) -> Bool {
    way.allSatisfy { if case .page(let number) = $0 { number.isMultiple(of: 2) } else { true } }
  }

  func show(_ route: Shelf) -> FlowID? {
    guard canShow([route]) else { return nil }
    return scope.start(as: .push) { Room(scope: $0, route) }.id
  }
}

@MainActor @Suite struct LongWayCases {
  // Fault: only the first of two new places was asked for. The modal in the way was gone when the
  // second could not be shown, and the link was rejected all the same.
  @Test(arguments: [7, 8]) func wayThatEndsHalfway_changesNothing(_ number: Int) async throws {
    try await Lab.run { lab in
      let host = RecordingHost()
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow(host: host) { _ in Root { Room(scope: $0, .home) } }
      let router = LinkRouter<Shelf>(runtime, links: Shelf.links)
      router.add(window)
      runtime.signIn(Account("A"))
      await lab.settle()
      let home = try #require(window.rootFlow as? Room)
      let form = home.scope.start(as: .sheet) { Room(scope: $0, .shelf(0)) }
      await lab.settle()
      let before = window.navigation
      let delivery = router.deliver("deep://pages/\(number)")
      await lab.settle()
      if number == 8 {
        #expect(delivery.verdict == .routed && form.flow == nil)
      } else {
        #expect(delivery.verdict == .rejected(.unreachable("page(7)")))
        #expect(window.navigation == before && form.flow != nil)
      }
    }
  }
}
