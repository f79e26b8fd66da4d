// Links and saved places: a link is shown as a whole or not at all, and a place comes back as new
// flows.

import LibraryApp
import Millrace
import MillraceRoutes

extension Tour {
  func following() async throws {
    step("A link arrives, and a place is kept")
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let account = try await wait(for: "the account tab") { _ in tabs.account }
    let catalogue = try await wait(for: "the catalogue tab") { _ in tabs.catalogue }
    let all = try Catalogue(books)
    account.writeNote(about: all)
    let editor = try await wait(for: "the note editor") { _ in account.noteEditor.child?.flow }
    host.acknowledge(to: app.window)

    let wrong = app.links.deliver("millrace://books/seven")
    say("She writes a note when a link comes that is wrong: \(wrong.verdict)")
    check("the editor is open", editor.scope.isCurrent, is: true)
    let unknown = try await verdict(on: "millrace://books/999999999")
    check("a book that is not there", unknown, is: .rejected(.notFound("book 999999999")))
    check("the editor is open", editor.scope.isCurrent, is: true)

    let book = books[1].id
    check("verdict", try await verdict(on: "https://library.example/books/\(book)"), is: .routed)
    host.acknowledge(to: app.window)
    let page = try await wait(for: "the page") { _ in catalogue.page.child?.flow }
    say("The next one is right. The check has loaded the catalogue, the editor has let go.")
    check("the page's book", page.book.id, is: book)
    check("the editor ended", ledger.endings[editor.scope.id], is: .replaced)
    try await until("tasks at rest") { $0.runtime.counts.operations == 0 }
    showTree()

    let place = SavedPlace<LibraryRoute>(app.window, account: runtime.session?.account)
    let bytes = try place?.bytes() ?? []
    check("verdict", try await verdict(on: "millrace://books"), is: .routed)
    check("the page ended", ledger.endings[page.scope.id], is: .replaced)
    host.acknowledge(to: app.window)
    var reports: [PlaceReport] = []
    try app.restore(bytes) { reports.append($0) }
    let again = try await wait(for: "the page again") { _ in catalogue.page.child?.flow }
    say("A link to the catalogue takes the page away; the place that was saved brings it back.")
    check("reports", reports, is: [.restored])
    check("the page's book", again.book.id, is: book)
    check("the same page as before", again === page, is: false)
    // Tabs, page, and the flow in which the links are decided; that one has no screen.
    try await endStep(flows: 6, screens: 5)
  }

  private func verdict(on url: String) async throws -> LinkVerdict {
    let delivery = app.links.deliver(url)
    try await until("the verdict on \(url)") { _ in delivery.verdict.isFinal }
    return delivery.verdict
  }
}
