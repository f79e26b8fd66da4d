// The app as a whole: sessions, what crosses them, and what stays behind.

import LibraryApp
import Millrace
import RaceLab
import Testing

@MainActor @Suite struct AppTests {
  // Prevents: a sign-in screen that flickers before the store has answered, and a wrong PIN or a
  // double tap that does more than it should.
  @Test func app_startsUndeterminedAndSignsInOnce() async throws {
    try await Lab.run { lab in
      let library = try EmbeddedLibrary.ofTheTests()
      let card = try await library.register(name: "Ada", pin: "1815")
      let app = LibraryApp(
        service: library, clock: lab.clock, store: MemorySessionStore(), seed: 1)
      #expect(app.window.rootFlow is SplashFlow)
      await lab.settle()
      let signIn = try #require(app.signIn)
      #expect(!signIn.canSignIn)
      signIn.number = card.number
      signIn.pin = "0000"
      signIn.signIn()
      await lab.settle()
      #expect(signIn.notice == "\(LibraryError.wrongCard)")
      signIn.pin = card.pin
      signIn.signIn()
      signIn.signIn()
      await lab.settle()
      #expect(app.signedIn?.account?.member.name == "Ada")
      #expect(await library.calls(by: nil)[.signIn] == 2)
      #expect(!signIn.scope.isCurrent)
      #expect(app.runtime.refusals.isEmpty)
    }
  }

  // Prevents: clean-up that waits for the network, and an old session that comes back at the next
  // launch because a renewal landed late.
  @Test(arguments: [false, true])
  func signOut_isLocalFirst(deaf: Bool) async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let renewal = session.script.hold(.renew, deaf: deaf)
      let revocation = session.script.hold(.revoke, deaf: true)
      session.account.renew()
      await lab.settle()
      session.account.signOut()
      #expect(session.app.runtime.session == nil)
      #expect(session.app.runtime.counts.flows == 1)
      #expect(!session.tabs.scope.isCurrent)
      await lab.settle()
      #expect(session.app.signIn != nil)
      renewal.open()
      await lab.settle()
      #expect(await session.store.stored == nil)
      await lab.advance(by: .seconds(60))
      revocation.open()
      await lab.settle()
      #expect(session.app.runtime.counts.operations == 0)
    }
  }

  // Prevents: what an old screen does to the session of the same member.
  @Test func flowsOfAnEarlierEpoch_changeNothing() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      session.account.signOut()
      try #require(session.app.signIn).signIn(with: session.card)
      await lab.settle()
      let tabs = try #require(session.app.signedIn)
      let stored = await session.store.stored
      session.tabs.signOut()
      session.account.signOut()
      session.account.renew()
      let other = try await session.library.signIn(with: session.card)
      #expect(session.account.keep(other) == .refused(.noSession))
      session.catalogue.load()
      session.readingList.remove(11)
      await lab.settle()
      #expect(session.app.signedIn === tabs)
      #expect(await session.store.stored == stored)
      #expect(
        session.app.runtime.refusals == [.noSession: 2, .emitAfterEnd: 1, .workAfterEnd: 3])
    }
  }

  // Prevents: a load per tap, and a load that takes a new loan off the screen again.
  @Test(arguments: [false, true])
  func loadsOfLoans_areSharedAndYieldToNewLoans(deaf: Bool) async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      let member = session.account.member.id
      session.account.load()
      session.account.load()
      await lab.settle()
      #expect(session.account.loans == .loaded([]))
      #expect(await session.library.calls(by: member)[.loans] == 1)

      let gate = session.script.hold(.loans, deaf: deaf)
      session.account.load()
      await lab.settle()
      #expect(session.account.loans.isLoading && session.account.loans.value == [])
      let (lending, _) = try await session.lend(11, lab)
      lending.confirmation.child?.flow?.confirm()
      await lab.settle()
      gate.open()
      await lab.settle()
      #expect(session.account.loans.value?.map(\.book) == [11])
      #expect(!session.account.loans.isLoading)
    }
  }

  // Prevents: signed-in tabs without a credential, after a relaunch that knows the name only.
  @Test func storedSessionWithoutCredential_asksForTheCard() async throws {
    try await Lab.run { lab in
      let library = try EmbeddedLibrary.ofTheTests()
      let card = try await library.register(name: "Ada", pin: "1815")
      let store = MemorySessionStore(StoredSession(account: Account("M1")))
      let app = LibraryApp(service: library, clock: lab.clock, store: store, seed: 1)
      await lab.settle()
      try #require(app.signIn).signIn(with: card)
      await lab.settle()
      #expect(app.signedIn?.account?.member.name == "Ada")
    }
  }

  // Prevents: closures that capture `self` and keep a session's flows for ever.
  @Test func manySessions_leaveNothingInMemory() async throws {
    try await Lab.run { lab in
      let session = try await SignedInApp(lab)
      weak var firstTabs: SignedInFlow?
      for round in 0..<50 {
        if let tabs = session.app.signedIn {
          tabs.catalogue?.load()
          await lab.settle()
          tabs.catalogue?.lend()
          tabs.readingList?.add(from: session.books)
          tabs.account?.writeNote(about: session.books)
          await lab.settle()
          if round == 1 { firstTabs = tabs }
          tabs.account?.signOut()
        }
        try #require(session.app.signIn).signIn(with: session.card)
        await lab.settle()
      }
      #expect(firstTabs == nil)
      #expect(session.app.runtime.counts.flows == 4)
      #expect(session.app.runtime.counts.operations == 0)
      // The first session's flows are held by this test.
      let held = ["SignedInFlow", "CatalogueFlow", "ReadingListFlow", "AccountFlow"]
      #expect(Set(session.app.runtime.leaks().map(\.name)).isSubset(of: held))
      #expect(session.app.runtime.leaks().count <= held.count)
    }
  }

  // Prevents: latency that is real time, and a load that shows its answer too early.
  @Test func latency_passesOnTheInjectedClock() async throws {
    try await Lab.run { lab in
      let weather = LibraryWeather(
        seed: 7, latency: .seconds(2)...(.seconds(3)), faults: 0)
      let session = try await SignedInApp(lab, weather: weather)
      session.account.load()
      await lab.advance(by: .seconds(1))
      #expect(session.account.loans.isLoading)
      await lab.advance(by: .seconds(2))
      #expect(session.account.loans == .loaded([]))
    }
  }
}
