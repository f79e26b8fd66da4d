// What `millrace explore` runs: walks through the library app in which something strikes between
// any two steps. After each of them nothing of the old state may act, and nothing may be left.

import LibraryApp
import Millrace
import RaceLab

enum LibraryScenarios {
  static let all = [
    Scenario("sign-out during lending") { lab in
      let walk = try await Walk(lab)
      await walk.lend(lab, against: "sign out") { walk.app.runtime.signOut() }
      try walk.endsSignedOut(lab)
    },
    Scenario("dismissal during lending") { lab in
      let walk = try await Walk(lab)
      walk.catalogue.lend()
      let lending = walk.catalogue.lending.child
      await walk.lend(lab, against: "dismiss") { _ = lending?.dismiss() }
      try lab.require(lending?.isCurrent == false, "the lending has ended")
      try walk.isQuiet(lab)
    },
    Scenario("replacement during lending") { lab in
      let walk = try await Walk(lab)
      walk.catalogue.lend()
      let old = walk.catalogue.lending.child
      await walk.lend(lab, against: "lend anew") { walk.catalogue.lend() }
      let new = walk.catalogue.lending.child
      try lab.require(old?.isCurrent != true || new?.id == old?.id, "one lending at a time")
      // A lending begun late is still open.
      _ = new?.dismiss()
      await lab.settle()
      try walk.isQuiet(lab)
    },
    Scenario("sign-out and in again during lending") { lab in
      let walk = try await Walk(lab)
      let before = walk.app.runtime.session
      await walk.lend(lab, against: "sign in again") {
        guard let account = before?.account else { return }
        walk.app.runtime.signIn(account)
      }
      let after = walk.app.runtime.session
      try lab.require(after != nil && after != before, "a new epoch is open")
      try lab.require(!walk.catalogue.scope.isCurrent, "the old screens have ended")
      try walk.isQuiet(lab)
    },
    Scenario("sign-out and in again during an order") { lab in
      let walk = try await Walk(lab)
      let account = walk.app.runtime.session?.account
      lab.adversary("sign in again") {
        walk.app.runtime.signOut()
        if let account { walk.app.runtime.signIn(account) }
      }
      await walk.order(lab)
      let orders = walk.app.runtime.writes?.entries ?? []
      try lab.require(orders.allSatisfy { $0.phase == .confirmed }, "what was placed is lent")
      let loans = try await walk.loans(lab)
      try lab.require(loans.map(\.book) == orders.map { _ in 11 }, "and it is lent once")
      try walk.isQuiet(lab)
    },
  ]
}

/// An app with a member signed in, and the way to a loan.
@MainActor
private struct Walk {
  let app: LibraryApp
  let catalogue: CatalogueFlow
  private let library: ScriptedLibrary
  private let card: LibraryCard

  /// Read once: a search opens many apps.
  private static let books = Result { () throws(CatalogueError) in try Catalogue.builtIn() }

  init(_ lab: Lab) async throws {
    let library = ScriptedLibrary(
      EmbeddedLibrary(
        catalogue: try Walk.books.get(), today: try found(CalendarDate("2024-05-02")),
        weather: .calm, clock: lab.clock))
    self.library = library
    app = LibraryApp(service: library, clock: lab.clock, store: MemorySessionStore(), seed: 1)
    await lab.settle()
    async let registered = library.register(name: "Ada", pin: "1815")
    await lab.advance(by: .seconds(60))
    card = try await registered
    try found(app.signIn).signIn(with: card)
    await lab.advance(by: .seconds(60))
    catalogue = try found(app.signedIn?.catalogue)
    catalogue.load()
    await lab.advance(by: .seconds(60))
  }

  /// Goes the way to a loan, as far as it is still there, while something strikes in one of its parts:
  /// a wait would not be over before it has struck.
  func lend(
    _ lab: Lab, against name: String, _ strike: @escaping @MainActor () -> Void
  ) async {
    let part = lab.choose(3)
    if part == 0 { lab.adversary(name, strike) }
    if catalogue.lending.child == nil { catalogue.lend() }
    await lab.settle()
    if part == 1 { lab.adversary(name, strike) }
    let picker = catalogue.lending.child?.flow?.picker.child?.flow
    picker?.select(11)
    picker?.confirm()
    await lab.advance(by: .seconds(60))
    if part == 2 { lab.adversary(name, strike) }
    catalogue.lending.child?.flow?.confirmation.child?.flow?.confirm()
    await lab.advance(by: .seconds(60))
  }

  /// Places an order for one book, with a tap too many. Its first answer may be lost.
  func order(_ lab: Lab) async {
    let answer = library.hold(.checkOut)
    if lab.choose(2) == 0 { answer.open() } else { answer.fail(LibraryError.noAnswer) }
    catalogue.checkOut()
    let checkout = catalogue.checkout.child?.flow
    checkout?.basketStep.child?.flow?.toggle(11)
    checkout?.basketStep.child?.flow?.next()
    checkout?.branchStep.child?.flow?.choose(.main)
    checkout?.reviewStep.child?.flow?.place()
    checkout?.reviewStep.child?.flow?.place()
    await lab.advance(by: .seconds(60))
  }

  /// What the library has lent.
  func loans(_ lab: Lab) async throws -> [Receipt] {
    async let answer = library.desk(for: library.signIn(with: card)).loans()
    await lab.advance(by: .seconds(60))
    return try await answer
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
