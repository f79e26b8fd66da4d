// The other two owners of the picker: the reading list, and the note editor.

import LibraryApp
import Millrace
import RaceLab
import Testing

@MainActor @Suite struct ReadingTests {
  // Prevents: a picker's answer for another flow's purpose.
  @Test func pickForTheList_isAddedAndNotLent() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      session.readingList.add(from: session.books)
      let picker = try #require(session.readingList.picker.child?.flow)
      picker.select(11)
      picker.confirm()
      await lab.settle()
      #expect(session.readingList.list.value == [11])
      #expect(session.tabs.activity.isEmpty)
      session.readingList.remove(11)
      await lab.settle()
      #expect(session.readingList.list.value == [])
    }
  }

  // Prevents: a former picker, replaced while open, that adds its book after all.
  @Test func replacedPicker_addsNothing() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      session.readingList.add(from: session.books)
      let old = try #require(session.readingList.picker.child?.flow)
      old.select(11)
      session.readingList.add(from: session.books)
      let new = try #require(session.readingList.picker.child?.flow)
      old.confirm()
      await lab.settle()
      #expect(new.scope.isCurrent && new.selection == nil)
      #expect(session.readingList.list.value == nil)
      #expect(session.app.runtime.refusals == [.endAfterEnd: 1])
    }
  }

  // Prevents: a change that cancels the one before it, and is shown without it.
  @Test func quickChanges_areAllMade() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let gate = session.script.hold(.addToReadingList)
      for id in [11, 12, 13] as [Book.ID] {
        session.readingList.add(from: session.books)
        let picker = try #require(session.readingList.picker.child?.flow)
        picker.select(id)
        picker.confirm()
      }
      await lab.settle()
      #expect(gate.hasArrived)
      gate.open()
      await lab.settle()
      #expect(session.readingList.list.value == [11, 12, 13])
      let calls = await session.library.calls(by: session.account.member.id)
      #expect(calls[.addToReadingList] == 3)
    }
  }

  // Prevents: a slow load that puts the list back to what it was before a change.
  @Test(arguments: [false, true])
  func loadThatIsOlderThanAChange_isNotShown(deaf: Bool) async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let gate = session.script.hold(.readingList, deaf: deaf)
      session.readingList.load()
      await lab.settle()
      session.readingList.add(from: session.books)
      let picker = try #require(session.readingList.picker.child?.flow)
      picker.select(11)
      picker.confirm()
      await lab.settle()
      gate.open()
      await lab.settle()
      #expect(session.readingList.list == .loaded([11]))
    }
  }

  // Prevents: a failed change that nobody sees.
  @Test func failedChange_isTold() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let gate = session.script.hold(.removeFromReadingList)
      session.readingList.remove(11)
      await lab.settle()
      gate.fail(LibraryError.noAnswer)
      await lab.settle()
      #expect(session.readingList.notice == "\(LibraryError.noAnswer)")
    }
  }

  // Prevents: a second picker for one note, and a note without a book or a text.
  @Test func noteEditor_wantsOneBookAndAText() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      session.account.writeNote(about: session.books)
      let editor = try #require(session.account.noteEditor.child?.flow)
      editor.chooseBook()
      await lab.settle()
      let picker = try #require(editor.picker.child?.flow)
      editor.chooseBook()
      await lab.settle()
      #expect(editor.picker.child?.flow === picker)
      editor.text = " \n"
      picker.select(11)
      picker.confirm()
      await lab.settle()
      #expect(editor.book == 11)
      #expect(!editor.canSave)
      editor.save()
      editor.text = "Curious."
      #expect(editor.canSave)
      editor.save()
      editor.save()
      await lab.settle()
      #expect(session.account.notes == [Note(book: 11, text: "Curious.")])
      #expect(session.app.runtime.refusals == [.alreadyRunning: 1])
    }
  }

  // Prevents: a note that is lost with the screen when it could not be saved.
  @Test func noteThatCouldNotBeSaved_staysInTheEditor() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      session.account.writeNote(about: session.books)
      let editor = try #require(session.account.noteEditor.child?.flow)
      editor.chooseBook()
      await lab.settle()
      editor.picker.child?.flow?.select(11)
      editor.picker.child?.flow?.confirm()
      editor.text = "Curious."
      await lab.settle()
      let gate = session.script.hold(.save)
      editor.save()
      await lab.settle()
      gate.fail(LibraryError.unreachable)
      await lab.settle()
      #expect(editor.scope.isCurrent && editor.text == "Curious.")
      #expect(editor.notice == "\(LibraryError.unreachable)")
      editor.discard()
      #expect(session.account.notes.isEmpty)
    }
  }
}
