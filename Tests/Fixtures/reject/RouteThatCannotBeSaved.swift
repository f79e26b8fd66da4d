// A route with something in it that cannot be saved would be missing after the next launch without
// a word. It has to be declared transient.

import MillraceRoutes

final class Pixels: Hashable, Sendable {
  static func == (a: Pixels, b: Pixels) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// expect: type 'Place' does not conform to protocol 'Decodable'
enum Place: Route {
  case home
  case photo(Pixels)
}
