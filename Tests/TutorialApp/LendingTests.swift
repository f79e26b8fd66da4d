import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Test func lending_happensOnceOrNotAtAll() async throws {
  try await explore("lending", schedules: 400) { lab in
    let (desk, host) = (LoanDesk(), RecordingHost())
    let app = LendingApp(library: Shelf(), desk: desk, host: host, clock: lab.clock)
    app.runtime.signIn(Account("ada"))
    guard let home = app.window.rootFlow as? Home else { return lab.fail("no home is shown") }
    home.lend()
    await lab.settle()

    let isEarly = lab.flip()
    func signOut() { lab.adversary("sign out") { app.runtime.signOut(unsent: .discard) } }

    if isEarly { signOut() }
    let picker = home.lending.child?.flow?.picker.child?.flow
    picker?.select(2)
    picker?.confirm()
    await lab.settle()

    if !isEarly { signOut() }
    if let top = app.window.navigation.top, let alert = app.window.flow(top.id) {
      (alert as? any AlertPresenting)?.choose(0)
      (alert as? any AlertPresenting)?.choose(0)  // a second tap
    }
    await lab.settle()

    let loans = await desk.loans
    try lab.require(loans.count <= (isEarly ? 0 : 1), "a book is lent once, and after a yes")
    try lab.require(home.lent.count <= loans.count, "what is shown as lent is lent")
    try lab.require(app.window.rootFlow is Welcome, "who has signed out sees the welcome")
    try lab.require(app.window.isConsistent, "each flow has its screen")
    try lab.require(app.runtime.counts.operations == 0, "nothing runs on")
  }
}
