import Foundation
import MillraceRoutes
import Testing

import MainActorClient

// Fault: routes of a client with this default cannot be passed to the library's generic code.
@Test func routes_areSavedAndRead() throws {
  let path = TeaRoute.order(of: "Assam")
  let saved = try JSONEncoder().encode(path)
  #expect(try JSONDecoder().decode(RoutePath<TeaRoute>.self, from: saved) == path)
}
