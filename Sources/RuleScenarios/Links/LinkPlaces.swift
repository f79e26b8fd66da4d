// The places of the scenarios of links: a small app with tabs, a list, orders, a checkout and a draft.

import Millrace
import MillraceRoutes

package enum Format: String, LinkValue, CaseIterable, Codable { case paper, audio }

package enum Place: Route {
  case home
  case orders
  case order(Int)
  case chats
  case chat(String)
  case search(String, Format?)
  case checkout(Intent)
  case payment(Int)
  case photo(Transient<String>)
  case help

  package var parent: Place? {
    switch self {
    case .home, .help: nil
    case .orders, .chats, .search, .checkout: .home
    case .order: .orders
    case .chat: .chats
    case .payment: .orders
    case .photo: .home
    }
  }

  package var needs: RouteNeeds { self == .help ? [] : .standard }

  package var isTransient: Bool { if case .payment = self { true } else { false } }

  package static let links = LinkTable<Place>(
    schemes: ["tea"], hosts: ["tea.example"],
    [
      LinkPattern("/", .home),
      LinkPattern("/help", .help),
      LinkPattern("/orders", .orders),
      LinkPattern("/orders/:id", .value("id", as: Int.self)) {
        $0 > 0 ? .order($0) : nil
      } values: {
        if case .order(let id) = $0 { id } else { nil }
      },
      LinkPattern("/payments/:id", .value("id", as: Int.self)) {
        .payment($0)
      } values: {
        if case .payment(let id) = $0 { id } else { nil }
      },
      LinkPattern("/chats", .chats),
      LinkPattern("/chats/:name", .value("name", as: String.self)) {
        .chat($0)
      } values: {
        if case .chat(let name) = $0 { name } else { nil }
      },
      LinkPattern(
        "/search?q=:text&format=:format", .value("text", as: String.self),
        .optional("format", as: Format.self)
      ) {
        .search($0, $1)
      } values: {
        if case .search(let text, let format) = $0 { (text, format) } else { nil }
      },
      LinkPattern("/suche/größe/:id", .value("id", as: Int.self)) {
        .order($0)
      } values: { _ in
        nil
      },
    ])
}
