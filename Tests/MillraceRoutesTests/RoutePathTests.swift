import Foundation
import MillraceRoutes
import RuleScenarios
import Testing

private enum Shelf: Route { case home, book(Int) }

@Suite struct RoutePathTests {
  // Fault: a saved path comes back as another.
  @Test func path_comesBackAsItWasSaved() throws {
    var path = RoutePath<Shelf>([.home])
    path.push(.book(7))
    path.push(.book(8))
    #expect(path.pop() == .book(8))
    let read = try JSONDecoder().decode(RoutePath<Shelf>.self, from: JSONEncoder().encode(path))
    #expect(read == path)
    #expect(read.routes == [.home, .book(7)])
    #expect(!read.isCut)
  }

  // Fault: a route of a newer version stops the app at every launch.
  @Test func unknownRoute_cutsThePath() throws {
    let saved = Data(#"[{"home":{}},{"coupon":{"v":3}},{"book":{"_0":9}}]"#.utf8)
    let read = try JSONDecoder().decode(RoutePath<Shelf>.self, from: saved)
    #expect(read.routes == [.home])
    #expect(read.isCut)
    let anew = try JSONDecoder().decode(RoutePath<Shelf>.self, from: JSONEncoder().encode(read))
    #expect(anew.routes == [.home])
    #expect(!anew.isCut)
  }

  // Fault: bytes from outside trap. Every prefix of a path is read or refused.
  @Test func damagedPath_isRefused() throws {
    let whole = try JSONEncoder().encode(RoutePath<Shelf>([.home, .book(7)]))
    for length in 0..<whole.count {
      #expect(throws: (any Error).self) {
        try JSONDecoder().decode(RoutePath<Shelf>.self, from: whole.prefix(length))
      }
    }
  }
}
