// The flows of the places in Places.swift, and screens that are no places: splash, sign-in, lock,
// forms.

import Millrace
import MillraceRoutes

/// A flow for any place. It notes when it is made, for whom.
@MainActor
final class PlaceFlow: RoutedFlow {
  typealias Output = String
  let scope: FlowScope<String>
  let route: Place
  private let made: @MainActor (Place, Session?) -> Void
  private var tabs: [Place: Child<PlaceFlow>] = [:]

  init(
    _ scope: FlowScope<String>, _ route: Place, made: @escaping @MainActor (Place, Session?) -> Void
  ) {
    self.scope = scope
    self.route = route
    self.made = made
  }

  func start() {
    made(route, scope.session)
    guard route == .home else { return }
    for tab in [Place.orders, .chats] { tabs[tab] = open(tab) }
  }

  func canShow(_ route: Place) -> Bool { route != .order(404) }

  func show(_ route: Place) -> FlowID? {
    if let tab = tabs[route] { return tab.id }
    guard route.parent == self.route || route.isAnywhere else { return nil }
    return open(route).id
  }

  @discardableResult
  func open(_ route: Place) -> Child<PlaceFlow> {
    scope.start(as: route.presentation) { PlaceFlow($0, route, made: made) }
  }

  /// Puts a screen over the window that is no place.
  @discardableResult
  func openModal(isProtected: Bool = false, asks: Bool = false) -> Child<ModalFlow> {
    scope.start(as: .sheet) { ModalFlow($0, isProtected ? .keep : asks ? .ask : .letGo) }
  }
}

extension Place {
  /// How its flow is shown.
  var presentation: Presentation {
    switch self {
    case .home, .help: .root
    case .orders, .chats: .tab
    case .order, .chat, .search, .payment: .push
    case .checkout, .photo: .sheet
    }
  }

  /// True for a place that every other leads to.
  var isAnywhere: Bool { if case .search = self { true } else { false } }
}

/// A form over the window, with a guard.
@MainActor
final class ModalFlow: Flow {
  let scope: FlowScope<String>
  var verdict: DismissalVerdict
  private(set) var question: DismissalQuestion?
  private(set) var timesAsked = 0

  init(_ scope: FlowScope<String>, _ verdict: DismissalVerdict) {
    self.scope = scope
    self.verdict = verdict
  }

  func start() {
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
final class PlainFlow: Flow {
  let scope: FlowScope<Never>
  let name: String

  init(_ scope: FlowScope<Never>, _ name: String) {
    self.scope = scope
    self.name = name
  }
}
