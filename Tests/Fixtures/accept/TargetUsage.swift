// The intended way to write flows: a view model with outputs, and a coordinator that starts it and
// decides what comes next.

import Millrace
import Observation

struct Book: Identifiable, Sendable {
  let id: Int
  let title: String
}

struct Receipt: Sendable {
  let book: Book.ID
}

struct Refusal: Error {}

protocol LendingLibrary: Sendable {
  func eligibility(of id: Book.ID) async throws -> Bool
  func lend(_ id: Book.ID) async throws -> Receipt
}

@MainActor @Observable
final class BookPicker: Flow {
  enum Output: Sendable, Equatable { case picked(Book.ID), cancelled }
  @ObservationIgnored let scope: FlowScope<Output>
  let books: [Book]
  private(set) var selection: Book.ID?

  init(scope: FlowScope<Output>, books: [Book]) {
    self.scope = scope
    self.books = books
  }
  func select(_ id: Book.ID) {
    if scope.isCurrent, books.contains(where: { $0.id == id }) { selection = id }
  }
  func confirm() { if let selection { scope.finish(.picked(selection)) } }
  func cancel() { scope.finish(.cancelled) }
}

@MainActor
final class LendingFlow: Flow {
  enum Output: Sendable { case lent(Receipt), abandoned }
  let scope: FlowScope<Output>
  let library: any LendingLibrary
  let catalog: [Book]

  init(scope: FlowScope<Output>, library: any LendingLibrary, catalog: [Book]) {
    self.scope = scope
    self.library = library
    self.catalog = catalog
  }

  func start() {
    scope.task { [self] in
      let picker = scope.start(as: .sheet) { BookPicker(scope: $0, books: catalog) }
      guard case .finished(.picked(let id)) = await picker.ending else {
        return scope.finish(.abandoned)
      }
      let eligible = try await scope.value("eligibility") { [library] in
        try await library.eligibility(of: id)
      }
      guard eligible else { return scope.finish(.abandoned) }
      let receipt = try await scope.value("loan") { [library] in try await library.lend(id) }
      scope.finish(.lent(receipt))
    }
  }
}

// The same in callback form, with many outputs, and with closures that capture self strongly.
@MainActor
final class CallbackFlow: Flow {
  typealias Output = Never
  let scope: FlowScope<Never>
  let library: any LendingLibrary
  private var picked: [Book.ID] = []
  private var isEligible = false

  init(scope: FlowScope<Never>, library: any LendingLibrary) {
    self.scope = scope
    self.library = library
  }

  func start() {
    let catalog = [Book(id: 1, title: "One")]
    scope.start(as: .push) {
      BookPicker(scope: $0, books: catalog)
    } onOutput: { [self] output in
      hear(output)
    } onEnding: { [self] ending in
      if case .dismissed = ending { picked = [] }
    }
    scope.start(BookPicker.self, as: .push) { scope in
      let books = catalog + [Book(id: 2, title: "Two")]
      return BookPicker(scope: scope, books: books)
    }
    let list = scope.start(as: .tab) { BookPicker(scope: $0, books: catalog) }
    scope.task { [self] in
      for try await output in list.outputs { hear(output) }
    }
    scope.task {
      for await output in list.outputs.asyncStream where list.isCurrent { print(output) }
    }
  }

  func hear(_ output: BookPicker.Output) {
    guard case .picked(let id) = output else { return }
    picked.append(id)
    scope.perform("eligibility", .latest) { [library] in
      try await library.eligibility(of: id)
    } then: { [self] result in
      isEligible = (try? result.get()) ?? false
    }
  }
}

@MainActor
func openApp(library: any LendingLibrary) -> FlowWindow {
  let runtime = FlowRuntime()
  return runtime.openWindow { _ in Root { CallbackFlow(scope: $0, library: library) } }
}

@MainActor
func previewPicker() -> BookPicker { BookPicker(scope: .preview(), books: []) }
