import Millrace
import MillraceTesting
import RaceLab
import Testing

struct Shelf: Library {
  @concurrent func books() async throws -> [Book] {
    [Book(id: 1, title: "Emma"), Book(id: 2, title: "Walden")]
  }
  @concurrent func term(of book: Int) async throws -> Int { 14 * book }
}

@MainActor @Test func picker_tellsWhatWasPicked() async throws {
  try await Lab.run { lab in
    let probe = FlowProbe { BookPicker(scope: $0, library: Shelf()) }
    #expect(probe.flow.books.isLoading)
    await lab.settle()
    #expect(probe.flow.books.value?.map(\.title) == ["Emma", "Walden"])
    probe.flow.select(2)
    probe.flow.confirm()
    #expect(probe.outputs == [.picked(2)])
    probe.flow.cancel()  // too late: refused, and nothing follows from it
    #expect(probe.outputs == [.picked(2)])
    #expect(probe.runtime.refusals == [.endAfterEnd: 1])
  }
}
