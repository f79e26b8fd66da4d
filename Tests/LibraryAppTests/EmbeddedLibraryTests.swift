// The embedded library: whose calls are answered, what loans need, keys, weather.

import LibraryApp
import Testing

@Suite struct EmbeddedLibraryTests {
  private let opening = CalendarDate(year: 2024, month: 5, day: 2)

  private func openLibrary(_ weather: LibraryWeather = .calm) throws -> EmbeddedLibrary {
    EmbeddedLibrary(
      catalogue: try Catalogue.builtIn(), today: try #require(opening), weather: weather)
  }

  private func desk(
    _ name: String, at library: EmbeddedLibrary
  ) async throws -> any LendingLibrary {
    let card = try await library.register(name: name, pin: "1234")
    return library.desk(for: try await library.signIn(with: card))
  }

  // Prevents: a call that is carried out for whoever happens to be signed in.
  @Test func twoDesks_callForTheirOwnAccount() async throws {
    let library = try openLibrary()
    let ada = try await desk("Ada", at: library)
    let ben = try await desk("Ben", at: library)
    _ = try await ada.addToReadingList(11)
    _ = try await ben.addToReadingList(12)
    #expect(try await ada.readingList() == [11])
    #expect(try await ben.readingList() == [12])
    let calls = await library.calls(by: ada.member.id)
    #expect(calls == [.addToReadingList: 1, .readingList: 1])
  }

  // Prevents: work that goes on with the credential of a sign-in that is over.
  @Test func revokedCredential_isRefused() async throws {
    let library = try openLibrary()
    let card = try await library.register(name: "Ada", pin: "1234")
    let first = try await library.signIn(with: card)
    let second = try await library.signIn(with: card)
    try await library.revoke(first)
    await #expect(throws: LibraryError.signedOut) {
      _ = try await library.desk(for: first).loans()
    }
    #expect(try await library.desk(for: second).loans().isEmpty)
  }

  // Prevents: a member opened without a name, with a wrong PIN, or with another's card.
  @Test func wrongInput_isRefused() async throws {
    let library = try openLibrary()
    await #expect(throws: LibraryError.unusableName) {
      _ = try await library.register(name: " \n", pin: "1234")
    }
    for pin in ["", "123", "12345", "12a4", "१२३४"] {
      await #expect(throws: LibraryError.unusablePIN) {
        _ = try await library.register(name: "Ada", pin: pin)
      }
    }
    let card = try await library.register(name: "Ada", pin: "1234")
    await #expect(throws: LibraryError.wrongCard) {
      _ = try await library.signIn(with: LibraryCard(number: card.number, pin: "4321"))
    }
    let ada = library.desk(for: try await library.signIn(with: card))
    await #expect(throws: LibraryError.unknownBook(14)) { _ = try await ada.eligibility(of: 14) }
    await #expect(throws: LibraryError.unknownBook(14)) { _ = try await ada.addToReadingList(14) }
  }

  // Prevents: one copy lent to two readers, or more loans than the limit.
  @Test func loans_followTheRules() async throws {
    let library = try openLibrary()
    let ada = try await desk("Ada", at: library)
    let ben = try await desk("Ben", at: library)
    let due = try #require(CalendarDate("2024-05-23"))
    #expect(try await ada.eligibility(of: 11) == .eligible(until: due))
    let receipt = try await ada.lend(11, key: RequestKey("a"))
    #expect(receipt.number == 1 && receipt.member == ada.member.id && receipt.due == due)
    #expect(try await ben.eligibility(of: 11) == .refused(.onLoan(back: due)))
    await #expect(throws: LibraryError.notEligible(11, .onLoan(back: due))) {
      _ = try await ben.lend(11, key: RequestKey("b"))
    }
    try await ben.giveBack(11)
    #expect(try await ada.loans() == [receipt], "another reader cannot give it back")
    _ = try await ada.checkOut([12, 13, 15, 16], at: .harbour, key: RequestKey("c"))
    #expect(try await ada.eligibility(of: 18) == .refused(.loanLimit(5)))
    try await ada.giveBack(11)
    #expect(try await ada.eligibility(of: 18) == .eligible(until: due))
  }

  // Prevents: half a basket on loan when one book of it cannot be had.
  @Test func checkOutWithOneRefusal_lendsNothing() async throws {
    let library = try openLibrary()
    let ada = try await desk("Ada", at: library)
    await #expect(throws: LibraryError.unknownBook(14)) {
      _ = try await ada.checkOut([11, 14], at: .main, key: RequestKey("a"))
    }
    await #expect(throws: LibraryError.nothingToCheckOut) {
      _ = try await ada.checkOut([], at: .main, key: RequestKey("a"))
    }
    #expect(try await ada.loans().isEmpty)
    #expect(try await ada.lend(11, key: RequestKey("a")).number == 1)
  }

  // Prevents: a retry that lends twice, and a key that answers for another request.
  @Test func sameKey_isTheSameRequest() async throws {
    let library = try openLibrary()
    let ada = try await desk("Ada", at: library)
    let first = try await ada.lend(11, key: RequestKey("a"))
    #expect(try await ada.lend(11, key: RequestKey("a")) == first)
    await #expect(throws: LibraryError.keyInUse) {
      _ = try await ada.lend(12, key: RequestKey("a"))
    }
    #expect(try await ada.loans() == [first])
  }

  // Prevents: a seed that gives another day, and faults that never or always strike.
  @Test func weather_dependsOnSeedAndCallOnly() async throws {
    func faults(seed: UInt64) async throws -> [String] {
      let weather = LibraryWeather(seed: seed, latency: .zero...(.zero), faults: 0.5)
      let library = try openLibrary(weather)
      var outcomes: [String] = []
      for _ in 0..<40 {
        do {
          _ = try await library.register(name: "Ada", pin: "1234")
          outcomes.append("done")
        } catch { outcomes.append("\(error)") }
      }
      return outcomes
    }
    let first = try await faults(seed: 7)
    let again = try await faults(seed: 7)
    let other = try await faults(seed: 8)
    #expect(first == again)
    #expect(first != other)
    #expect(Set(first).count == 3, "done, unreachable and unanswered all occur")
  }

  // Prevents: a request reported as not done that was done, or the other way round.
  @Test func lostAnswer_leavesTheWorkDone() async throws {
    let library = try openLibrary(
      LibraryWeather(seed: 3, latency: .zero...(.zero), faults: 0.5))
    var cards = 0
    var unanswered = 0
    for _ in 0..<60 {
      do {
        let card = try await library.register(name: "Ada", pin: "1234")
        cards += 1
        #expect(card.number == "L-\(cards + unanswered)")
      } catch LibraryError.noAnswer {
        unanswered += 1
      } catch LibraryError.unreachable {}
    }
    #expect(cards > 0 && unanswered > 0)
  }
}
