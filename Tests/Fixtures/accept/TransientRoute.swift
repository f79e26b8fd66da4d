// What cannot be saved compiles where it is declared so.

import MillraceRoutes

final class Pixels: Hashable, Sendable {
  static func == (a: Pixels, b: Pixels) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

enum Place: Route {
  case home
  case photo(Transient<Pixels>)
}
