// What the stage of the link cases stands on: the stores of session and place, the lock, the accounts
// and the checks, each with an answer that is held at a gate.

import Millrace
import MillraceRoutes
import Observation
import RaceLab

/// A session store whose answer waits at a gate.
struct GatedSessions: SessionStore {
  let stored: Gate<StoredSession?>
  @concurrent func load() async throws -> StoredSession? { try await stored.wait() }
  @concurrent func save(_ session: StoredSession) async throws {}
  @concurrent func clear() async throws {}
}

/// A store of a place, whose first answer waits at a gate.
package final class TestPlaces: PlaceStore {
  package let loading: Gate<[UInt8]?>
  private let state = Guarded<(stored: [UInt8]?, saves: Int)>((nil, 0))
  private let answered = Guarded<[UInt8]??>(nil)

  package init(_ lab: Lab) { loading = lab.gate(of: [UInt8]?.self, "load place") }

  package var stored: [UInt8]? { state.withLock { $0.stored } }
  package var saves: Int { state.withLock { $0.saves } }
  /// The place that is stored, if it can be read.
  package var place: SavedPlace<Place>? { stored.flatMap { try? SavedPlace<Place>.read($0).place } }

  /// Lets the store have this, and answer.
  package func open(with bytes: [UInt8]?) {
    state.withLock { $0.stored = bytes }
    loading.open(with: bytes)
  }

  /// What it answered with at first.
  var loaded: [UInt8]? { answered.withLock { $0 ?? nil } }
  var hasAnswered: Bool { answered.withLock { $0 != nil } }

  @concurrent package func load() async throws -> [UInt8]? {
    let bytes = try await loading.wait()
    answered.withLock { $0 = .some(bytes) }
    return bytes
  }
  @concurrent package func save(_ place: [UInt8]) async throws {
    state.withLock { $0 = (place, $0.saves + 1) }
  }
  @concurrent package func clear() async throws { state.withLock { $0.stored = nil } }
}

/// A lock whose user waits at a gate: true unlocks, false gives up.
@MainActor @Observable
package final class TestLock: Lock {
  package var isLocked = false
  @ObservationIgnored package let user: Gate<Bool>
  @ObservationIgnored package var window: FlowWindow?
  @ObservationIgnored package private(set) var shown = 0
  @ObservationIgnored private var screen: Child<PlainFlow>?

  package init(_ lab: Lab) { user = lab.gate(of: Bool.self, "unlock") }

  /// Puts the lock on the screen, if there is one to put it on.
  package func show() {
    guard screen?.isCurrent != true, let root = window?.rootFlow else { return }
    shown += 1
    screen = TestLock.start(over: root)
  }

  private static func start(over root: some Flow) -> Child<PlainFlow> {
    root.scope.start(as: .cover) { PlainFlow($0, "lock") }
  }

  package func lockAgain() { isLocked = true }

  package func unlock() async -> Bool {
    show()
    guard let isRight = try? await user.wait(), isRight else { return false }
    unlockNow()
    return true
  }

  /// The user unlocks it, and whoever waits for that goes on.
  func unlockNow() {
    isLocked = false
    screen?.dismiss()
    if user.waiterCount > 0 { user.open(with: true) }
  }
}

/// A directory that knows A and B; the user waits at a gate.
@MainActor
package final class TestAccounts: AccountDirectory {
  package let user: Gate<Bool>
  private weak var runtime: FlowRuntime?
  package private(set) var questions = 0
  package private(set) var signIns = 0
  /// How often the user said no.
  private(set) var refusals = 0

  package init(_ lab: Lab, _ runtime: FlowRuntime) {
    user = lab.gate(of: Bool.self, "account")
    self.runtime = runtime
  }

  package func knows(_ account: Account) -> Bool { ["A", "B"].contains(account.id) }

  package func switchAccount(to account: Account) async -> Bool {
    questions += 1
    guard let wants = try? await user.wait(), wants else {
      refusals += 1
      return false
    }
    runtime?.signIn(account)
    return true
  }

  package func signInIsNeeded(for account: Account?) { signIns += 1 }
}

/// The checks: noted, held where a test wants it, and answered by the place.
package final class Checks: Sendable {
  /// One that was asked for.
  struct Asked: Sendable {
    let place: Place
    let session: Session?
    /// Nil while it is held, and for one that was cancelled.
    var answer: RouteAnswer?
    /// What it failed with.
    var failure: String?
  }

  private let asked = Guarded<[Asked]>([])
  private let gate = Guarded<Gate<RouteAnswer>?>(nil)

  package init() {}

  /// Holds the checks of orders, and of the chat "2", from now on.
  package func hold(at gate: Gate<RouteAnswer>) { self.gate.withLock { $0 = gate } }
  /// Holds no others.
  package func end() { gate.withLock { $0 = nil } }
  /// Holds none any more.
  func release() {
    let gate = gate.withLock { gate in
      defer { gate = nil }
      return gate
    }
    if let gate, gate.waiterCount > 0 { gate.open(with: .allowed) }
  }

  var log: [Asked] { asked.withLock { $0 } }
  package var all: [Place] { log.map(\.place) }
  package func accounts(of place: Place) -> [Account?] {
    log.filter { $0.place == place }.map(\.session?.account)
  }

  @concurrent package func check(_ place: Place, _ session: Session?) async throws -> RouteAnswer {
    let number = asked.withLock {
      $0.append(Asked(place: place, session: session))
      return $0.count - 1
    }
    do {
      let answer = try await answer(place)
      asked.withLock { $0[number].answer = answer }
      return answer
    } catch {
      asked.withLock { $0[number].failure = "\(error)" }
      throw error
    }
  }

  @concurrent private func answer(_ place: Place) async throws -> RouteAnswer {
    switch place {
    case .order, .chat("2"):
      if let gate = gate.withLock({ $0 }) { return try await gate.wait() }
    default: break
    }
    switch place {
    case .order(403): return .notPermitted
    case .order(405): return .notFound
    case .payment(500): throw Unreachable()
    default: return .allowed
    }
  }

  struct Unreachable: Error, CustomStringConvertible { let description = "the server is away" }
}
