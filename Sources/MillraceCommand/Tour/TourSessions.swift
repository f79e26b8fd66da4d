// Sign-out with work that does not listen, and the same reader again: the old epoch's hands reach
// nothing of the new one.

import LibraryApp
import Millrace

extension Tour {
  func signingOut() async throws {
    step("She signs out while deaf calls are under way")
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let account = try await wait(for: "the account tab") { _ in tabs.account }
    let catalogue = try await wait(for: "the catalogue tab") { _ in tabs.catalogue }
    let session = try await wait(for: "the session") { $0.runtime.session }
    oldRoot = tabs
    oldAccount = account
    let renewal = script.hold(.renew, deaf: true)
    let reload = script.hold(.catalogue)
    deafRenewal = renewal
    let loans = script.hold(.loans, deaf: true)
    deafLoans = loans
    account.renew()
    account.load()
    catalogue.load()
    catalogue.lend()
    _ = try await wait(for: "the picker") { _ in catalogue.lending.child?.flow?.picker.child?.flow }
    try await arrival(at: renewal)
    try await arrival(at: loans)
    try await arrival(at: reload)
    say(
      "A renewal of her credential and a load of her loans, which all who ask share, are held at "
        + "deaf gates. The catalogue loads, and a picker is open.")
    showTree()
    account.signOut()
    say("Signed out, in the same moment: nobody waits for the network.")
    check("session", runtime.session, is: nil)
    check("tabs ended", ledger.endings[tabs.scope.id], is: .sessionEnded)
    check("account tab ended", ledger.endings[account.scope.id], is: .sessionEnded)
    check("flows alive now", runtime.counts.flows, is: 1)
    try await until("tasks at rest") { $0.runtime.counts.operations == 2 }
    do {
      try await runtime.drained(session, limit: .milliseconds(1))
      check("tasks left of the session", [String](), is: ["loans", "renew"])
    } catch let error as NotDrained {
      let names = error.leftovers.map(\.name).sorted()
      check("tasks left of the session", names, is: ["loans", "renew"])
      check("told to stop", error.leftovers.allSatisfy { $0.cancelledAgo != nil }, is: true)
    }
    check("credential kept", await store.stored, is: nil)
    check("books that the old tab still has", catalogue.books.value?.books.count, is: report.books)
    let calls = await library.calls(by: account.member.id)
    check("revocations", calls[.revoke], is: 1)
    say("The lending's task wakes, finds its picker gone, and says so: it is refused.")
    try await endStep(flows: 1, tasks: 2, refused: [.endAfterEnd: 1])
  }

  func returning() async throws {
    step("The same reader again: another epoch")
    let signIn = try await wait(for: "the sign-in") { $0.app.signIn }
    let card = try await wait(for: "her card") { $0.card }
    let oldRoot = try await wait(for: "the old tabs") { $0.oldRoot }
    let oldAccount = try await wait(for: "the old account tab") { $0.oldAccount }
    let renewal = try await wait(for: "the held renewal") { $0.deafRenewal }
    let oldLoans = try await wait(for: "the held loans") { $0.deafLoans }
    signIn.signIn(with: card)
    signIn.signIn(with: card)
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let session = try await wait(for: "the session") { $0.runtime.session }
    check("the same account", oldRoot.scope.session?.account == session.account, is: true)
    check("the same epoch", oldRoot.scope.session?.epoch == session.epoch, is: false)
    try await until("tasks at rest") { $0.runtime.counts.operations == 2 }
    let kept = await store.stored
    let account = try await wait(for: "the account tab") { _ in tabs.account }
    let newLoans = script.hold(.loans)
    account.load()
    try await arrival(at: newLoans)
    say("Her loans are asked for anew: the load of the old session is not shared.")

    say("Now the old calls are answered, and the old flows sign out and keep a credential:")
    // One after the other: the order of the answers is the order of the gates.
    renewal.open()
    try await until("tasks at rest") { $0.runtime.counts.operations == 3 }
    oldLoans.open()
    // What is left are the new load, and the one who waits for it.
    try await until("tasks at rest") { $0.runtime.counts.operations == 2 }
    let stale = try await script.signIn(with: card)
    check("old flow keeps a credential", oldAccount.keep(stale), is: .refused(.noSession))
    oldRoot.signOut()
    oldAccount.signOut()
    oldAccount.load()
    check("session", runtime.session, is: session)
    check("tabs", tabs.scope.isCurrent, is: true)
    check("credential kept", await store.stored, is: kept)
    check("loans, before their own answer", account.loans.value?.count, is: nil)

    say("The new session sees what the library has, and nothing of the old screens.")
    newLoans.open()
    tabs.readingList?.load()
    try await until("the loans") { _ in account.loans.value != nil }
    try await until("the list") { _ in tabs.readingList?.list.value != nil }
    check("loans", account.loans.value?.map(\.book), is: books.prefix(3).map(\.id))
    check("loads of loans", await library.calls(by: account.member.id)[.loans], is: 2)
    check("reading list", tabs.readingList?.list.value, is: [books[0].id, books[1].id])
    check("activity", tabs.activity, is: [])
    try await endStep(
      flows: 4,
      refused: [.staleResult: 2, .noSession: 2, .emitAfterEnd: 1, .workAfterEnd: 1])
  }

  func closing() async throws {
    step("The library closes")
    oldRoot = nil
    oldAccount = nil
    deafRenewal = nil
    deafLoans = nil
    app.close()
    say("The window is closed and all that was kept is let go.")
    // The host is no longer told of a window that is closed.
    try await endStep(flows: 0, screens: host.count)
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
