// One picker, three owners, three continuations; and a checkout with a path of its own.

import LibraryApp
import Millrace

extension Tour {
  func threeParents() async throws {
    step("The same picker, three owners")
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let catalogue = try await wait(for: "the catalogue tab") { _ in tabs.catalogue }
    let list = try await wait(for: "the reading list tab") { _ in tabs.readingList }
    let account = try await wait(for: "the account tab") { _ in tabs.account }
    let all = try await wait(for: "the books") { _ in catalogue.books.value }

    catalogue.lend()
    list.add(from: all)
    account.writeNote(about: all)
    let editor = try await wait(for: "the note editor") { _ in account.noteEditor.child?.flow }
    editor.chooseBook()
    let lending = try await wait(for: "the lending") { _ in catalogue.lending.child?.flow }
    let lendingPicker = try await wait(for: "its picker") { _ in lending.picker.child?.flow }
    let listPicker = try await wait(for: "the list's picker") { _ in list.picker.child?.flow }
    let notePicker = try await wait(for: "the note's picker") { _ in editor.picker.child?.flow }
    say(
      "Lending reads its picker as a stream, the reading list hears it with a closure, the note "
        + "editor waits for its ending. All three are open:")
    showTree()
    check("flows alive now", runtime.counts.flows, is: 9)

    say("Each picks \(all.label(of: books[0].id)), which is on loan.")
    for picker in [lendingPicker, listPicker, notePicker] {
      picker.select(books[0].id)
      picker.confirm()
    }
    try await until("the library's refusal") { _ in lending.notice != nil }
    try await until("the list") { _ in list.list.value != nil }
    try await until("the note's book") { _ in editor.book != nil }
    say(
      "Lending is turned down and keeps its picker open. The list has a new entry. The editor "
        + "has its id, and never learned of loans.")
    check("lending", lending.stage, is: .choosing)
    check("lending's picker is open", lendingPicker.scope.isCurrent, is: true)
    check("reading list", list.list.value, is: [books[0].id])
    check("note is about", editor.book, is: books[0].id)
    lendingPicker.cancel()
    editor.text = "Read it twice."
    editor.save()
    try await until("the note") { _ in !account.notes.isEmpty }
    check("notes", account.notes, is: [Note(book: books[0].id, text: "Read it twice.")])
    check("handlers that heard of a loan", tabs.activity.count, is: 3)
    try await endStep(flows: 4)
  }

  func checkingOut() async throws {
    step("A checkout, in three steps and one result")
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let catalogue = try await wait(for: "the catalogue tab") { _ in tabs.catalogue }
    let chosen = [books[1].id, books[2].id]
    catalogue.checkOut()
    let checkout = try await wait(for: "the checkout") { _ in catalogue.checkout.child?.flow }
    let basket = try await wait(for: "the basket") { _ in checkout.basketStep.child?.flow }
    for id in chosen { basket.toggle(id) }
    basket.next()
    let branch = try await wait(for: "the branches") { _ in checkout.branchStep.child?.flow }
    branch.choose(.main)
    check("path", checkout.path, is: [.basket, .branch, .review])
    say("She goes back from the branch: what was built on it goes too.")
    host.swipe(branch.scope.id, in: app.window)
    check("path", checkout.path, is: [.basket])
    basket.next()
    let again = try await wait(for: "the branches again") { _ in checkout.branchStep.child?.flow }
    again.choose(.harbour)
    let review = try await wait(for: "the review") { _ in checkout.reviewStep.child?.flow }
    check("order", review.order, is: Order(basket: chosen, branch: .harbour))
    say("At the review she taps twice. There is one order.")
    review.place()
    review.place()
    try await until("the loans") { _ in tabs.activity.count == 6 }
    check(
      "handler order", Array(tabs.activity.suffix(3)),
      is: [.lent(chosen), .shelvesChanged, .loans(3)])
    let calls = await library.calls(by: tabs.account?.member.id)
    check("orders at the library", calls[.checkOut], is: 1)
    try await endStep(flows: 4, refused: [.alreadyRunning: 1])
  }
}
