// Lending one book: pick, check, confirm, lend. One task reads the picker's outputs as a stream;
// whatever ends this flow ends the task, the picker and the question with it. The loan itself is a
// write: once the user has said yes it goes its way, and happens once however often it has to be sent,
// also if the form is restored in a new process and the user says yes again.

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
  @ObservationIgnored private let isRestored: Bool
  @ObservationIgnored package let picker = Slot<BookPicker>()
  @ObservationIgnored package let confirmation = Slot<LoanConfirmation>()

  /// The one loan that this form is for, until the library has said no to it.
  package private(set) var intent: Intent
  package private(set) var stage = Stage.choosing
  /// Why the last pick was turned down, for the user.
  package private(set) var notice: String?

  /// Makes the flow.
  ///
  /// - Parameter intent: that of a form which was open before; nil for a new form.
  package init(
    scope: FlowScope<Output>, library: any LendingLibrary, books: Catalogue, keys: RequestKeys,
    intent: Intent? = nil
  ) {
    self.scope = scope
    self.library = library
    self.books = books
    self.keys = keys
    isRestored = intent != nil
    self.intent = intent ?? keys.nextIntent()
  }

  package func start() {
    scope.task("lending") { [self] in
      let picker = scope.start(in: picker, as: .sheet) {
        BookPicker(scope: $0, books: books, staysOpen: true)
      }
      if isRestored, let receipt = try await receipt(of: { try await underWay() }) {
        return scope.finish(.lent(receipt))
      }
      for await case .picked(let id) in picker.outputs.asyncStream {
        // What the stream handed over counts as read: the picker may have been left meanwhile.
        guard picker.isCurrent else { break }
        if let receipt = try await receipt(of: { try await lend(id) }) {
          return scope.finish(.lent(receipt))
        }
      }
      scope.finish(.abandoned)
    }
  }

  /// Nil when the library or the user said no: then the user can choose again.
  private func receipt(
    of attempt: @MainActor () async throws -> Receipt?
  ) async throws -> Receipt? {
    notice = nil
    do {
      if let receipt = try await attempt() { return receipt }
    } catch let error as LibraryError {
      notice = userWords(for: error)
    } catch let error as WriteError {
      notice = userWords(for: error)
      if error.settlesIntent { intent = keys.nextIntent() }
    }
    stage = .choosing
    return nil
  }

  /// What comes of the loan that was sent before the form was restored; nil if none was.
  private func underWay() async throws -> Receipt? {
    do {
      _ = try await scope.phase(of: intent, until: .validated)
    } catch WriteError.unknownIntent {
      return nil
    }
    stage = .lending
    return try await scope.phase(of: intent, until: .accepted).loans().first
  }

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
    return try await send(Write(Loan(book: id), intent: intent)).loans().first
  }

  private func send(_ loan: Write) async throws -> WriteEntry {
    do {
      return try await scope.write(loan, until: .accepted)
    } catch WriteError.refused(.alreadyRunning), WriteError.refused(.alreadySettled) {
      // This very loan was sent before the form was restored.
      return try await scope.phase(of: loan.intent, until: .accepted)
    }
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
