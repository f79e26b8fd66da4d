// What `millrace explore` runs: walks through the library app in which something strikes between
// any two steps. After each of them nothing of the old state may act, and nothing may be left.

import LibraryApp
import Millrace
import RaceLab

enum LibraryScenarios {
  static let all = [
    Scenario("sign-out during lending") { lab in
      let walk = try await Walk(lab)
      lab.adversary("sign out") { walk.app.runtime.signOut() }
      await walk.lend(lab)
      try walk.endsSignedOut(lab)
    },
    Scenario("dismissal during lending") { lab in
      let walk = try await Walk(lab)
      walk.catalogue.lend()
      let lending = walk.catalogue.lending.child
      lab.adversary("dismiss") { _ = lending?.dismiss() }
      await walk.lend(lab)
      try lab.require(lending?.isCurrent == false, "the lending has ended")
      try walk.isQuiet(lab)
    },
    Scenario("replacement during lending") { lab in
      let walk = try await Walk(lab)
      walk.catalogue.lend()
      let old = walk.catalogue.lending.child
      lab.adversary("lend anew") { walk.catalogue.lend() }
      await walk.lend(lab)
      let new = walk.catalogue.lending.child
      try lab.require(old?.isCurrent != true || new?.id == old?.id, "one lending at a time")
      try walk.isQuiet(lab)
    },
    Scenario("sign-out and in again during lending") { lab in
      let walk = try await Walk(lab)
      let before = walk.app.runtime.session
      lab.adversary("sign in again") {
        guard let account = before?.account else { return }
        walk.app.runtime.signIn(account)
      }
      await walk.lend(lab)
      let after = walk.app.runtime.session
      try lab.require(after != nil && after != before, "a new epoch is open")
      try lab.require(!walk.catalogue.scope.isCurrent, "the old screens have ended")
      try walk.isQuiet(lab)
    },
  ]
}

/// An app with a member signed in, and the way to a loan.
@MainActor
private struct Walk {
  let app: LibraryApp
  let catalogue: CatalogueFlow

  /// Read once: a search opens many apps.
  private static let books = Result { () throws(CatalogueError) in try Catalogue.builtIn() }

  init(_ lab: Lab) async throws {
    let library = EmbeddedLibrary(
      catalogue: try Walk.books.get(), today: try found(CalendarDate("2024-05-02")),
      weather: .calm, clock: lab.clock)
    app = LibraryApp(service: library, clock: lab.clock, store: MemorySessionStore(), seed: 1)
    await lab.settle()
    async let registered = library.register(name: "Ada", pin: "1815")
    await lab.advance(by: .seconds(60))
    let card = try await registered
    try found(app.signIn).signIn(with: card)
    await lab.advance(by: .seconds(60))
    catalogue = try found(app.signedIn?.catalogue)
    catalogue.load()
    await lab.advance(by: .seconds(60))
  }

  /// Does what is still there to be done on the way to a loan.
  func lend(_ lab: Lab) async {
    if catalogue.lending.child == nil { catalogue.lend() }
    await lab.settle()
    let picker = catalogue.lending.child?.flow?.picker.child?.flow
    picker?.select(11)
    picker?.confirm()
    await lab.advance(by: .seconds(60))
    catalogue.lending.child?.flow?.confirmation.child?.flow?.confirm()
    await lab.advance(by: .seconds(60))
  }

  func endsSignedOut(_ lab: Lab) throws {
    try lab.require(app.runtime.session == nil, "nobody is signed in")
    try lab.require(app.signIn != nil, "the sign-in is shown")
    try lab.require(app.runtime.counts.flows == 1, "nothing else is alive")
    try isQuiet(lab)
  }

  func isQuiet(_ lab: Lab) throws {
    try lab.require(app.runtime.counts.operations == 0, "no task is left")
  }
}

private struct Missing: Error {}

/// The value, to which the walk must have led.
private func found<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Missing() }
  return value
}
