// Two things strike in one course, each at any time of its own. With MILLRACE_EVERY_STEP=1 at every pair
// of steps.

import Millrace
import MillraceRoutes
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct LinkPairCases {
  nonisolated private static let pairs: [(Strike, Strike)] = [
    (.lock, .protectedModal), (.otherAccount, .gesture), (.signOut, .lock), (.signOut, .modal),
    (.signOut, .protectedModal), (.signOut, .gesture),
    (.otherAccount, .lock), (.otherAccount, .modal), (.otherAccount, .protectedModal),
    (.signOut, .otherAccount), (.lock, .modal), (.lock, .gesture),
    (.modal, .protectedModal), (.modal, .gesture), (.protectedModal, .gesture),
    (.newerLink, .signOut), (.newerLink, .lock), (.newerLink, .protectedModal),
    (.newerLink, .gesture), (.closedWindow, .lock), (.closedWindow, .newerLink),
  ]

  // Fault: a link comes through each event alone, and not through two of them.
  @Test(arguments: pairs) func twoEvents_loseNoLink(_ pair: (Strike, Strike)) async throws {
    try await LinkStage.run(pair.0, and: pair.1) { stage in
      let link = stage.deliver("tea://orders/7")
      stage.expect(link, .routed)
      await stage.answer()
    }
  }
}
