// The flows of the places in LinkPlaces.swift, and screens that are no places: splash, sign-in, lock,
// forms.

import Millrace
import MillraceRoutes

/// A flow for any place. It notes when it is made, for whom.
@MainActor
package final class PlaceFlow: RoutedFlow {
  package typealias Output = String
  package let scope: FlowScope<String>
  package let route: Place
  private let made: @MainActor (Place, Session?) -> Void
  private var tabs: [Place: Child<PlaceFlow>] = [:]

  package init(
    _ scope: FlowScope<String>, _ route: Place, made: @escaping @MainActor (Place, Session?) -> Void
  ) {
    self.scope = scope
    self.route = route
    self.made = made
  }

  package func start() {
    made(route, scope.session)
    guard route == .home else { return }
    for tab in [Place.orders, .chats] { tabs[tab] = open(tab) }
  }

  package func showing(_ route: Place) -> ShowRoute? {
    if let tab = tabs[route] { return { tab.id } }
    guard route != .order(404), route.parent == self.route || route.isAnywhere else { return nil }
    return { [self] in open(route).id }
  }

  @discardableResult
  package func open(_ route: Place) -> Child<PlaceFlow> {
    scope.start(as: route.presentation) { PlaceFlow($0, route, made: made) }
  }

  /// Puts a screen over the window that is no place.
  @discardableResult
  package func openModal(isProtected: Bool = false, asks: Bool = false) -> Child<ModalFlow> {
    scope.start(as: .sheet) { ModalFlow($0, isProtected ? .keep : asks ? .ask : .letGo) }
  }
}

extension Place {
  /// How its flow is shown.
  package var presentation: Presentation {
    switch self {
    case .home, .help: .root
    case .orders, .chats: .tab
    case .order, .chat, .search, .payment: .push
    case .checkout, .photo: .sheet
    }
  }

  /// True for a place that every other leads to.
  package var isAnywhere: Bool { if case .search = self { true } else { false } }
}

/// A form over the window, with a guard.
@MainActor
package final class ModalFlow: Flow {
  package let scope: FlowScope<String>
  package var verdict: DismissalVerdict
  package private(set) var question: DismissalQuestion?
  package private(set) var timesAsked = 0

  package init(_ scope: FlowScope<String>, _ verdict: DismissalVerdict) {
    self.scope = scope
    self.verdict = verdict
  }

  package func start() {
    scope.guardDismissal(
      { [self] in verdict },
      ask: { [self] in
        timesAsked += 1
        question = $0
      })
  }
}

/// Splash, sign-in or lock.
@MainActor
package final class PlainFlow: Flow {
  package let scope: FlowScope<Never>
  package let name: String

  package init(_ scope: FlowScope<Never>, _ name: String) {
    self.scope = scope
    self.name = name
  }
}
