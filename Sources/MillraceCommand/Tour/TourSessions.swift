// Sign-out with work that does not listen, and the same reader again: the old epoch's hands reach
// nothing of the new one.

import LibraryApp
import Millrace

extension Tour {
  func signingOut() async throws {
    step("She signs out while a deaf call is under way")
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let account = try await wait(for: "the account tab") { _ in tabs.account }
    let catalogue = try await wait(for: "the catalogue tab") { _ in tabs.catalogue }
    let session = try await wait(for: "the session") { $0.runtime.session }
    oldRoot = tabs
    oldAccount = account
    let renewal = script.hold(.renew, deaf: true)
    let reload = script.hold(.catalogue)
    deafRenewal = renewal
    account.renew()
    catalogue.load()
    catalogue.lend()
    _ = try await wait(for: "the picker") { _ in catalogue.lending.child?.flow?.picker.child?.flow }
    try await arrival(at: renewal)
    try await arrival(at: reload)
    say(
      "A renewal of her credential is held at a deaf gate, the catalogue loads, a picker is open.")
    showTree()
    account.signOut()
    say("Signed out, in the same moment: nobody waits for the network.")
    check("session", runtime.session, is: nil)
    check("tabs ended", ledger.endings[tabs.scope.id], is: .sessionEnded)
    check("account tab ended", ledger.endings[account.scope.id], is: .sessionEnded)
    check("flows alive now", runtime.counts.flows, is: 1)
    try await until("tasks at rest") { $0.runtime.counts.operations == 1 }
    do {
      try await runtime.drained(session, limit: .milliseconds(1))
      check("tasks left of the session", [String](), is: ["renew"])
    } catch let error as NotDrained {
      check("tasks left of the session", error.leftovers.map(\.name), is: ["renew"])
      check("told to stop", error.leftovers.allSatisfy { $0.cancelledAgo != nil }, is: true)
    }
    check("credential kept", await store.stored, is: nil)
    check("books that the old tab still has", catalogue.books.value?.books.count, is: report.books)
    let calls = await library.calls(by: account.member.id)
    check("revocations", calls[.revoke], is: 1)
    say("The lending's task wakes, finds its picker gone, and says so: it is refused.")
    try await endStep(flows: 1, tasks: 1, refused: [.endAfterEnd: 1])
  }

  func returning() async throws {
    step("The same reader again: another epoch")
    let signIn = try await wait(for: "the sign-in") { $0.app.signIn }
    let card = try await wait(for: "her card") { $0.card }
    let oldRoot = try await wait(for: "the old tabs") { $0.oldRoot }
    let oldAccount = try await wait(for: "the old account tab") { $0.oldAccount }
    let renewal = try await wait(for: "the held renewal") { $0.deafRenewal }
    signIn.number = card.number
    signIn.pin = card.pin
    signIn.signIn()
    signIn.signIn()
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let session = try await wait(for: "the session") { $0.runtime.session }
    check("the same account", oldRoot.scope.session?.account == session.account, is: true)
    check("the same epoch", oldRoot.scope.session?.epoch == session.epoch, is: false)
    try await until("tasks at rest") { $0.runtime.counts.operations == 1 }
    let kept = await store.stored

    say("Now the old renewal is answered, and the old flows sign out and keep a credential:")
    renewal.open()
    try await until("tasks at rest") { $0.runtime.counts.operations == 0 }
    let stale = try await script.signIn(with: card)
    check("old flow keeps a credential", oldAccount.keep(stale), is: .refused(.noSession))
    oldRoot.signOut()
    oldAccount.signOut()
    oldAccount.load()
    try await until("tasks at rest") { $0.runtime.counts.operations == 0 }
    check("session", runtime.session, is: session)
    check("tabs", tabs.scope.isCurrent, is: true)
    check("credential kept", await store.stored, is: kept)
    check("old account tab loads", oldAccount.loans.isLoading, is: false)

    say("The new session sees what the library has, and nothing of the old screens.")
    tabs.account?.load()
    tabs.readingList?.load()
    try await until("the loans") { _ in tabs.account?.loans.value != nil }
    try await until("the list") { _ in tabs.readingList?.list.value != nil }
    check("loans", tabs.account?.loans.value?.map(\.book), is: books.prefix(3).map(\.id))
    check("reading list", tabs.readingList?.list.value, is: [books[0].id, books[1].id])
    check("activity", tabs.activity, is: [])
    try await endStep(
      flows: 4,
      refused: [.staleResult: 1, .noSession: 2, .emitAfterEnd: 1, .workAfterEnd: 1])
  }

  func closing() async throws {
    step("The library closes")
    oldRoot = nil
    oldAccount = nil
    deafRenewal = nil
    app.window.close()
    say("The window is closed and all that was kept is let go.")
    // The host is no longer told of a window that is closed.
    try await endStep(flows: 0, screens: host.screens.count)
    try await runtime.drained(limit: Tour.patience)
    let leaks = runtime.leaks()
    check("flows still in memory", leaks.map(\.description), is: [])

    let counts = ledger.counts
    check("flows started and ended", counts.flowsEnded, is: counts.flowsStarted)
    check("flows started and told", counts.flowsTold, is: counts.flowsStarted)
    check("tasks started and settled", counts.tasksSettled, is: counts.tasksStarted)
    check("tasks started and quiet", counts.tasksQuiet, is: counts.tasksStarted)
    check(
      "refusals, trace and live count", tally(ledger.refusals.map(\.kind)), is: runtime.refusals)
    check(
      "values lost, trace and live count", counts.valuesDropped, is: runtime.counts.outputsDropped)
    check("problems", counts.problems, is: [])
    finish(
      TourReport.Totals(
        flowsStarted: counts.flowsStarted, flowsAlive: runtime.counts.flows,
        tasksStarted: counts.tasksStarted, tasksAlive: runtime.counts.operations,
        valuesSent: counts.valuesSent, valuesLost: counts.valuesDropped,
        flowsLeaked: leaks.count,
        refusals: Dictionary(uniqueKeysWithValues: runtime.refusals.map { ("\($0.key)", $0.value) })
      ))
  }
}
