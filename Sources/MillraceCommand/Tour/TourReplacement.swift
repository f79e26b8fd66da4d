// The heart of the tour: what is left in old hands is used after its flow has ended, and changes
// nothing.

import LibraryApp
import Millrace

extension Tour {
  func replacing() async throws {
    step("A picker is replaced, and its remains are fired at the new one")
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let catalogue = try await wait(for: "the catalogue tab") { _ in tabs.catalogue }
    let member = tabs.account?.member.id

    let eligibility = script.hold(.eligibility, deaf: true)
    catalogue.lend()
    let oldLending = try await wait(for: "the lending") { _ in catalogue.lending.child?.flow }
    let oldPicker = try await wait(for: "its picker") { _ in oldLending.picker.child?.flow }
    let oldOutput = { [scope = oldPicker.scope] in scope.tryEmit(.picked($0)) }
    oldPicker.select(books[3].id)
    oldPicker.confirm()
    try await arrival(at: eligibility)
    say(
      "A book is picked, and the library's answer is held at a gate that does not hear "
        + "cancellation. Meanwhile she picks once more, and then starts anew.")
    check("second pick", oldOutput(books[4].id), is: .accepted)
    check("stage", oldLending.stage, is: .checking)

    catalogue.lend()
    let newLending = try await wait(for: "the new lending") { _ in catalogue.lending.child?.flow }
    let newPicker = try await wait(for: "its picker") { _ in newLending.picker.child?.flow }
    check("the same lending as before", newLending === oldLending, is: false)
    check("old lending ended", ledger.endings[oldLending.scope.id], is: .replaced)
    check("old picker ended", ledger.endings[oldPicker.scope.id], is: .ownerEnded)
    showTree()

    say("The old view model, the old output closure and the old answer are all still in hand:")
    oldPicker.select(books[4].id)
    oldPicker.confirm()
    check("old output closure", oldOutput(books[4].id), is: .refused(.emitAfterEnd))
    oldPicker.cancel()
    eligibility.open()
    try await until("the old answer") { $0.runtime.counts.operations == 1 }
    say("The old selection stands as it was, and the new flow has not moved:")
    check("old selection", oldPicker.selection, is: books[3].id)
    check("old stage", oldLending.stage, is: .checking)
    check("new selection", newPicker.selection, is: nil)
    check("new stage", newLending.stage, is: .choosing)
    check("new question", newLending.confirmation.child != nil, is: false)
    check("loans at the library", await library.calls(by: member)[.lend], is: 1)

    say("Her second pick was not read before its picker was gone: it counts as lost.")
    say("The new one works as if nothing had been: she picks, and cancels.")
    newPicker.select(books[4].id)
    newPicker.cancel()
    try await endStep(
      flows: 4, lost: 1, refused: [.emitAfterEnd: 2, .endAfterEnd: 1, .staleResult: 1])
  }

  func replacingInSlot() async throws {
    step("The same in a slot, with a closure for an owner that lives on")
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let list = try await wait(for: "the reading list tab") { _ in tabs.readingList }
    let all = try await wait(for: "the books") { _ in tabs.catalogue?.books.value }
    list.add(from: all)
    let oldPicker = try await wait(for: "the picker") { _ in list.picker.child?.flow }
    let oldHandle = try await wait(for: "its handle") { _ in list.picker.child }
    let oldOutput = { [scope = oldPicker.scope] in scope.tryFinish(.picked($0)) }
    oldPicker.select(books[4].id)
    list.add(from: all)
    let newPicker = try await wait(for: "the new picker") { _ in list.picker.child?.flow }
    check("old picker ended", ledger.endings[oldPicker.scope.id], is: .replaced)
    oldPicker.confirm()
    check("old output closure", oldOutput(books[4].id), is: .refused(.endAfterEnd))
    check("old handle", oldHandle.cancel(), is: .refused(.endAfterEnd))
    check("new selection", newPicker.selection, is: nil)
    check("new picker is open", newPicker.scope.isCurrent, is: true)
    newPicker.select(books[1].id)
    newPicker.confirm()
    newPicker.confirm()
    try await until("the list") { _ in list.list.value?.count == 2 }
    say("Only the new picker's book is on the list, once, though she tapped twice.")
    check("reading list", list.list.value, is: [books[0].id, books[1].id])
    try await endStep(flows: 4, refused: [.endAfterEnd: 4])
  }

  func dismissing() async throws {
    step("Screens are swiped away while they load")
    let tabs = try await wait(for: "the tabs") { $0.app.signedIn }
    let catalogue = try await wait(for: "the catalogue tab") { _ in tabs.catalogue }
    let account = try await wait(for: "the account tab") { _ in tabs.account }
    let all = try await wait(for: "the books") { _ in catalogue.books.value }

    let eligibility = script.hold(.eligibility)
    catalogue.lend()
    let lending = try await wait(for: "the lending") { _ in catalogue.lending.child?.flow }
    let picker = try await wait(for: "its picker") { _ in lending.picker.child?.flow }
    picker.select(books[3].id)
    picker.confirm()
    try await arrival(at: eligibility)
    host.swipe(lending.scope.id, in: app.window)
    say(
      "The lending is swiped away, and its picker goes along. Its task and the call it waits for "
        + "are told; the call listens.")
    check("lending ended", ledger.endings[lending.scope.id], is: .dismissed)
    check("picker ended", ledger.endings[picker.scope.id], is: .ownerEnded)
    try await until("tasks at rest") { $0.runtime.counts.operations == 0 }
    eligibility.open()

    let saving = script.hold(.save, deaf: true)
    account.writeNote(about: all)
    let editor = try await wait(for: "the note editor") { _ in account.noteEditor.child?.flow }
    editor.chooseBook()
    let choice = try await wait(for: "its picker") { _ in editor.picker.child?.flow }
    choice.select(books[3].id)
    choice.confirm()
    try await until("the note's book") { _ in editor.book != nil }
    editor.text = "Not mine to keep."
    editor.save()
    try await arrival(at: saving)
    host.swipe(editor.scope.id, in: app.window)
    say("The editor is swiped away while it saves. This call is deaf: the swipe does not wait.")
    check("editor ended", ledger.endings[editor.scope.id], is: .dismissed)
    check("tasks alive now", runtime.counts.operations, is: 1)
    saving.open()
    try await until("tasks at rest") { $0.runtime.counts.operations == 0 }
    check("notes shown", account.notes.count, is: 1)
    host.swipe(editor.scope.id, in: app.window)
    try await endStep(flows: 4, refused: [.staleResult: 1, .unknownFlow: 1])
  }
}
