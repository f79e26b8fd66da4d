// Gates before the library's answers: order, cancellation, deafness.

import LibraryApp
import Testing

@Suite struct ScriptedLibraryTests {
  private func openScript() async throws -> (script: ScriptedLibrary, ada: any LendingLibrary) {
    let day = try #require(CalendarDate("2024-05-02"))
    let script = ScriptedLibrary(EmbeddedLibrary(catalogue: try Catalogue.builtIn(), today: day))
    let card = try await script.register(name: "Ada", pin: "1234")
    return (script, script.desk(for: try await script.signIn(with: card)))
  }

  // Prevents: answers that come in the order of the calls although the script says otherwise.
  @Test func gates_decideTheOrderOfAnswers() async throws {
    let (script, ada) = try await openScript()
    let first = script.hold(.eligibility)
    let second = script.hold(.eligibility)
    let early = Task { try await ada.eligibility(of: 11) }
    await first.arrival()
    let late = Task { try await ada.eligibility(of: 14) }
    await second.arrival()
    second.open()
    await #expect(throws: (any Error).self) { try await late.value }
    #expect(!early.isCancelled)
    first.fail(LibraryError.noAnswer)
    first.open()
    await #expect(throws: LibraryError.noAnswer) { try await early.value }
    _ = try await ada.eligibility(of: 11)
  }

  // Prevents: a cooperative gate that holds a cancelled call, or a deaf one that lets it go.
  @Test func cancellation_isHeardUnlessDeaf() async throws {
    let (script, ada) = try await openScript()
    let cooperative = script.hold(.loans)
    let heard = Task { try await ada.loans() }
    await cooperative.arrival()
    heard.cancel()
    await #expect(throws: CancellationError.self) { try await heard.value }

    let deaf = script.hold(.loans, deaf: true)
    let unheard = Task { try await ada.loans() }
    await deaf.arrival()
    unheard.cancel()
    deaf.open()
    #expect(try await unheard.value.isEmpty)
  }

  // Prevents: a gate that was opened before the call came, and holds it for ever.
  @Test func gateOpenedEarly_letsTheCallThrough() async throws {
    let (script, ada) = try await openScript()
    let gate = script.hold(.loans)
    #expect(!gate.hasArrived)
    gate.open()
    #expect(try await ada.loans().isEmpty)
    #expect(gate.hasArrived)
    await gate.arrival()
  }
}
