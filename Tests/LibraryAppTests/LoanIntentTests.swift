// The intent of a loan: made when the form opens, the same for every tap, and kept over a relaunch.

import LibraryApp
import Millrace
import MillraceRoutes
import RaceLab
import Testing

@MainActor @Suite struct LoanIntentTests {
  /// One launch of the app. Library and journal outlast it.
  @MainActor
  private struct Launch {
    let app: LibraryApp
    let catalogue: CatalogueFlow
    let places = MemoryPlaceStore()

    init(
      _ lab: Lab, _ library: any LibraryService, _ card: LibraryCard,
      _ journal: any WriteJournal, seed: UInt64
    ) async throws {
      app = LibraryApp(service: library, clock: lab.clock, journal: journal, seed: seed)
      await lab.settle()
      try #require(app.signIn).signIn(with: card)
      await lab.settle()
      catalogue = try #require(app.signedIn?.catalogue)
    }

    /// Opens the form, and gives it.
    func open(_ lab: Lab) async throws -> LendingFlow {
      await keepPlace(lab)
      catalogue.lend()
      await lab.settle()
      return try #require(catalogue.lending.child?.flow)
    }

    /// Opens the basket, and gives it.
    func openBasket(_ lab: Lab) async throws -> CheckoutFlow {
      await keepPlace(lab)
      catalogue.checkOut()
      await lab.settle()
      return try #require(catalogue.checkout.child?.flow)
    }

    private func keepPlace(_ lab: Lab) async {
      catalogue.load()
      await lab.settle()
      app.keepPlace(in: places)
    }

    /// Ends as a process does, and gives the place that it has saved.
    func end(_ lab: Lab) async throws -> [UInt8] {
      await lab.advance(by: .seconds(5))
      let place = try #require(await places.stored)
      app.close()
      return place
    }

    /// The form that was open in an earlier launch.
    func restored(_ place: [UInt8], _ lab: Lab) async throws -> LendingFlow {
      try await restore(place, lab)
      return try #require(catalogue.lending.child?.flow)
    }

    /// The basket that was open in an earlier launch.
    func restoredBasket(_ place: [UInt8], _ lab: Lab) async throws -> CheckoutFlow {
      try await restore(place, lab)
      return try #require(catalogue.checkout.child?.flow)
    }

    private func restore(_ place: [UInt8], _ lab: Lab) async throws {
      var reports: [PlaceReport] = []
      try app.restore(place) { reports.append($0) }
      await lab.settle()
      #expect(reports == [.restored])
    }
  }

  private func choose(_ book: Book.ID, in form: LendingFlow, _ lab: Lab) async throws {
    let picker = try #require(form.picker.child?.flow)
    picker.select(book)
    picker.confirm()
    picker.confirm()
    await lab.settle()
    let question = try #require(form.confirmation.child?.flow)
    question.confirm()
    question.confirm()
    await lab.settle()
  }

  // Prevents: a key for each tap, and two loans.
  @Test func twoTaps_areOneLoan() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      session.catalogue.lend()
      await lab.settle()
      let form = try #require(session.catalogue.lending.child?.flow)
      let intent = form.intent
      try await choose(11, in: form, lab)
      let writes = try #require(session.app.runtime.writes)
      #expect(writes.entries.map(\.write.intent) == [intent])
      let calls = await session.library.calls(by: session.account.member.id)
      #expect(calls[.lend] == 1)
    }
  }

  // Prevents: a form whose key goes with the process. Then a loan that is under way is made once more.
  @Test func restoredForm_keepsItsIntent() async throws {
    try await Lab.run { lab in
      let library = try EmbeddedLibrary.ofTheTests()
      let card = try await library.register(name: "Ada", pin: "1815")
      let journal = MemoryWriteJournal()
      let first = try await Launch(lab, library, card, journal, seed: 1)
      let form = try await first.open(lab)
      let place = try await first.end(lab)

      let second = try await Launch(lab, library, card, journal, seed: 2)
      let again = try await second.restored(place, lab)
      #expect(again.intent == form.intent && again.stage == .choosing && again.notice == nil)
      try await choose(11, in: again, lab)
      #expect(!again.scope.isCurrent)
      #expect(second.app.runtime.writes?.done.map(\.write.intent) == [form.intent])
    }
  }

  // Prevents: the user is asked to choose again, though the loan was sent, and lends a second book.
  @Test func restoredFormOfASentLoan_tellsWhatCameOfIt() async throws {
    try await Lab.run { lab in
      let library = try EmbeddedLibrary.ofTheTests()
      let script = ScriptedLibrary(library)
      let card = try await library.register(name: "Ada", pin: "1815")
      let journal = MemoryWriteJournal()
      let first = try await Launch(lab, script, card, journal, seed: 1)
      let form = try await first.open(lab)
      let never = script.hold(.lend, deaf: true)
      try await choose(11, in: form, lab)
      #expect(form.stage == .lending && never.hasArrived)
      let place = try await first.end(lab)

      let answer = script.hold(.lend)
      let second = try await Launch(lab, script, card, journal, seed: 2)
      let again = try await second.restored(place, lab)
      #expect(again.intent == form.intent && again.stage == .lending)
      answer.open()
      await lab.settle()
      #expect(!again.scope.isCurrent)
      #expect(second.app.signedIn?.activity.first == .lent([11]))
      second.app.signedIn?.account?.load()
      await lab.settle()
      #expect(second.app.signedIn?.account?.loans.value?.map(\.book) == [11])
      never.open()
    }
  }

  private func order(_ book: Book.ID, in basket: CheckoutFlow, _ lab: Lab) async throws {
    let step = try #require(basket.basketStep.child?.flow)
    step.toggle(book)
    step.next()
    basket.branchStep.child?.flow?.choose(.main)
    try #require(basket.reviewStep.child?.flow).place()
    await lab.settle()
  }

  // Prevents: a basket whose key goes with the process. Then an order that was sent is made once more.
  @Test func restoredBasketOfASentOrder_tellsWhatCameOfIt() async throws {
    try await Lab.run { lab in
      let library = try EmbeddedLibrary.ofTheTests()
      let script = ScriptedLibrary(library)
      let card = try await library.register(name: "Ada", pin: "1815")
      let journal = MemoryWriteJournal()
      let first = try await Launch(lab, script, card, journal, seed: 1)
      let basket = try await first.openBasket(lab)
      let never = script.hold(.checkOut, deaf: true)
      try await order(11, in: basket, lab)
      #expect(never.hasArrived)
      let place = try await first.end(lab)

      let answer = script.hold(.checkOut)
      let second = try await Launch(lab, script, card, journal, seed: 2)
      let again = try await second.restoredBasket(place, lab)
      #expect(again.intent == basket.intent && again.isUnderWay)
      try await order(12, in: again, lab)
      answer.open()
      await lab.settle()
      #expect(!again.scope.isCurrent)
      #expect(second.app.signedIn?.activity.first == .lent([11]))
      #expect(second.app.runtime.writes?.entries.map(\.write.intent) == [basket.intent])
      never.open()
    }
  }

  // Prevents: a restored basket that waits for an order which nobody has made.
  @Test func restoredBasket_ordersWithItsIntent() async throws {
    try await Lab.run { lab in
      let library = try EmbeddedLibrary.ofTheTests()
      let card = try await library.register(name: "Ada", pin: "1815")
      let journal = MemoryWriteJournal()
      let first = try await Launch(lab, library, card, journal, seed: 1)
      let basket = try await first.openBasket(lab)
      let place = try await first.end(lab)

      let second = try await Launch(lab, library, card, journal, seed: 2)
      let again = try await second.restoredBasket(place, lab)
      #expect(again.intent == basket.intent && !again.isUnderWay && again.notice == nil)
      try await order(11, in: again, lab)
      #expect(!again.scope.isCurrent)
      #expect(second.app.runtime.writes?.done.map(\.write.intent) == [basket.intent])
    }
  }

  // Prevents: the second loan of a form answers with the refusal of the first.
  @Test func refusedLoan_givesTheFormANewIntent() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let other = try await session.library.register(name: "Ben", pin: "1816")
      let desk = session.library.desk(for: try await session.library.signIn(with: other))
      let (form, picker) = try await session.lend(11, lab)
      let intent = form.intent
      _ = try await desk.lend(11, key: RequestKey("other"))
      form.confirmation.child?.flow?.confirm()
      await lab.settle()
      #expect(form.notice == "Book 11 cannot be lent: it is on loan until 2024-05-23.")
      #expect(form.intent != intent)
      picker.select(12)
      picker.confirm()
      await lab.settle()
      form.confirmation.child?.flow?.confirm()
      await lab.settle()
      #expect(session.tabs.activity.first == .lent([12]))
    }
  }

  // Prevents: words of the runtime, or of a decoder, on the screen.
  @Test func everyError_hasWordsForPeople() {
    struct Odd: Error { let code = 17 }
    let refusals: [RefusalKind] = [
      .alreadyRunning, .alreadySettled, .intentInUse, .noSession, .noService, .journalReadOnly,
      .closed, .workAfterEnd,
    ]
    let journal = "\(JournalError(.full, "/var/app/writes.db"))"
    var errors: [any Error] = refusals.map { WriteError.refused($0) }
    errors += [WriteError.unknownIntent, WriteError.ended(.refused, reason: journal)]
    errors += [
      WriteError.ended(.withdrawn, reason: ""), Odd(), OperationTimedOut(limit: .seconds(1)),
    ]
    errors += [LibraryError.busy(retryAfter: 3), LibraryError.noAnswer]
    let foreign = ["intent", "scope", "write", "journal", "/var", "Odd", "17", "(", "`", "runtime"]
    for error in errors {
      let words = userWords(for: error)
      #expect(words.hasSuffix(".") && words.first?.isUppercase == true, "\(words)")
      for word in foreign { #expect(!words.contains(word), "\(words)") }
    }
    #expect(userWords(for: WriteError.ended(.rejected, reason: "It is lent.")) == "It is lent.")
  }
}
