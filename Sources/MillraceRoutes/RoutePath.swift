// A way through the app, as it is saved. Keeps the first half of R35: what cannot be read cuts the
// path, and nothing read from outside can trap.

/// Routes from the root to the place on top.
///
/// It is coded as an array of routes. When one of them cannot be decoded (it is of a newer version,
/// or damaged) the path ends before it, and `isCut` says so: write it anew.
public struct RoutePath<R: Route>: Hashable, Sendable {
  /// The routes, the root first.
  public private(set) var routes: [R]
  /// True if routes were left out in decoding.
  public private(set) var isCut = false

  /// Makes a path.
  public init(_ routes: [R] = []) { self.routes = routes }

  /// Goes on to a place.
  public mutating func push(_ route: R) { routes.append(route) }

  /// Goes back by one, and returns the place that was left; nil at the empty path.
  @discardableResult
  public mutating func pop() -> R? { routes.popLast() }
}

extension RoutePath: Codable {
  /// Reads as many routes as can be read.
  ///
  /// - Throws: the decoder's error if it is not an array.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    routes = []
    while !container.isAtEnd {
      guard let route = try? container.decode(R.self) else {
        isCut = true
        return
      }
      routes.append(route)
    }
  }

  /// Writes the routes as an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for route in routes { try container.encode(route) }
  }
}
