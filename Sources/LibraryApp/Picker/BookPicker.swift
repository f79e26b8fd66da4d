// Choosing one book. The picker knows nothing of what it is for: three flows start it, and each
// goes on in its own way.

import Millrace
import Observation

/// Shows books and tells which one was picked.
@MainActor @Observable
package final class BookPicker: Flow {
  package enum Output: Sendable, Equatable { case picked(Book.ID), cancelled }

  @ObservationIgnored package let scope: FlowScope<Output>
  @ObservationIgnored private let staysOpen: Bool
  /// What there is to choose from. A catalogue holds no number twice: see ``Catalogue/init(_:)``.
  package let books: Catalogue
  package private(set) var selection: Book.ID?

  /// Makes a picker.
  ///
  /// - Parameters:
  ///   - scope: what it acts through.
  ///   - books: what there is to choose from.
  ///   - staysOpen: false ends the picker with its first pick; true leaves that to an owner who may
  ///     turn a pick down.
  package init(scope: FlowScope<Output>, books: Catalogue, staysOpen: Bool = false) {
    self.scope = scope
    self.books = books
    self.staysOpen = staysOpen
  }

  package var canConfirm: Bool { scope.isCurrent && selection != nil }

  /// Marks a book. One that is not in the list is not marked.
  package func select(_ id: Book.ID) {
    if scope.isCurrent, books[id] != nil { selection = id }
  }

  /// Tells the owner the selection, if there is one.
  package func confirm() {
    guard let selection else { return }
    if staysOpen { scope.emit(.picked(selection)) } else { scope.finish(.picked(selection)) }
  }

  package func cancel() { scope.finish(.cancelled) }
}
