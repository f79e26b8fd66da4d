// The stage of the link cases: an app with a session that is held at a gate, a lock, two accounts, a
// host that answers when told, and checks that are noted. The same script is played once as it stands,
// and explored with an event that may strike between any two steps; then only what must hold in
// every course is checked.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import Testing

/// What strikes.
enum Strike: String, CaseIterable, Sendable {
  case nothing
  case signOut, otherAccount, lock, modal, protectedModal, gesture, newerLink, closedWindow
}

@MainActor
final class LinkStage {
  let lab: Lab
  let strike: Strike
  let runtime: FlowRuntime
  let window: FlowWindow
  let host = RecordingHost(.whenTold)
  let lock: TestLock
  let accounts: TestAccounts
  let checks: Checks
  let log = TraceLog()
  /// Who the store says is signed in.
  let stored: Gate<StoredSession?>
  private(set) var router: LinkRouter<Place>
  /// Every verdict that was told, in order.
  private(set) var verdicts: [LinkVerdict] = []
  /// The store of the saved place.
  let places: TestPlaces
  private(set) var reports: [PlaceReport] = []
  /// A place that must not be made after a link was routed.
  var comesTooLate: Place?
  /// The places that were made, and for whom.
  private(set) var made: [(place: Place, account: Account?)] = []
  var deliveries: [LinkDelivery] = []

  /// Plays the script once, or under many schedules with the strike.
  static func run(
    _ strike: Strike, signedIn: Bool = true, schedules: Int = 50,
    _ script: @escaping @MainActor (LinkStage) async throws -> Void
  ) async throws {
    let scenario: @MainActor (Lab) async throws -> Void = { lab in
      let stage = LinkStage(lab, strike)
      if signedIn {
        stage.stored.open(with: StoredSession(account: Account("A")))
        await lab.settle()
        stage.host.answerAll()
      }
      stage.arm()
      try await script(stage)
      try await stage.close()
    }
    if strike == .nothing {
      try await Lab.run(scenario)
    } else {
      try await explore("\(strike)", schedules: schedules, scenario)
    }
  }

  init(_ lab: Lab, _ strike: Strike = .nothing) {
    self.lab = lab
    self.strike = strike
    let stored = lab.gate(of: StoredSession?.self, "stored session")
    self.stored = stored
    let runtime = FlowRuntime(clock: lab.clock, store: GatedSessions(stored: stored))
    runtime.addSink(log)
    self.runtime = runtime
    let lock = TestLock(lab)
    self.lock = lock
    accounts = TestAccounts(lab, runtime)
    places = TestPlaces(lab)
    let checks = Checks()
    self.checks = checks
    let note = Made()
    window = runtime.openWindow(host: host) { state in
      switch state {
      case .undetermined: Root { PlainFlow($0, "splash") }
      case .signedOut: Root { PlainFlow($0, "sign-in") }
      case .signedIn: Root { PlaceFlow($0, .home) { note.add?($0, $1) } }
      }
    }
    lock.window = window
    router = LinkRouter(
      runtime, links: Place.links, accounts: accounts, lock: lock
    ) { [checks] place, session in
      try await checks.check(place, session)
    }
    router.add(window)
    router.onVerdict = { [weak self] in self?.hear($0) }
    note.add = { [weak self] in self?.note($0, $1) }
  }

  private final class Made { var add: (@MainActor (Place, Session?) -> Void)? }

  private func note(_ place: Place, _ session: Session?) {
    made.append((place, session?.account))
    if place == comesTooLate, verdicts.contains(.routed) {
      lab.fail("\(place) was restored over a link")
    }
    guard case .order = place else { return }
    if lock.isLocked { lab.fail("\(place) was made while the app was locked") }
  }

  private func hear(_ delivery: LinkDelivery) {
    verdicts.append(delivery.verdict)
    guard delivery.verdict == .routed else { return }
    if lock.isLocked { lab.fail("a link was routed while the app was locked") }
    if !window.isConsistent { lab.fail("routed, and screens and flows differ") }
  }

  private func arm() {
    let window = window
    lab.always("screens and flows are the same") { window.isConsistent }
    switch strike {
    case .nothing: break
    case .signOut: lab.adversary("sign out") { self.runtime.signOut() }
    case .otherAccount: lab.adversary("B signs in") { self.runtime.signIn(Account("B")) }
    case .lock: lab.adversary("lock") { self.lock.isLocked = true }
    case .modal: lab.adversary("modal") { self.home?.openModal() }
    case .protectedModal:
      lab.adversary("protected modal") { self.home?.openModal(isProtected: true) }
    case .gesture:
      lab.adversary("gesture begins") {
        if let top = self.window.navigation.top { self.host.beginGesture(top.id) }
      }
      lab.adversary("gesture ends") { self.endGesture() }
    case .newerLink:
      lab.adversary("newer link") { self.deliver("tea://chats/new") }
    case .closedWindow: lab.adversary("close the window") { window.close() }
    }
  }

  private func endGesture() {
    guard case .gesture(let id)? = window.transition else { return }
    if lab.flip(), id != window.navigation.root?.screens.first?.id {
      host.completeGesture(id)
    } else {
      host.cancelGesture(id)
    }
  }

  // MARK: - Doing

  /// The root of the signed-in app.
  var home: PlaceFlow? { window.rootFlow as? PlaceFlow }

  @discardableResult
  func deliver(_ url: String, id: String? = nil) -> LinkDelivery {
    let delivery = router.deliver(url, id: id)
    deliveries.append(delivery)
    return delivery
  }

  func keepPlace() {
    router.keepPlace(of: window, in: places) { [weak self] in self?.reports.append($0) }
  }

  func step() async { await lab.settle() }

  /// The host does what it is asked until nothing is left.
  func answer() async {
    await lab.settle()
    host.answerAll()
    await lab.settle()
  }

  // MARK: - Seeing

  /// The places on display, the root first, along the selected tabs.
  var path: [Place] {
    var path: [Place] = []
    func walk(_ stack: Navigation.Stack) {
      for screen in stack.screens {
        if let flow = window.flow(screen.id) as? PlaceFlow { path.append(flow.route) }
        if let tab = screen.selectedStack { walk(tab) }
      }
    }
    for layer in window.navigation.layers { walk(layer.stack) }
    return path
  }

  /// Holds in the undisturbed course.
  func check(
    _ condition: @autoclosure () -> Bool, _ message: String = "", file: String = #fileID,
    line: Int = #line
  ) throws {
    if strike == .nothing {
      try lab.require(
        condition(), "\(message) verdicts \(verdicts), path \(path)", file: file, line: line)
    }
  }

  func count(of place: Place) -> Int { made.count { $0.place == place } }

  /// How many operations of this name were started.
  func count(of operation: String) -> Int {
    log.events.count { if case .operationStarted(_, operation, _) = $0 { true } else { false } }
  }

  /// How the flow ended: one element, or none while it runs.
  func endings(of id: FlowID) -> [EndingKind] { log.events.endings(of: id) }

  /// The commands since the last time it was asked.
  func commands() -> [HostCommand] { host.takeCommands() }

  /// What holds in every course, once it is quiet: each link has its last word, each was routed at
  /// most once, and nothing was loaded for the wrong account or past the lock.
  private func close() async throws {
    await lab.settle()
    endGesture()
    lock.isLocked = false
    host.answerAll()
    await lab.advance(by: .seconds(600))
    host.answerAll()
    await lab.settle()
    for delivery in deliveries {
      try lab.require(delivery.verdict.isFinal, "\(delivery.verdict) after all is over")
    }
    try lab.require(router.pending == nil)
    let routed = deliveries.count { $0.verdict == .routed }
    try lab.require(verdicts.count { $0 == .routed } == routed, "a link was routed twice")
    if strike != .closedWindow {
      try lab.require(
        host.screens == window.navigation,
        "the host shows\n\(host.screens)\nand the tree says\n\(window.navigation)")
    }
    checks.end()
  }
}
