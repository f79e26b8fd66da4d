// The views of all that leads to a book: its page, the picker, lending, the basket, a note.

import LibraryApp
import Millrace

extension TerminalView {
  static func bookPage(_ flow: BookPage) -> TerminalView {
    TerminalView(flow.book.displayTitle) { [weak flow] page in
      guard let flow else { return }
      page.text(flow.book.byline)
      page.text("No. \(flow.book.id), issued \(flow.book.issued)")
      page.status(of: flow.eligibility)
      switch flow.eligibility.value {
      case .eligible(let due)?: page.text("It is here: you may have it until \(due).")
      case .refused(let reason)?: page.text("Not now: \(reason).")
      case nil: break
      }
      page.button("Next book", if: flow.next != nil) { flow.leaf() }
    }
  }

  static func lending(_ flow: LendingFlow) -> TerminalView {
    TerminalView("Lend a book") { [weak flow] page in
      guard let flow else { return }
      page.notice(flow.notice)
      switch flow.stage {
      case .choosing: page.text("Which book is it to be?")
      case .checking: page.text("Asking the library…")
      case .confirming: page.text("Waiting for your word.")
      case .lending: page.text("Lending it…")
      }
    }
  }

  static func picker(_ flow: BookPicker) -> TerminalView {
    TerminalView("Choose a book") { [weak flow] page in
      guard let flow else { return }
      page.button("Take it", if: flow.canConfirm) { flow.confirm() }
      page.button("Cancel") { flow.cancel() }
      for book in flow.books.books {
        let mark = book.id == flow.selection ? "chosen" : book.byline
        page.row(flow.books.label(of: book.id), mark) { flow.select(book.id) }
      }
    }
  }

  static func confirmation(_ flow: LoanConfirmation) -> TerminalView {
    TerminalView("Lend it?") { [weak flow] page in
      guard let flow else { return }
      page.text("\(flow.title), until \(flow.due).")
      page.button("Lend it") { flow.confirm() }
      page.button("Not now") { flow.decline() }
    }
  }

  static func checkout(_ flow: CheckoutFlow) -> TerminalView {
    TerminalView("Basket") { [weak flow] page in page.notice(flow?.notice) }
  }

  static func basket(_ flow: BasketStep) -> TerminalView {
    TerminalView("What to take") { [weak flow] page in
      guard let flow else { return }
      page.button("Go on", if: !flow.basket.isEmpty) { flow.next() }
      for book in flow.books.books {
        let mark = flow.basket.contains(book.id) ? "in the basket" : ""
        page.row(flow.books.label(of: book.id), mark) { flow.toggle(book.id) }
      }
    }
  }

  static func branch(_ flow: BranchStep) -> TerminalView {
    TerminalView("Where to fetch it") { [weak flow] page in
      guard let flow else { return }
      for branch in flow.branches {
        page.row("Branch: \(branch.rawValue)") { flow.choose(branch) }
      }
    }
  }

  static func review(_ flow: ReviewStep) -> TerminalView {
    TerminalView("Your order") { [weak flow] page in
      guard let flow else { return }
      let count = flow.order.basket.count
      page.notice(flow.notice)
      page.text("\(count) \(count == 1 ? "book" : "books") at \(flow.order.branch.rawValue).")
      page.button("Place the order") { flow.place() }
    }
  }

  static func note(_ flow: NoteEditor) -> TerminalView {
    TerminalView("A note") { [weak flow] page in
      guard let flow else { return }
      page.notice(flow.notice)
      page.row("Book", flow.book.map { "no. \($0)" } ?? "choose one") { flow.chooseBook() }
      page.field("Text", flow.text) { flow.text = $0 }
      page.button("Save", if: flow.canSave) { flow.save() }
      page.button("Discard") { flow.discard() }
    }
  }
}
