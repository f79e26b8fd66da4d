// The third tab: loans, notes, and the way out.

import Millrace
import Observation

/// Shows what belongs to the member.
@MainActor @Observable
package final class AccountFlow: Flow {
  package enum Output: Sendable, Equatable { case loanCount(Int), signOut }

  @ObservationIgnored package let scope: FlowScope<Output>
  @ObservationIgnored private let library: any LendingLibrary
  @ObservationIgnored private var loading: Operation<[Receipt]>?
  @ObservationIgnored package let noteEditor = Slot<NoteEditor>(.keep)
  @ObservationIgnored private let question = Slot<AlertFlow<Bool>>(.keep)

  private static let loansKey = JoinKey<[Receipt]>("loans")

  package private(set) var loans = Loadable<[Receipt]>.idle
  package private(set) var notes: [Note] = []
  /// Why the last book was not taken back, for the user.
  package private(set) var notice: String?
  package var member: Member { library.member }

  package init(scope: FlowScope<Output>, library: any LendingLibrary) {
    self.scope = scope
    self.library = library
  }

  /// Loads the loans, or loads them again. Who asks while a load is under way shares its answer:
  /// the key belongs to the session, so a load of an earlier sign-in is never joined.
  package func load() {
    let run = scope.perform(AccountFlow.loansKey) { [library] in
      try await library.loans()
    } then: { [self] result in
      switch result {
      case .success(let receipts): loans = .loaded(receipts)
      case .failure(let error): loans = .failed(error)
      }
    }
    guard run.isCurrent else { return }
    if !loans.isLoading { loans = .loading(previous: loans) }
    loading = run
  }

  /// Adds loans that were just made, without asking the library again.
  package func add(_ receipts: [Receipt]) {
    guard scope.isCurrent else { return }
    let all = (loans.value ?? []) + receipts
    // A load that is still under way does not know of them.
    if let loading, loading.isCurrent { loading.cancel() }
    loans = .loaded(all)
    scope.emit(.loanCount(all.count))
  }

  package func writeNote(about books: Catalogue) {
    scope.start(in: noteEditor, as: .sheet) { [library] in
      NoteEditor(scope: $0, library: library, books: books)
    } onOutput: { [self] output in
      if case .saved(let notes) = output { self.notes = notes }
    }
  }

  /// Asks for a new credential and keeps it for the next launch.
  package func renew() {
    scope.perform("renew") { [library] in
      try await library.renew()
    } then: { [self] result in
      if case .success(let credential) = result { keep(credential) }
    }
  }

  /// Keeps a credential for the next launch. Refused once the session is over.
  @discardableResult
  package func keep(_ credential: Credential) -> Acceptance {
    scope.updateCredential(credential.bytes)
  }

  /// Takes a book back, and loads the loans again.
  package func giveBack(_ book: Book.ID) {
    notice = nil
    scope.perform("give back", .queue) { [library] in
      try await library.giveBack(book)
    } then: { [self] result in
      switch result {
      case .success: load()
      case .failure(let error): notice = userWords(for: error)
      }
    }
  }

  /// Asks first: the way out of a screen that others are open over.
  package func askToSignOut() {
    scope.start(in: question, as: .confirmation) {
      AlertFlow(
        scope: $0,
        alert: Alert(
          "Sign out?", message: "What is open in any window is closed.", asConfirmation: true,
          buttons: [
            .init("Sign out", role: .destructive, true), .init("Stay", role: .cancel, false),
          ]
        ))
    } onEnding: { [self] ending in
      if ending.output == true { signOut() }
    }
  }

  package func signOut() { scope.emit(.signOut) }
}
