// Lending one book: pick, check, confirm, lend. One task reads the picker's outputs as a stream;
// whatever ends this flow ends the task, the picker and the question with it. The loan itself is a
// write: once the user has said yes it goes its way, and happens once however often it has to be sent.

import Millrace
import Observation

/// Lends one book.
@MainActor @Observable
package final class LendingFlow: Flow {
  package enum Output: Sendable, Equatable { case lent(Receipt), abandoned }
  package enum Stage: Sendable, Equatable { case choosing, checking, confirming, lending }

  @ObservationIgnored package let scope: FlowScope<Output>
  @ObservationIgnored private let library: any LendingLibrary
  @ObservationIgnored private let books: Catalogue
  @ObservationIgnored private let keys: RequestKeys
  @ObservationIgnored package let picker = Slot<BookPicker>()
  @ObservationIgnored package let confirmation = Slot<LoanConfirmation>()

  package private(set) var stage = Stage.choosing
  /// Why the last pick was turned down, for the user.
  package private(set) var notice: String?

  package init(
    scope: FlowScope<Output>, library: any LendingLibrary, books: Catalogue, keys: RequestKeys
  ) {
    self.scope = scope
    self.library = library
    self.books = books
    self.keys = keys
  }

  package func start() {
    scope.task("lending") { [self] in
      let picker = scope.start(in: picker, as: .sheet) {
        BookPicker(scope: $0, books: books, staysOpen: true)
      }
      for await case .picked(let id) in picker.outputs.asyncStream {
        // What the stream handed over counts as read: the picker may have been left meanwhile.
        guard picker.isCurrent else { break }
        notice = nil
        do {
          if let receipt = try await lend(id) { return scope.finish(.lent(receipt)) }
        } catch let error as LibraryError {
          notice = "\(error)"
        } catch WriteError.ended(_, let reason) {
          notice = reason
        } catch let error as WriteError {
          notice = "\(error)"
        }
        stage = .choosing
      }
      scope.finish(.abandoned)
    }
  }

  /// Nil when the library or the user said no.
  private func lend(_ id: Book.ID) async throws -> Receipt? {
    stage = .checking
    let eligibility = try await scope.value("eligibility") { [library] in
      try await library.eligibility(of: id)
    }
    guard case .eligible(let due) = eligibility else {
      if case .refused(let reason) = eligibility { throw LibraryError.notEligible(id, reason) }
      return nil
    }
    stage = .confirming
    let question = scope.start(in: confirmation, as: .alert) {
      LoanConfirmation(scope: $0, title: books.label(of: id), due: due)
    }
    guard case .finished(.yes) = await question.ending else { return nil }
    stage = .lending
    let loan = try Write(Loan(book: id), intent: keys.nextIntent())
    return try await scope.write(loan, until: .accepted).loans().first
  }
}

/// Asks whether the book is to be lent.
@MainActor
package final class LoanConfirmation: Flow {
  package enum Output: Sendable, Equatable { case yes, no }

  package let scope: FlowScope<Output>
  package let title: String
  package let due: CalendarDate

  package init(scope: FlowScope<Output>, title: String, due: CalendarDate) {
    self.scope = scope
    self.title = title
    self.due = due
  }

  package func confirm() { scope.finish(.yes) }
  package func decline() { scope.finish(.no) }
}
