// Writing a note on a book. It uses the picker too, and wants nothing but the id.

import Millrace
import Observation

/// Writes one note.
@MainActor @Observable
package final class NoteEditor: Flow {
  package enum Output: Sendable, Equatable { case saved([Note]), discarded }

  @ObservationIgnored package let scope: FlowScope<Output>
  @ObservationIgnored private let library: any LendingLibrary
  @ObservationIgnored private let books: Catalogue
  @ObservationIgnored package let picker = Slot<BookPicker>(.keep)

  package private(set) var book: Book.ID?
  package var text = ""
  /// Why the note was not saved, for the user.
  package private(set) var notice: String?

  package init(scope: FlowScope<Output>, library: any LendingLibrary, books: Catalogue) {
    self.scope = scope
    self.library = library
    self.books = books
  }

  package var canSave: Bool { scope.isCurrent && book != nil && !singleLine(text).isEmpty }

  /// What was typed is not lost by a swipe: the user is asked.
  package func start() {
    let question = Alert<DismissalAnswer>(
      "Discard the note?",
      buttons: [
        .init("Discard", role: .destructive, .discard), .init("Keep", role: .cancel, .stay),
      ])
    scope.guardDismissal(asking: question) { [self] in
      singleLine(text).isEmpty ? .letGo : .ask
    }
  }

  /// Lets the user pick the book; a picker that is open stays.
  package func chooseBook() {
    scope.task("choose") { [self] in
      let picker = scope.start(in: picker, as: .sheet) { BookPicker(scope: $0, books: books) }
      if case .finished(.picked(let id)) = await picker.ending { book = id }
    }
  }

  package func save() {
    guard canSave, let book else { return }
    let note = Note(book: book, text: text)
    notice = nil
    scope.perform("save", .first) { [library] in
      try await library.save(note)
    } then: { [self] result in
      switch result {
      case .success(let notes): scope.finish(.saved(notes))
      case .failure(let error): notice = userWords(for: error)
      }
    }
  }

  package func discard() { scope.finish(.discarded) }
}
