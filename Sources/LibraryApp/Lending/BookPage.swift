// One book on a page of its own. Leafing puts the next page in its place by the user's gesture:
// until the gesture is completed the old page stays, and the new one has asked the library nothing.

import Millrace
import Observation

/// Shows one book, and whether it can be taken home.
@MainActor @Observable
package final class BookPage: Flow {
  package enum Output: Sendable, Equatable { case leaf(Book.ID) }

  @ObservationIgnored package let scope: FlowScope<Output>
  @ObservationIgnored private let library: any LendingLibrary
  package let book: Book
  /// The number of the next book in the catalogue, if there is one.
  package let next: Book.ID?
  package private(set) var eligibility = Loadable<Eligibility>.idle

  init(scope: FlowScope<Output>, library: any LendingLibrary, book: Book, next: Book.ID?) {
    self.scope = scope
    self.library = library
    self.book = book
    self.next = next
  }

  /// Asks whether the book is there, as long as the page can be seen.
  package func start() {
    scope.load(
      "availability", into: \.eligibility, of: self, lifetime: .appearance
    ) { [library, id = book.id] in
      try await library.eligibility(of: id)
    }
  }

  /// Begins to turn to the next page; does nothing on the last.
  package func leaf() { if let next { scope.emit(.leaf(next)) } }
}
