import Millrace

/// Shows for how many days the book that is marked can be kept.
@MainActor final class HastyPicker: Flow {
  let scope: FlowScope<Never>
  private let library: any Library
  private(set) var selection: Int?
  private(set) var term: Int?

  init(scope: FlowScope<Never>, library: any Library) {
    (self.scope, self.library) = (scope, library)
  }

  func select(_ book: Int) {
    selection = book
    term = nil
    Task { term = try? await library.term(of: book) }
  }
}
