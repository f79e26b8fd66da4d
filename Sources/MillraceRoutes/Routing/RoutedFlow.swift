// What links and restoration ask of flows: which place a flow is, and how it shows one that is below it.

import Millrace

/// Shows a place: starts its flow, or finds it where it is there already, as a tab is. Gives the flow,
/// on display in this window and with this route.
public typealias ShowRoute = @MainActor () -> FlowID

/// A flow with a place of its own.
///
/// It makes the flows of the places below it, as a tap would, through its own scope:
///
/// ```swift
/// extension CatalogueFlow: RoutedFlow {
///   var route: LibraryRoute { .catalogue }
///   func showing(_ route: LibraryRoute) -> ShowRoute? {
///     guard case .book(let id) = route else { return nil }
///     return { [self] in
///       scope.start(in: book, id: id, as: .push) { BookFlow(scope: $0, book: id) }.id
///     }
///   }
/// }
/// ```
///
/// A flow that names no place is passed over: a link dismisses it like any other, and it is not
/// restored.
@MainActor
public protocol RoutedFlow<Place>: Flow {
  /// The places of the app.
  associatedtype Place: Route

  /// The place that this flow is.
  var route: Place { get }

  /// How this flow shows a place below it, as things are now. Asked before anything is changed, and
  /// answered without changing anything; the answer is used in the same turn, once or not at all.
  ///
  /// - Returns: nil if the place is not below this one, or cannot be shown now. By default nil.
  func showing(_ route: Place) -> ShowRoute?

  /// Whether this way can be shown now, the first place by this flow, each other by the one before
  /// it. Those are not there yet and cannot be asked: each is asked when its turn has come, and one that
  /// does not show the next then is `LinkRejection.notShown`. A flow below which ways of several places
  /// begin, and not each of them leads on, prevents that here. Asked like `showing`, by default true.
  func canShow(_ way: [Place]) -> Bool
}

extension RoutedFlow {
  /// Nil: nothing is below this place.
  public func showing(_ route: Place) -> ShowRoute? { nil }
  /// True.
  public func canShow(_ way: [Place]) -> Bool { true }

  var flowID: FlowID { scope.id }
}
