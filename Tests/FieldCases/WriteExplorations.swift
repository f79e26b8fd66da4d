// The cases of remote writes under many schedules, with a fault possible at every step.

import RaceLab
import RuleScenarios
import Testing

@Suite("Writes, explored") @MainActor struct WriteExplorations {
  private func explored(_ name: String) async throws {
    let scenario = try #require(RuleScenarios.all.first { $0.name == name })
    try await explore(name, schedules: 600, scenario.body)
  }

  // Whatever is lost on the way, and whenever the flow goes: once at the server, and the flow that has
  // gone navigates nowhere.
  @Test func c47_c51_lostAnswersAndAFlowThatGoes() async throws {
    try await explored("whatever is lost on the way, a write is done once at the server")
  }

  // Two taps, and a third from elsewhere.
  @Test func c35_taps() async throws {
    try await explored("taps on one intent are one write")
  }

  // The network comes and goes at any step.
  @Test func c50_networkThatComesAndGoes() async throws {
    try await explored("a network that comes and goes loses no write and doubles none")
  }

  // Another account at any step: nothing goes out under it, nothing of A is lost or doubled.
  @Test func c52_anotherAccountAtAnyStep() async throws {
    try await explored("nothing goes out under another account")
  }

  // A guest signs in at any step: each write goes out once, under one of the two.
  @Test func guestSignsInAtAnyStep() async throws {
    try await explored("a guest who signs in takes along what was not sent")
  }

  // The process dies at any step: what was told as kept is there once after the relaunch.
  @Test func c54_processThatDiesAtAnyStep() async throws {
    try await explored("what was told as kept is done once after the process has died")
  }

  // The profile fails, and the user signs out, at any step of a sign-in: no path says "failed" while
  // the session is B's.
  @Test func c56_signInInTwoSteps() async throws {
    try await explored("a sign-in in two steps fails in one of them at most")
  }
}
