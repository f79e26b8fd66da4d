// The picker alone: what it tells, and what it does not take.

import LibraryApp
import Millrace
import MillraceTesting
import Testing

@MainActor @Suite struct BookPickerTests {
  private func makeProbe(staysOpen: Bool = false) throws -> FlowProbe<BookPicker> {
    let books = try Catalogue.builtIn()
    return FlowProbe { BookPicker(scope: $0, books: books, staysOpen: staysOpen) }
  }

  // Prevents: a button that is on without a selection, and a pick of nothing.
  @Test func confirmWithoutSelection_tellsNothing() throws {
    let probe = try makeProbe()
    #expect(!probe.flow.canConfirm)
    probe.flow.confirm()
    #expect(probe.outputs.isEmpty)
    #expect(probe.ending == nil)
  }

  // Prevents: a pick of a book that the owner did not offer.
  @Test func bookThatIsNotInTheList_isNotSelected() throws {
    let probe = try makeProbe()
    probe.flow.select(14)
    #expect(probe.flow.selection == nil)
    probe.flow.select(11)
    probe.flow.select(14)
    #expect(probe.flow.selection == 11)
  }

  // Prevents: a double tap that picks twice.
  @Test func secondConfirm_isRefused() throws {
    let probe = try makeProbe()
    probe.flow.select(11)
    #expect(probe.flow.canConfirm)
    probe.flow.confirm()
    probe.flow.confirm()
    probe.flow.cancel()
    #expect(probe.outputs == [.picked(11)])
    #expect(probe.ending?.output == .picked(11))
    #expect(!probe.flow.canConfirm)
    #expect(probe.runtime.refusals == [.endAfterEnd: 2])
  }

  // Prevents: a picker that is gone before its owner could turn the pick down.
  @Test func pickerThatStaysOpen_picksAgain() throws {
    let probe = try makeProbe(staysOpen: true)
    for id in [11, 11, 12] as [Book.ID] {
      probe.flow.select(id)
      probe.flow.confirm()
    }
    probe.flow.cancel()
    #expect(probe.outputs == [.picked(11), .picked(11), .picked(12), .cancelled])
  }

  // Prevents: an old view that still moves its selection after the screen is gone.
  @Test func dismissedPicker_takesNothing() throws {
    let probe = try makeProbe()
    probe.flow.select(11)
    probe.dismiss()
    probe.flow.select(12)
    probe.flow.confirm()
    #expect(probe.flow.selection == 11)
    #expect(probe.outputs.isEmpty)
    #expect(!probe.flow.canConfirm)
    #expect(probe.runtime.refusals == [.endAfterEnd: 1])
  }

  // Prevents: a trap, or a list with one book in two rows, for input with duplicates.
  @Test func duplicateBooks_areAnErrorValue() throws {
    let book = try #require(try Catalogue.builtIn()[11])
    let error = #expect(throws: DuplicateBooks.self) { try Catalogue([book, book]) }
    #expect(error?.pairs.map(\.id) == [11])
    #expect(error?.pairs.map(\.second) == [1])
  }

  // Prevents: a view model that cannot be shown in a preview.
  @Test func preview_needsNoApp() throws {
    var outputs: [BookPicker.Output] = []
    let books = try Catalogue.builtIn()
    let picker = BookPicker(scope: .preview { outputs.append($0) }, books: books)
    picker.select(11)
    picker.confirm()
    #expect(outputs == [.picked(11)])
  }
}
