// The views of the app: which one a flow has, and those of its first screens and its tabs. They hold
// their flow weakly: a view that is kept keeps no flow alive.

import LibraryApp
import Millrace

extension TerminalView {
  /// The view for a flow of the app.
  ///
  /// - Parameter books: the catalogue, where it has been loaded, for what names books by number.
  static func view(
    for flow: any Flow, books: @escaping @MainActor () -> Catalogue?
  ) -> TerminalView {
    switch flow {
    case let flow as any AlertPresenting: question(flow)
    case let flow as SignInFlow: signIn(flow)
    case let flow as TextStep: step(flow)
    case let flow as OnboardingFlow: onboarding(flow)
    case let flow as LockFlow: lock(flow)
    case is SignedInFlow: TerminalView("Library") { _ in }
    case is SplashFlow: TerminalView("One moment") { $0.text("Looking who is signed in.") }
    case let flow as CatalogueFlow: catalogue(flow)
    case let flow as ReadingListFlow: readingList(flow, books)
    case let flow as AccountFlow: account(flow, books)
    case let flow as BookPage: bookPage(flow)
    case let flow as LendingFlow: lending(flow)
    case let flow as BookPicker: picker(flow)
    case let flow as LoanConfirmation: confirmation(flow)
    case let flow as CheckoutFlow: checkout(flow)
    case let flow as BasketStep: basket(flow)
    case let flow as BranchStep: branch(flow)
    case let flow as ReviewStep: review(flow)
    case let flow as NoteEditor: note(flow)
    default: TerminalView("\(Swift.type(of: flow))") { $0.text("This screen has no view yet.") }
    }
  }

  private static func question(_ flow: any AlertPresenting) -> TerminalView {
    let content = flow.content
    return TerminalView(content.title) { [weak flow] page in
      if !content.message.isEmpty { page.text(content.message) }
      for (index, button) in content.buttons.enumerated() {
        page.button(button.title) { flow?.choose(index) }
      }
    }
  }

  private static func signIn(_ flow: SignInFlow) -> TerminalView {
    TerminalView("Sign in") { [weak flow] page in
      guard let flow else { return }
      page.text("Welcome to the library. Sign in with your card, or become a member.")
      page.notice(flow.notice)
      page.field("Card", flow.number) { flow.number = $0 }
      page.field("PIN", flow.pin, isSecret: true) { flow.pin = $0 }
      page.button(flow.isSigningIn ? "Signing in…" : "Sign in", if: flow.canSignIn) {
        flow.signIn()
      }
      page.button("Become a member") { flow.join() }
    }
  }

  private static func lock(_ flow: LockFlow) -> TerminalView {
    TerminalView("Locked") { [weak flow] page in
      guard let flow else { return }
      page.text("The app is locked. What was open is as it was.")
      page.notice(flow.notice)
      page.field("PIN", flow.pin, isSecret: true) { flow.pin = $0 }
      page.button("Unlock", if: !flow.pin.isEmpty) { flow.unlock() }
      page.button("Sign out") { flow.signOut() }
    }
  }

  private static func onboarding(_ flow: OnboardingFlow) -> TerminalView {
    TerminalView("Become a member") { [weak flow] page in page.notice(flow?.notice) }
  }

  private static func step(_ flow: TextStep) -> TerminalView {
    let name = flow.subject == .name ? "Name" : "PIN"
    return TerminalView(flow.subject == .name ? "Your name" : "Choose a PIN") { [weak flow] page in
      guard let flow else { return }
      page.text(flow.subject == .name ? "What are you called?" : "Four digits, to sign in with.")
      page.field(name, flow.text, isSecret: flow.subject == .pin) { flow.text = $0 }
      page.button("Next", if: flow.canGoOn) { flow.next() }
    }
  }

  private static func catalogue(_ flow: CatalogueFlow) -> TerminalView {
    TerminalView("Catalogue", appear: { flow.load() }) { [weak flow] page in
      guard let flow else { return }
      page.status(of: flow.books)
      page.button("Lend a book", if: flow.books.value != nil) { flow.lend() }
      page.button("Fill a basket", if: flow.books.value != nil) { flow.checkOut() }
      page.button("Load again") { flow.load() }
      guard let books = flow.books.value else { return }
      for book in books.books {
        page.row(books.label(of: book.id), book.byline) { flow.open(book.id) }
      }
    }
  }

  private static func readingList(
    _ flow: ReadingListFlow, _ books: @escaping @MainActor () -> Catalogue?
  ) -> TerminalView {
    TerminalView("Reading list", appear: { flow.load() }) { [weak flow] page in
      guard let flow else { return }
      page.status(of: flow.list)
      page.notice(flow.notice)
      let books = books()
      page.button("Add a book", if: books != nil) { if let books { flow.add(from: books) } }
      guard let list = flow.list.value else { return }
      if list.isEmpty { page.text("Nothing to read yet.") }
      for id in list {
        page.row(books?.label(of: id) ?? "book \(id)", "choose it to take it off") {
          flow.remove(id)
        }
      }
    }
  }

  private static func account(
    _ flow: AccountFlow, _ books: @escaping @MainActor () -> Catalogue?
  ) -> TerminalView {
    TerminalView("Account", appear: { flow.load() }) { [weak flow] page in
      guard let flow else { return }
      page.text("\(flow.member.name), member \(flow.member.id)")
      page.status(of: flow.loans)
      page.notice(flow.notice)
      let books = books()
      for loan in flow.loans.value ?? [] {
        page.row(books?.label(of: loan.book) ?? "book \(loan.book)", "until \(loan.due)") {
          flow.giveBack(loan.book)
        }
      }
      for note in flow.notes {
        page.text("Note on \(books?.label(of: note.book) ?? "book \(note.book)"): \(note.text)")
      }
      page.button("Write a note", if: books != nil) {
        if let books { flow.writeNote(about: books) }
      }
      page.button("Renew the sign-in") { flow.renew() }
      page.button("Sign out") { flow.askToSignOut() }
    }
  }
}

extension Page {
  /// Whether something is there, on its way, or was not to be had.
  mutating func status<Value>(of load: Loadable<Value>) {
    if load.isLoading { text("Loading…") }
    if let error = load.error { notice(userWords(for: error)) }
  }
}
