import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor func twoBooksAreMarked(_ lab: Lab) async throws {
  let probe = FlowProbe { HastyPicker(scope: $0, library: Shelf()) }
  probe.flow.select(1)
  probe.flow.select(2)
  await lab.settle()
  try lab.require(probe.flow.term == 28, "the term is that of the book that is marked")
}

@MainActor @Test func hastyPicker_showsTheTermOfAnotherBook() async throws {
  await #expect(throws: ExplorationFailure.self) {
    try await explore("two books are marked", twoBooksAreMarked)
  }
}

@MainActor @Test func picker_showsTheTermOfTheBookThatIsMarked() async throws {
  try await explore("two books are marked", schedules: 1_000) { lab in
    let probe = FlowProbe { BookPicker(scope: $0, library: Shelf()) }
    await lab.settle()
    probe.flow.select(1)
    probe.flow.select(2)
    await lab.settle()
    try lab.require(probe.flow.term == .loaded(28), "the term is that of the book that is marked")
  }
}
