// An app in a lab, with a member signed in: what the tests of flows start from.

import LibraryApp
import Millrace
import RaceLab
import Testing

extension EmbeddedLibrary {
  /// The library with the built-in books, always on the same day.
  @MainActor
  static func ofTheTests(
    _ weather: LibraryWeather = .calm, clock: any Clock<Duration> = InstantClock()
  ) throws -> EmbeddedLibrary {
    EmbeddedLibrary(
      catalogue: try SignedInApp.builtIn.get(), today: try #require(CalendarDate("2024-05-02")),
      weather: weather, clock: clock)
  }
}

/// An app, its library, and the tabs of the first session.
@MainActor
struct SignedInApp {
  let app: LibraryApp
  let script: ScriptedLibrary
  let library: EmbeddedLibrary
  let store = MemorySessionStore()
  let card: LibraryCard
  let tabs: SignedInFlow
  let catalogue: CatalogueFlow
  let readingList: ReadingListFlow
  let account: AccountFlow
  let books: Catalogue

  /// Read once: a search opens many apps.
  static let builtIn = Result { () throws(CatalogueError) in try Catalogue.builtIn() }

  init(_ lab: Lab, weather: LibraryWeather = .calm) async throws {
    books = try SignedInApp.builtIn.get()
    let library = try EmbeddedLibrary.ofTheTests(weather, clock: lab.clock)
    self.library = library
    script = ScriptedLibrary(library)
    app = LibraryApp(service: script, clock: lab.clock, store: store, seed: 1)
    await lab.settle()
    async let registered = library.register(name: "Ada", pin: "1815")
    await lab.advance(by: .seconds(60))
    card = try await registered
    try #require(app.signIn).signIn(with: card)
    await lab.advance(by: .seconds(60))
    tabs = try #require(app.signedIn)
    catalogue = try #require(tabs.catalogue)
    readingList = try #require(tabs.readingList)
    account = try #require(tabs.account)
    catalogue.load()
    await lab.advance(by: .seconds(60))
  }

  /// Opens a lending, and gives it and its picker.
  func lend(_ lab: Lab) async throws -> (lending: LendingFlow, picker: BookPicker) {
    catalogue.lend()
    await lab.settle()
    let lending = try #require(catalogue.lending.child?.flow)
    return (lending, try #require(lending.picker.child?.flow))
  }

  /// The same, with this book picked and the library asked whether it can be lent.
  func lend(_ book: Book.ID, _ lab: Lab) async throws -> (lending: LendingFlow, picker: BookPicker)
  {
    let (lending, picker) = try await lend(lab)
    picker.select(book)
    picker.confirm()
    await lab.settle()
    return (lending, picker)
  }
}
