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

/// A shelf with an odd number has no pages, and one from 100 tells of that when it is there.
@MainActor private final class Room: RoutedFlow {
  let scope: FlowScope<Never>
  let route: Shelf
  init(scope: FlowScope<Never>, _ route: Shelf) { (self.scope, self.route) = (scope, route) }

  func canShow(_ way: [Shelf]) -> Bool {
    way.allSatisfy {
      if case .page(let number) = $0 { number.isMultiple(of: 2) || number >= 100 } else { true }
    }
  }

  func showing(_ route: Shelf) -> ShowRoute? {
    if case .page(let number) = route, !number.isMultiple(of: 2) { return nil }
    return { [self] in scope.start(as: .push) { Room(scope: $0, route) }.id }
  }
}

@MainActor @Suite struct LongWayCases {
  // Fault: only the first of two new places was asked for. The modal in the way was gone when the
  // second could not be shown, and the link was rejected all the same.
  @Test(arguments: [7, 8, 101]) func wayThatEndsHalfway_changesNothing(_ number: Int) async throws {
    try await Lab.run { lab in
      let host = RecordingHost()
      let runtime = FlowRuntime(clock: lab.clock)
      let window = runtime.openWindow(host: host) { _ in Root { Room(scope: $0, .home) } }
      let router = LinkRouter<Shelf>(runtime, links: Shelf.links) { _, _ in .allowed }
      router.add(window)
      runtime.signIn(Account("A"))
      await lab.settle()
      let home = try #require(window.rootFlow as? Room)
      let form = home.scope.start(as: .sheet) { Room(scope: $0, .shelf(0)) }
      await lab.settle()
      let before = window.navigation
      let delivery = router.deliver("deep://pages/\(number)")
      await lab.settle()
      switch number {
      case 8: #expect(delivery.verdict == .routed && form.flow == nil)
      case 101:
        // The one case in which something is changed: the verdict says so.
        #expect(delivery.verdict == .rejected(.notShown("page(101)")))
        #expect(form.flow == nil && window.navigation.flows == [home.scope.id])
      default:
        #expect(delivery.verdict == .rejected(.unreachable("page(7)")))
        #expect(window.navigation == before && form.flow != nil)
      }
    }
  }
}
