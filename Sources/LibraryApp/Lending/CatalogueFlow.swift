// The first tab: all books, and the ways to take them home.

import Millrace
import Observation

/// Shows the catalogue; starts lending and checkout.
@MainActor @Observable
package final class CatalogueFlow: Flow {
  package enum Output: Sendable, Equatable { case lent([Receipt]), shelvesChanged }

  @ObservationIgnored package let scope: FlowScope<Output>
  @ObservationIgnored private let library: any LendingLibrary
  @ObservationIgnored private let keys: RequestKeys
  /// A new lending takes the place of the one that is open.
  @ObservationIgnored package let lending = Slot<LendingFlow>()
  @ObservationIgnored package let checkout = Slot<CheckoutFlow>(.keep)
  /// One page at a time; a second tap on the same book finds it open.
  @ObservationIgnored package let page = Slot<BookPage>()

  package private(set) var books = Loadable<Catalogue>.idle

  package init(scope: FlowScope<Output>, library: any LendingLibrary, keys: RequestKeys) {
    self.scope = scope
    self.library = library
    self.keys = keys
  }

  /// Loads the books, or loads them again.
  package func load() {
    scope.load("catalogue", into: \.books, of: self) { [library] in
      try await library.catalogue()
    }
  }

  /// Shows books that were loaded elsewhere, unless there are some.
  package func take(_ books: Catalogue) {
    if scope.isCurrent, self.books.value == nil { self.books = .loaded(books) }
  }

  /// Opens the page of a book; does nothing for one that is not in the catalogue.
  package func open(_ id: Book.ID) { _ = opening(id)?() }

  /// What opens the page of a book; nil for one that is not in the catalogue.
  func opening(_ id: Book.ID, interactively: Bool = false) -> (@MainActor () -> FlowID)? {
    guard let all = books.value, let place = all.books.firstIndex(where: { $0.id == id })
    else { return nil }
    let next = all.books.dropFirst(place + 1).first?.id
    return { [self] in
      scope.start(in: page, id: id, as: .push, interactively: interactively) { [library] in
        BookPage(scope: $0, library: library, book: all.books[place], next: next)
      } onOutput: { [self] output in
        if case .leaf(let id) = output { _ = opening(id, interactively: true)?() }
      }.id
    }
  }

  /// Begins to lend one book; does nothing before the books are there.
  package func lend() { _ = lendingForm(nil)?() }

  /// What shows the form with this intent, unless it is there already, or one with a new intent; nil
  /// before the books are there.
  func lendingForm(_ intent: Intent?) -> (@MainActor () -> FlowID)? {
    guard let books = books.value else { return nil }
    return { [self] in
      if let intent, let open = lending.child, open.flow?.intent == intent { return open.id }
      return scope.start(in: lending, as: .push) { [library, keys] in
        LendingFlow(scope: $0, library: library, books: books, keys: keys, intent: intent)
      } onOutput: { [self] output in
        if case .lent(let receipt) = output { tellLent([receipt]) }
      }.id
    }
  }

  /// Begins to collect books, or goes on with the basket that is there.
  package func checkOut() { _ = basketForm(nil)?() }

  /// What shows the basket with this intent, or one with a new intent, unless there is one already; nil
  /// before the books are there.
  func basketForm(_ intent: Intent?) -> (@MainActor () -> FlowID)? {
    guard let books = books.value else { return nil }
    return { [self] in
      scope.start(in: checkout, as: .cover) { [keys] in
        CheckoutFlow(scope: $0, books: books, keys: keys, intent: intent)
      } onOutput: { [self] output in
        if case .placed(let receipts) = output { tellLent(receipts) }
      }.id
    }
  }

  private func tellLent(_ receipts: [Receipt]) {
    scope.emit(.lent(receipts))
    scope.emit(.shelvesChanged)
  }
}
