// Places at random, restored through live flows: what is read off the window is what was restored.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

/// Tabs in tabs, three levels deep, with pages and sheets anywhere.
private enum Nest: Route {
  case root
  case tab(level: Int, number: Int)
  case page(Int)
  case sheet(Int)

  var needs: RouteNeeds { [] }

  /// The first tab has tabs again, down to the third level.
  var tabs: [Nest] {
    switch self {
    case .root: [.tab(level: 1, number: 0), .tab(level: 1, number: 1)]
    case .tab(let level, 0) where level < 3:
      [.tab(level: level + 1, number: 0), .tab(level: level + 1, number: 1)]
    default: []
    }
  }
}

@MainActor private final class NestFlow: RoutedFlow {
  let scope: FlowScope<Never>
  let route: Nest
  private var tabs: [Nest: FlowID] = [:]
  init(scope: FlowScope<Never>, _ route: Nest) { (self.scope, self.route) = (scope, route) }

  func start() {
    for tab in route.tabs { tabs[tab] = open(tab, as: .tab) }
  }

  func showing(_ route: Nest) -> ShowRoute? {
    switch route {
    case .root: return nil
    case .tab: if let tab = tabs[route] { return { tab } } else { return nil }
    case .page: return { [self] in open(route, as: .push) }
    case .sheet: return { [self] in open(route, as: .sheet) }
    }
  }

  private func open(_ route: Nest, as presentation: Presentation) -> FlowID {
    scope.start(as: presentation) { NestFlow(scope: $0, route) }.id
  }
}

@MainActor @Suite struct PlaceRoundTripCases {
  private typealias Saved = SavedPlace<Nest>

  private static func node(_ route: Nest, _ numbers: inout SplitMix64) -> Saved.Node {
    let tabs = route.tabs.map { stack($0, &numbers) }
    return Saved.Node(
      route, tabs: tabs,
      selectedTab: tabs.isEmpty ? nil : Int.random(in: 0..<tabs.count, using: &numbers))
  }

  private static func stack(_ first: Nest, _ numbers: inout SplitMix64) -> [Saved.Node] {
    let pages = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
      Saved.Node(.page(Int.random(in: 0...9, using: &numbers)))
    }
    return [node(first, &numbers)] + pages
  }

  private static func place(_ numbers: inout SplitMix64) -> Saved {
    let modals = (0..<Int.random(in: 0...3, using: &numbers)).map { number in
      stack(.sheet(number), &numbers)
    }
    return Saved(
      account: Account("A"), isLocked: Bool.random(using: &numbers),
      stack: stack(.root, &numbers), modals: modals)
  }

  // Fault: a tab within a tab, a page over tabs or a sheet over a sheet comes back elsewhere, in
  // another order, or not at all; or what is restored is not what is saved the next time.
  @Test func place_isTheSameAfterRestoringIt() async throws {
    for number in 0..<max(50, fuzzCount / 100) {
      var numbers = SplitMix64(case: UInt64(number))
      let place = PlaceRoundTripCases.place(&numbers)
      let bytes = try place.bytes()
      let read = try Saved.read(bytes)
      #expect(read.place == place && read.reports == [], "case \(number)")
      try await Lab.run { lab in
        let runtime = FlowRuntime(clock: lab.clock)
        runtime.signIn(Account("A"))
        let host = RecordingHost(.whenTold)
        let window = runtime.openWindow(host: host) { _ in
          Root { NestFlow(scope: $0, .root) }
        }
        let router = LinkRouter<Nest>(runtime, links: LinkTable(schemes: ["nest"], [])) { _, _ in
          .allowed
        }
        await lab.settle()
        host.answerAll()
        await lab.settle()
        var reports: [PlaceReport] = []
        router.restore(read.place, in: window) { reports.append($0) }
        await lab.settle()
        host.answerAll()
        await lab.settle()
        try lab.require(window.isConsistent && host.screens == window.navigation)
        try lab.require(reports == [.restored], "case \(number): \(reports)")
        var shown = try #require(SavedPlace<Nest>(window, account: runtime.session?.account))
        // Whether the app is locked is no part of what a window shows.
        shown.isLocked = place.isLocked
        try lab.require(
          shown == place, "case \(number):\n\(shown)\nis shown, restored was\n\(place)")
        try lab.require(try shown.bytes() == bytes, "case \(number): the bytes differ")
      }
    }
  }
}
