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

  var needs: RouteNeeds { self == .home ? .session : .standard }

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

/// A shelf with an odd number has no pages. From 100 on it tells of that when it is there, and from 200 on
/// it shows another page. From 300 on it is a tab.
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
    switch route {
    case .page(200...): return { [self] in open(.page(8), as: .push) }
    case .page(let number) where !number.isMultiple(of: 2): return nil
    case .shelf(300...): return { [self] in open(route, as: .tab) }
    default: return { [self] in open(route, as: .push) }
    }
  }

  @discardableResult
  func open(_ route: Shelf, as presentation: Presentation) -> FlowID {
    scope.start(as: presentation) { Room(scope: $0, route) }.id
  }
}

@MainActor @Suite struct LongWayCases {
  private static func open(_ lab: Lab) -> (FlowRuntime, FlowWindow) {
    let runtime = FlowRuntime(clock: lab.clock)
    runtime.signIn(Account("A"))
    let window = runtime.openWindow(host: RecordingHost()) { _ in Root { Room(scope: $0, .home) } }
    return (runtime, window)
  }

  // Fault: only the first of two new places was asked for. The modal in the way was gone when the
  // second could not be shown, and the link was rejected all the same.
  @Test(arguments: [7, 8, 101, 200]) func wayThatEndsHalfway_changesNothing(_ number: Int)
    async throws
  {
    try await Lab.run { lab in
      let (runtime, window) = Self.open(lab)
      let router = LinkRouter<Shelf>(runtime, links: Shelf.links) { _, _ in .allowed }
      router.add(window)
      await lab.settle()
      let home = try #require(window.rootFlow as? Room)
      let form = home.scope.start(as: .sheet) { Room(scope: $0, .shelf(0)) }
      await lab.settle()
      let before = window.navigation
      let delivery = router.deliver("deep://pages/\(number)")
      await lab.settle()
      switch number {
      case 8: #expect(delivery.verdict == .routed && form.flow == nil)
      case 101, 200:
        // The one case in which something is changed: the verdict says so.
        #expect(delivery.verdict == .rejected(.notShown("page(\(number))")))
        #expect(form.flow == nil && window.navigation.flows == [home.scope.id])
      default:
        #expect(delivery.verdict == .rejected(.unreachable("page(7)")))
        #expect(window.navigation == before && form.flow != nil)
      }
    }
  }

  // Fault: a tab that is started for a link stays behind the one that was selected.
  @Test func tabThatIsStartedForALink_isSelected() async throws {
    try await Lab.run { lab in
      let (runtime, window) = Self.open(lab)
      let router = LinkRouter<Shelf>(runtime, links: Shelf.links) { _, _ in .allowed }
      router.add(window)
      let first = (window.rootFlow as? Room)?.open(.shelf(300), as: .tab)
      await lab.settle()
      try lab.require(window.navigation.root?.screens[0].selectedTab == first)
      let link = router.open(.shelf(301))
      await lab.settle()
      let home = window.navigation.root?.screens[0]
      try lab.require(link.verdict == .routed && home?.tabs.count == 2)
      try lab.require(home?.selectedTab == home?.tabs[1].screens.first?.id)
    }
  }

  // Fault: a place that needs no check is checked, or one that needs it is not.
  @Test func placesThatNeedIt_areChecked() async throws {
    try await Lab.run { lab in
      let (runtime, window) = Self.open(lab)
      let asked = Guarded<[Shelf]>([])
      let router = LinkRouter<Shelf>(runtime, links: Shelf.links) { place, _ in
        asked.withLock { $0.append(place) }
        return .allowed
      }
      router.add(window)
      await lab.settle()
      let link = router.open(.page(8))
      await lab.settle()
      try lab.require(link.verdict == .routed)
      try lab.require(asked.withLock { $0 } == [.shelf(8), .page(8)])
    }
  }

  // Fault: another place than the saved one is taken for it.
  @Test func placeThatShowsAnotherOne_cutsTheSavedWay() async throws {
    try await Lab.run { lab in
      let (runtime, window) = Self.open(lab)
      let router = LinkRouter<Shelf>(runtime, links: Shelf.links) { _, _ in .allowed }
      await lab.settle()
      var reports: [PlaceReport] = []
      router.restore(
        SavedPlace(
          account: Account("A"),
          stack: [.init(.home), .init(.shelf(200)), .init(.page(200)), .init(.page(8))]),
        in: window
      ) { reports.append($0) }
      await lab.settle()
      try lab.require(reports == [.notShown("page(200)"), .restored], "\(reports)")
    }
  }
}
