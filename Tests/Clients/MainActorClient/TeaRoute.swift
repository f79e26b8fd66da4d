import MillraceRoutes

/// The places of the tea shop.
public enum TeaRoute: Route {
  case shop
  case tea(String)

  /// Where an order of this tea is placed.
  public static func order(of tea: String) -> RoutePath<TeaRoute> {
    RoutePath([.shop, .tea(tea)])
  }
}
