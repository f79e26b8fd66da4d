// What the stage of the link cases stands on: the stores of session and place, the lock, the accounts
// and the checks, each with an answer that is held at a gate.

import Millrace
import MillraceRoutes
import RaceLab

/// A session store whose answer waits at a gate.
struct GatedSessions: SessionStore {
  let stored: Gate<StoredSession?>
  @concurrent func load() async throws -> StoredSession? { try await stored.wait() }
  @concurrent func save(_ session: StoredSession) async throws {}
  @concurrent func clear() async throws {}
}

/// A store of a place, whose first answer waits at a gate.
final class TestPlaces: PlaceStore {
  let loading: Gate<[UInt8]?>
  private let state = Guarded<(stored: [UInt8]?, saves: Int)>((nil, 0))

  init(_ lab: Lab) { loading = lab.gate(of: [UInt8]?.self, "load place") }

  var stored: [UInt8]? { state.withLock { $0.stored } }
  var saves: Int { state.withLock { $0.saves } }
  /// The place that is stored, if it can be read.
  var place: SavedPlace<Place>? { stored.flatMap { try? SavedPlace<Place>.read($0).place } }

  /// Lets the store have this, and answer.
  func open(with bytes: [UInt8]?) {
    state.withLock { $0.stored = bytes }
    loading.open(with: bytes)
  }

  @concurrent func load() async throws -> [UInt8]? { try await loading.wait() }
  @concurrent func save(_ place: [UInt8]) async throws {
    state.withLock { $0 = (place, $0.saves + 1) }
  }
  @concurrent func clear() async throws { state.withLock { $0.stored = nil } }
}

/// A lock whose user waits at a gate: true unlocks, false gives up.
@MainActor
final class TestLock: Lock {
  var isLocked = false
  let user: Gate<Bool>
  var window: FlowWindow?
  private(set) var shown = 0
  private var screen: Child<PlainFlow>?

  init(_ lab: Lab) { user = lab.gate(of: Bool.self, "unlock") }

  /// Puts the lock on the screen, if there is one to put it on.
  func show() {
    guard screen?.isCurrent != true, let root = window?.rootFlow else { return }
    shown += 1
    screen = TestLock.start(over: root)
  }

  private static func start(over root: some Flow) -> Child<PlainFlow> {
    root.scope.start(as: .cover) { PlainFlow($0, "lock") }
  }

  func lockAgain() { isLocked = true }

  func unlock() async -> Bool {
    show()
    guard let isRight = try? await user.wait(), isRight else { return false }
    isLocked = false
    screen?.dismiss()
    return true
  }
}

/// A directory that knows A and B; the user waits at a gate.
@MainActor
final class TestAccounts: AccountDirectory {
  let user: Gate<Bool>
  private weak var runtime: FlowRuntime?
  private(set) var questions = 0
  private(set) var signIns = 0

  init(_ lab: Lab, _ runtime: FlowRuntime) {
    user = lab.gate(of: Bool.self, "account")
    self.runtime = runtime
  }

  func knows(_ account: Account) -> Bool { ["A", "B"].contains(account.id) }

  func switchAccount(to account: Account) async -> Bool {
    questions += 1
    guard let wants = try? await user.wait(), wants else { return false }
    runtime?.signIn(account)
    return true
  }

  func signInIsNeeded(for account: Account?) { signIns += 1 }
}

/// The checks: noted, held where a test wants it, and answered by the place.
final class Checks: Sendable {
  private let asked = Guarded<[(place: Place, account: Account?)]>([])
  private let gate = Guarded<Gate<RouteAnswer>?>(nil)

  /// Holds the checks of orders, and of the chat "2", from now on.
  func hold(at gate: Gate<RouteAnswer>) { self.gate.withLock { $0 = gate } }
  func end() { gate.withLock { $0 = nil } }

  var all: [Place] { asked.withLock { $0.map(\.place) } }
  func accounts(of place: Place) -> [Account?] {
    asked.withLock { $0.filter { $0.place == place }.map(\.account) }
  }

  @concurrent func check(_ place: Place, _ session: Session?) async throws -> RouteAnswer {
    asked.withLock { $0.append((place, session?.account)) }
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
