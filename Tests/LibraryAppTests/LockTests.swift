// The lock of the app, and the readers of its device: what a link meets, and what the user sees of it.

import LibraryApp
import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct LockTests {
  /// An app with a reader signed in, and a host that shows what it is asked for.
  @MainActor
  private struct Shop {
    let app: LibraryApp
    let host: RecordingHost
    let card: LibraryCard
    let library: EmbeddedLibrary

    init(_ lab: Lab) async throws {
      library = try EmbeddedLibrary.ofTheTests()
      host = RecordingHost()
      app = LibraryApp(service: library, clock: lab.clock, host: host, seed: 1)
      card = try await library.register(name: "Ada", pin: "1815")
      await lab.settle()
      try await signIn(lab, card)
    }

    func signIn(_ lab: Lab, _ card: LibraryCard) async throws {
      try #require(app.signIn).signIn(with: card)
      await lab.settle()
    }

    var lockScreen: LockFlow? { app.signedIn?.lockScreen.child?.flow }
    var page: BookPage? { app.signedIn?.catalogue?.page.child?.flow }

    func unlock(_ pin: String = "1815") {
      lockScreen?.pin = pin
      lockScreen?.unlock()
    }
  }

  // Prevents: a link that opens a book past the lock, or is lost by it.
  @Test func linkToALockedApp_waitsForThePIN() async throws {
    try await Lab.run { lab in
      let shop = try await Shop(lab)
      #expect(shop.app.lock.lock())
      #expect(shop.app.window.navigation.layers.last?.presentation == .cover)
      let calls = await shop.library.calls(by: shop.app.signedIn?.account?.member.id)
      let link = shop.app.links.deliver("millrace://books/11")
      await lab.settle()
      #expect(link.verdict == .parked(.locked))
      shop.unlock("0000")
      await lab.settle()
      #expect(shop.lockScreen?.notice != nil && shop.lockScreen?.pin == "")
      #expect(link.verdict == .parked(.locked))
      #expect(await shop.library.calls(by: shop.app.signedIn?.account?.member.id) == calls)
      shop.unlock()
      await lab.settle()
      #expect(link.verdict == .routed)
      #expect(shop.page?.book.id == 11)
      #expect(shop.app.window.navigation.layers.count == 1)
    }
  }

  // Prevents: a second window that shows what the first one hides.
  @Test func lock_isOverEveryWindow_andGoesFromAll() async throws {
    try await Lab.run { lab in
      let shop = try await Shop(lab)
      let hosts = [RecordingHost(), RecordingHost()]
      let before = shop.app.openWindow(host: hosts[0])
      await lab.settle()
      shop.app.lock.lock()
      let after = shop.app.openWindow(host: hosts[1])
      await lab.settle()
      for window in [shop.app.window, before, after] {
        #expect(window.navigation.layers.map(\.presentation) == [.root, .cover])
      }
      // Locked again, it is no second screen.
      shop.app.lock.lock()
      #expect(after.navigation.layers.count == 2)
      let screen = (after.rootFlow as? SignedInFlow)?.lockScreen.child?.flow
      screen?.pin = "1815"
      screen?.unlock()
      await lab.settle()
      for window in [shop.app.window, before, after] {
        #expect(window.navigation.layers.map(\.presentation) == [.root])
      }
    }
  }

  // Prevents: a lock that can be swiped away, or that outlives the session that it was for.
  @Test func lock_staysUntilThePINOrTheEndOfTheSession() async throws {
    try await Lab.run { lab in
      let shop = try await Shop(lab)
      shop.app.lock.lock()
      let screen = try #require(shop.lockScreen)
      #expect(shop.app.window.navigate(.dismiss(screen.scope.id), from: .user) != .done)
      #expect(screen.scope.isCurrent && shop.app.lock.isLocked)
      screen.signOut()
      await lab.settle()
      #expect(!shop.app.lock.isLocked)
      #expect(!shop.app.lock.lock(), "there is nothing to lock")
      try await shop.signIn(lab, shop.card)
      #expect(shop.lockScreen == nil)
    }
  }

  // Prevents: a notice for one reader that is opened by another, or a question for nobody.
  @Test(arguments: [true, false])
  func linkForAnotherReader_isAskedAbout(_ wants: Bool) async throws {
    try await Lab.run { lab in
      let shop = try await Shop(lab)
      let grace = try await shop.library.register(name: "Grace", pin: "1906")
      let unknown = shop.app.links.deliver("millrace://account?account=M2")
      #expect(unknown.verdict == .rejected(.unknownAccount(Account("M2"))))
      shop.app.signedIn?.signOut()
      try await shop.signIn(lab, grace)
      let session = shop.app.runtime.session
      let link = shop.app.links.deliver("millrace://books/11?account=M1")
      await lab.settle()
      #expect(link.verdict == .parked(.needsAccountSwitch(Account("M1"))))
      let top = try #require(shop.app.window.navigation.top)
      let question = try #require(shop.app.window.flow(top.id) as? any AlertPresenting)
      #expect(question.content.title == "Change to M1?")
      question.choose(wants ? 0 : 1)
      await lab.settle()
      guard wants else {
        #expect(link.verdict == .rejected(.declined))
        #expect(shop.app.runtime.session == session)
        return
      }
      #expect(link.verdict == .parked(.needsSignIn))
      #expect(shop.app.signIn?.number == shop.card.number, "his card is filled in")
      #expect(shop.app.signIn?.pin == "")
      try await shop.signIn(lab, shop.card)
      #expect(link.verdict == .routed)
      #expect(shop.page?.book.id == 11)
    }
  }

  // Prevents: a link to the window in front whose catalogue only the first window has.
  @Test func link_goesToTheWindowInFront() async throws {
    try await Lab.run { lab in
      let shop = try await Shop(lab)
      let host = RecordingHost()
      _ = shop.app.links
      let second = shop.app.openWindow(host: host)
      shop.app.activate(second)
      await lab.settle()
      let link = shop.app.links.deliver("millrace://books/11")
      await lab.settle()
      #expect(link.verdict == .routed)
      #expect(shop.page == nil)
      #expect((second.rootFlow as? SignedInFlow)?.catalogue?.page.child?.flow?.book.id == 11)
    }
  }

  // Prevents: any order of lock, sign-out and sign-in in which a book is shown past the lock, or the
  // app stays locked with no screen to unlock it.
  @Test(arguments: [false, true]) func lockAtAnyStep_keepsTheLinkOut(_ signsOut: Bool) async throws
  {
    try await explore(schedules: 300) { lab in
      let shop = try await Shop(lab)
      lab.adversary("lock") { shop.app.lock.lock() }
      if signsOut { lab.adversary("sign out") { shop.app.signedIn?.signOut() } }
      lab.always("who is locked sees the lock") {
        !shop.app.lock.isLocked || shop.lockScreen != nil
      }
      shop.app.links.onVerdict = { delivery in
        if delivery.verdict == .routed, shop.lockScreen != nil {
          lab.fail("routed under the lock")
        }
      }
      let link = shop.app.links.deliver("millrace://books/11")
      await lab.settle()
      if shop.app.signedIn == nil { try await shop.signIn(lab, shop.card) }
      shop.unlock()
      await lab.settle()
      if shop.app.signedIn == nil { try await shop.signIn(lab, shop.card) }
      shop.unlock()
      await lab.settle()
      try lab.require(link.verdict == .routed, "\(link.verdict)")
    }
  }
}
