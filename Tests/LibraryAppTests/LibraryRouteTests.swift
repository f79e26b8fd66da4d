// The places of the example, by links and from saved bytes.

import LibraryApp
import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct LibraryRouteTests {
  private struct Shop {
    let app: LibraryApp
    let host: RecordingHost
    let library: EmbeddedLibrary
  }

  private func signedIn(_ lab: Lab) async throws -> Shop {
    let library = try EmbeddedLibrary.ofTheTests()
    let host = RecordingHost()
    let app = LibraryApp(service: library, clock: lab.clock, host: host, seed: 1)
    let card = try await library.register(name: "Ada", pin: "1815")
    await lab.settle()
    try #require(app.signIn).signIn(with: card)
    await lab.settle()
    return Shop(app: app, host: host, library: library)
  }

  // Fault: a link to a book works only after the catalogue was looked at.
  @Test func linkToABook_showsItsPage() async throws {
    try await Lab.run { lab in
      let shop = try await signedIn(lab)
      let delivery = shop.app.links.deliver("https://library.example/books/11")
      await lab.settle()
      #expect(delivery.verdict == .routed)
      #expect(shop.app.signedIn?.catalogue?.page.child?.flow?.book.id == 11)
      #expect(shop.app.window.navigation.root?.screens.first?.selectedStack?.screens.count == 2)
      let account = shop.app.links.deliver("millrace://account")
      await lab.settle()
      #expect(account.verdict == .routed)
      #expect(shop.app.window.navigation.top?.id == shop.app.signedIn?.account?.scope.id)
    }
  }

  // Fault: a book that the library does not have opens an empty page.
  @Test func linkToNoBook_changesNothing() async throws {
    try await Lab.run { lab in
      let shop = try await signedIn(lab)
      let before = shop.app.window.navigation
      let delivery = shop.app.links.deliver("millrace://books/999999999")
      await lab.settle()
      #expect(delivery.verdict == .rejected(.notFound("book 999999999")))
      #expect(shop.app.window.navigation == before)
    }
  }

  // Fault: every place of the table has a flow, but not the one that its link names.
  @Test(arguments: [
    LibraryRoute.home, .catalogue, .readingList, .account, .book(id: 11),
  ])
  func everyPlace_isShownByItsOwnLink(_ route: LibraryRoute) async throws {
    try await Lab.run { lab in
      let shop = try await signedIn(lab)
      let url = try LibraryRoute.links.print(Link(route))
      #expect(try LibraryRoute.links.parse(url) == Link(route))
      let delivery = shop.app.links.deliver(url)
      await lab.settle()
      #expect(delivery.verdict == .routed)
      #expect(shop.app.links.plan(route)?.changesNothing == true)
    }
  }

  // Fault: a place that was saved, or written by hand, is not shown in the next launch.
  @Test func place_isKeptAndRestored() async throws {
    try await Lab.run { lab in
      let shop = try await signedIn(lab)
      let store = MemoryPlaceStore()
      shop.app.keepPlace(in: store)
      shop.app.links.deliver("millrace://books/11")
      await lab.settle()
      await lab.advance(by: .seconds(2))
      let bytes = try #require(await store.stored)
      let account = try #require(shop.app.runtime.session?.account)

      let next = try await signedIn(lab)
      var reports: [PlaceReport] = []
      try next.app.restore(bytes) { reports.append($0) }
      await lab.settle()
      #expect(reports == [.restored])
      #expect(next.app.signedIn?.catalogue?.page.child?.flow?.book.id == 11)

      let third = try await signedIn(lab)
      let byHand = """
        {"version": 1, "account": "\(account)", "stack": [{"route": {"home": {}}, "selected": 0,
         "tabs": [[{"route": {"catalogue": {}}}, {"route": {"book": {"id": 11}}}]]}]}
        """
      try third.app.restore(Array(byHand.utf8))
      await lab.settle()
      #expect(third.app.signedIn?.catalogue?.page.child?.flow?.book.id == 11)
      #expect(throws: PlaceError.self) { try third.app.restore([1, 2, 3]) }
    }
  }
}
