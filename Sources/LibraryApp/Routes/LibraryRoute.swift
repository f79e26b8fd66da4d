// The places of the app, and the links to them.

import Millrace
import MillraceRoutes

/// A place in the app.
package enum LibraryRoute: Route {
  case home, catalogue, readingList, account
  case book(id: Book.ID)
  /// A form for a loan. No link leads there; a restored one goes on with the same intent.
  case lending(intent: Intent)
  /// A basket, in the same way: what is in it is chosen anew.
  case checkout(intent: Intent)

  package var parent: LibraryRoute? {
    switch self {
    case .home: nil
    case .catalogue, .readingList, .account: .home
    case .book, .lending, .checkout: .catalogue
    }
  }

  /// Every link of the app: `millrace://books/11`, `https://library.example/books/11`.
  package static let links = LinkTable<LibraryRoute>(
    schemes: ["millrace"], hosts: ["library.example"],
    [
      LinkPattern("/", .home),
      LinkPattern("/books", .catalogue),
      LinkPattern("/books/:id", .value("id", as: Int.self)) {
        $0 > 0 ? .book(id: Book.ID($0)) : nil
      } values: {
        if case .book(let id) = $0 { id.number } else { nil }
      },
      LinkPattern("/reading-list", .readingList),
      LinkPattern("/account", .account),
    ])
}

extension LibraryRoute: CustomStringConvertible {
  package var description: String {
    switch self {
    case .home: "home"
    case .catalogue: "catalogue"
    case .readingList: "reading list"
    case .account: "account"
    case .book(let id): "book \(id)"
    case .lending: "lending"
    case .checkout: "checkout"
    }
  }
}
