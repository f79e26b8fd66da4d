// What the session keeps, under many schedules: the store is an actor of its own, and may fail.

import Millrace
import RaceLab
import Testing

/// A store whose failures to save are choices of the search.
private actor FaultyStore: SessionStore {
  private let lab: Lab
  private(set) var stored: StoredSession?

  init(_ lab: Lab, _ stored: StoredSession) {
    self.lab = lab
    self.stored = stored
  }

  struct Full: Error {}

  func load() async throws -> StoredSession? {
    await Task.yield()
    return stored
  }

  func save(_ session: StoredSession) async throws {
    if lab.choose(2) == 1 { throw Full() }
    await Task.yield()
    stored = session
  }

  func clear() async throws {
    await Task.yield()
    stored = nil
  }
}

@Suite("Sessions, explored") @MainActor struct SessionExplorations {
  // The refresh answers, and the user signs out, at any step: what comes later brings no token back.
  @Test(arguments: [OperationLifetime.flow, .session])
  func c02_refreshThatLandsAfterTheSignOut(_ lifetime: OperationLifetime) async throws {
    try await explore("refresh", schedules: 600) { lab in
      let store = FaultyStore(lab, StoredSession(account: Account("A"), credential: [1]))
      let stage = Stage(lab, store: store)
      await lab.settle()
      guard let flow = stage.window.rootFlow as? Screen else { return lab.fail("no root") }
      let remote = Remote<[UInt8]>(lab, "refresh", .deaf)
      var isOut = false
      var late = 0
      flow.scope.perform("refresh", lifetime: lifetime) {
        try await remote.call()
      } then: {
        if isOut { late += 1 }
        if let token = try? $0.get() { flow.scope.updateCredential(token) }
      }
      lab.adversary("answer") { remote.gate.open(with: [2]) }
      lab.adversary("sign out") {
        stage.runtime.signOut()
        isOut = true
      }
      await lab.settle()
      try lab.require(isOut && late == 0)
      let stored = await store.stored
      try lab.require(stored == nil, "a token is back: \(stored as Any)")
      let next = Stage(lab, store: store)
      await lab.settle()
      try lab.require(next.runtime.sessionState == .signedOut)
    }
  }
}
