import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Test func lending_happensOnceOrNotAtAll() async throws {
  try await explore("lending", schedules: 1_000) { lab in
    let (desk, host) = (LoanDesk(), RecordingHost())
    let app = LendingApp(library: Shelf(), desk: desk, host: host, clock: lab.clock)
    app.runtime.signIn(Account("ada"))
    guard let home = app.window.rootFlow as? Home else { return lab.fail("no home") }
    home.lend()
    await lab.settle()

    // Between any two steps from here on.
    lab.adversary("sign out") { app.runtime.signOut(unsent: .discard) }
    let picker = home.lending.child?.flow?.picker.child?.flow
    picker?.select(2)
    picker?.confirm()
    await lab.settle()
    if let top = app.window.navigation.top, let alert = app.window.flow(top.id) {
      (alert as? any AlertPresenting)?.choose(0)
      (alert as? any AlertPresenting)?.choose(0)
    }
    await lab.settle()

    try lab.require(app.window.rootFlow is Welcome, "whoever has signed out sees it")
    try lab.require(app.window.isConsistent, "each flow has its screen")
    let loans = await desk.loans
    try lab.require(loans.count <= 1, "a book is lent once at most")
    try lab.require(home.lent.count <= loans.count, "what is shown as lent is lent")
    try lab.require(app.runtime.leaks().isEmpty, "nothing stays")
  }
}
