// What links and restoration ask of flows: which place a flow is, and to show one that is below it.

import Millrace

/// A flow with a place of its own.
///
/// It makes the flows of the places below it, as a tap would, through its own scope:
///
/// ```swift
/// extension CatalogueFlow: RoutedFlow {
///   var route: LibraryRoute { .catalogue }
///   func show(_ route: LibraryRoute) -> FlowID? {
///     guard case .book(let id) = route else { return nil }
///     return scope.start(in: book, id: id, as: .push) { BookFlow(scope: $0, book: id) }.id
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

  /// Whether `show` would show this place now. Asked before anything is changed, and answered
  /// without changing anything. By default true.
  func canShow(_ route: Place) -> Bool

  /// Whether all of this way can be shown now, the first place by this flow, each other by the one
  /// before it, which is not there yet and cannot be asked. By default as the first place: a flow below
  /// which ways of several places begin, and not each of them leads on, answers for them here. What
  /// is found out only when a place is shown comes too late: the link is rejected, and what it had
  /// dismissed stays dismissed.
  func canShow(_ way: [Place]) -> Bool

  /// Shows a place below this one: starts its flow, or finds it where it is there already, as a tab
  /// is. Called inside a turn.
  ///
  /// - Returns: the flow, on display in this window and with this route; nil if the place is not
  ///   below this one. Having said that it can, it has to.
  func show(_ route: Place) -> FlowID?
}

extension RoutedFlow {
  /// True.
  public func canShow(_ route: Place) -> Bool { true }
  /// As the first place.
  public func canShow(_ way: [Place]) -> Bool { way.first.map { canShow($0) } ?? true }
  /// Nil: nothing is below this place.
  public func show(_ route: Place) -> FlowID? { nil }

  var flowID: FlowID { scope.id }
}
