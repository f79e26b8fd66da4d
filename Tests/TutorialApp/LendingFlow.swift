import Millrace
import Observation

/// Lends one book: pick, confirm, write.
@MainActor @Observable final class LendingFlow: Flow {
  enum Output: Sendable, Equatable { case lent(Int), abandoned }

  @ObservationIgnored let scope: FlowScope<Output>
  @ObservationIgnored private let library: any Library
  @ObservationIgnored let picker = Slot<BookPicker>()
  /// One for this form, however often its button is tapped.
  @ObservationIgnored private let intent = Intent()
  private(set) var notice: String?

  init(scope: FlowScope<Output>, library: any Library) {
    (self.scope, self.library) = (scope, library)
  }

  func start() {
    scope.task("lending") { [self] in
      let picker = scope.start(in: picker, as: .sheet) { BookPicker(scope: $0, library: library) }
      guard case .finished(.picked(let book)) = await picker.ending else {
        return scope.finish(.abandoned)
      }
      let question = Alert("Lend this book?", buttons: [.init("Yes", true), .init("No", false)])
      guard await scope.ask(question) == true else { return scope.finish(.abandoned) }
      try await lend(book)
    }
  }

  private func lend(_ book: Int) async throws {
    do {
      let loan = Write("loan", intent: intent, body: Array("\(book)".utf8))
      _ = try await scope.write(loan, until: .accepted)
      scope.finish(.lent(book))
    } catch let error as WriteError { notice = "\(error)" }
  }
}
