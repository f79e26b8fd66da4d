// The second tab: books to be read. It uses the picker with closures, and wants the book on a list.

import Millrace
import Observation

/// Shows the reading list; adds to it and takes from it.
@MainActor @Observable
package final class ReadingListFlow: Flow {
  @ObservationIgnored package let scope: FlowScope<Never>
  @ObservationIgnored private let library: any LendingLibrary
  @ObservationIgnored package let picker = Slot<BookPicker>()

  package private(set) var list = Loadable<[Book.ID]>.idle
  /// Why the last change was not made, for the user.
  package private(set) var notice: String?

  package init(scope: FlowScope<Never>, library: any LendingLibrary) {
    self.scope = scope
    self.library = library
  }

  /// Loads the list, or loads it again.
  package func load() {
    scope.load("load", into: \.list, of: self) { [library] in try await library.readingList() }
  }

  /// Lets the user pick one more of `books`. A picker that is open is replaced.
  package func add(from books: Catalogue) {
    scope.start(in: picker, as: .sheet) {
      BookPicker(scope: $0, books: books)
    } onOutput: { [self] output in
      guard case .picked(let id) = output else { return }
      change { try await $0.addToReadingList(id) }
    }
  }

  package func remove(_ id: Book.ID) {
    change { try await $0.removeFromReadingList(id) }
  }

  // One change after the other: a newer one must not cancel one that is under way.
  private func change(
    _ call: @escaping @concurrent @Sendable (any LendingLibrary) async throws -> [Book.ID]
  ) {
    notice = nil
    scope.perform("change", .queue) { [library] in
      try await call(library)
    } then: { [self] result in
      switch result {
      case .success(let list):
        // A load that is still under way is older than this answer.
        scope.cancel("load")
        self.list = .loaded(list)
      case .failure(let error):
        notice = userWords(for: error)
      }
    }
  }
}
