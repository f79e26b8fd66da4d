import Millrace
import Observation

/// Shows the books, marks one, and tells which one was picked.
@MainActor @Observable final class BookPicker: Flow {
  enum Output: Sendable, Equatable { case picked(Int), cancelled }

  @ObservationIgnored let scope: FlowScope<Output>
  @ObservationIgnored private let library: any Library
  private(set) var books: Loadable<[Book]> = .idle
  private(set) var selection: Int?
  private(set) var term: Loadable<Int> = .idle

  init(scope: FlowScope<Output>, library: any Library) {
    (self.scope, self.library) = (scope, library)
  }

  func start() {
    scope.load("books", into: \.books, of: self) { [library] in try await library.books() }
  }

  func select(_ book: Int) {
    guard scope.isCurrent, books.value?.contains(where: { $0.id == book }) ?? false else { return }
    selection = book
    term = .idle
    scope.load("term", into: \.term, of: self) { [library] in try await library.term(of: book) }
  }

  func confirm() { if let selection { scope.finish(.picked(selection)) } }
  func cancel() { scope.finish(.cancelled) }
}
