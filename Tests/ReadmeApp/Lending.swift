import Millrace

/// A view model: it tells its owner which book was picked.
@MainActor final class Picker: Flow {
  enum Output: Sendable { case picked(Int), cancelled }
  let scope: FlowScope<Output>
  init(scope: FlowScope<Output>) { self.scope = scope }

  func pick(_ book: Int) { scope.finish(.picked(book)) }
}

/// A coordinator: it shows the picker, and asks for how long the book is lent.
@MainActor final class Lending: Flow {
  enum Output: Sendable, Equatable { case lent(days: Int), abandoned }
  let scope: FlowScope<Output>
  let picker = Slot<Picker>()
  init(scope: FlowScope<Output>) { self.scope = scope }

  func start() {
    scope.task { [self] in  // ends with the flow
      let picker = scope.start(in: picker, as: .sheet) { Picker(scope: $0) }
      guard case .finished(.picked(let book)) = await picker.ending else {
        return scope.finish(.abandoned)
      }
      let days = try await scope.value("loan period") { try await loanPeriod(of: book) }
      scope.finish(.lent(days: days))
    }
  }
}

func loanPeriod(of book: Int) async throws -> Int { 28 }
