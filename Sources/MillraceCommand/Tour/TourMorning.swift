// The first steps of the day: the app opens, a reader becomes a member, and lends a book.

import LibraryApp
import Millrace

extension Tour {
  func opening() async throws {
    step("The app opens")
    say("The store is asked who is signed in. Until it answers, nobody is signed out either.")
    check("state", "\(runtime.sessionState)", is: "undetermined")
    try await until("the store's answer") { $0.runtime.sessionState == .signedOut }
    check("splash screen ended", Array(ledger.endings.values), is: [.replaced])
    say("It says: nobody. The root of the window follows, and shows the sign-in.")
    try await endStep(flows: 1)
  }

  func joining() async throws {
    step("A reader becomes a member")
    let signIn = try await wait(for: "the sign-in") { $0.app.signIn }
    signIn.join()
    let onboarding = try await wait(for: "the onboarding") { _ in signIn.onboarding.child?.flow }
    let name = try await wait(for: "the first step") { _ in onboarding.nameStep.child?.flow }
    name.text = "Ada"
    name.next()
    let short = try await wait(for: "the second step") { _ in onboarding.pinStep.child?.flow }
    check("path", onboarding.path, is: [.name, .pin])
    short.text = "12"
    short.next()
    try await until("the library's refusal") { _ in onboarding.notice != nil }
    say("A PIN of two digits is turned down: \(onboarding.notice ?? "")")
    check("path", onboarding.path, is: [.name])
    name.next()
    let pin = try await wait(for: "the second step again") { _ in onboarding.pinStep.child?.flow }
    check("the same screen as before", pin === short, is: false)
    pin.text = "1815"
    pin.next()
    let signedIn = try await wait(for: "the tabs") { $0.app.signedIn }
    let member = signedIn.account?.member.id
    card = LibraryCard(number: signIn.number, pin: signIn.pin)
    say(
      "With four digits she is a member, and signed in as \(signedIn.account?.member.name ?? "").")
    try await until("tasks at rest") { $0.runtime.counts.operations == 0 }
    showTree()
    check("onboarding ended", ledger.endings[onboarding.scope.id], is: .finished)
    check("requests to the library", await library.calls(by: nil), is: [.register: 2, .signIn: 1])
    try await endStep(flows: 4)
    check("credential kept", await store.stored?.account, is: member.map { Account("\($0)") })
  }

  func lending() async throws {
    step("She lends a book")
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let catalogue = try await wait(for: "the catalogue tab") { _ in tabs.catalogue }
    catalogue.lend()
    check("a lending before the books are there", catalogue.lending.child != nil, is: false)
    catalogue.load()
    let all = try await wait(for: "the books") { _ in catalogue.books.value }
    say("\(all.books.count) books. She opens the picker and takes \(all.label(of: books[0].id)).")
    catalogue.lend()
    let lending = try await wait(for: "the lending") { _ in catalogue.lending.child?.flow }
    let picker = try await wait(for: "the picker") { _ in lending.picker.child?.flow }
    picker.select(books[0].id)
    picker.confirm()
    let question = try await wait(for: "the question") { _ in lending.confirmation.child?.flow }
    say("The library agrees until \(question.due), and the app asks: lend it?")
    showTree()
    check("flows alive now", runtime.counts.flows, is: 7)
    question.confirm()
    try await until("the loan") { _ in !tabs.activity.isEmpty }
    say(
      "One handler runs at a time: \"lent\" was told first, \"shelves changed\" second, and what "
        + "the handler of \"lent\" told in its turn comes after both.")
    check(
      "handler order", tabs.activity, is: [.lent([books[0].id]), .shelvesChanged, .loans(1)])
    try await endStep(flows: 4)
  }
}
