// The stage of the scenarios of links: an app with a session that is held at a gate, a lock, two
// accounts, a host that answers when told, and checks that are noted. A script is played once as it
// stands, and explored with what strikes between any two steps; then only what must hold in every
// course is checked: what LinkOracle and PlaceOracle say, and the last words that the script expects.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab

@MainActor
package final class LinkStage {
  package let lab: Lab
  package let strike: Strike
  /// One that strikes besides, at any time of its own.
  private let other: Strike
  package let runtime: FlowRuntime
  package let window: FlowWindow
  package let host = RecordingHost(.whenTold)
  package let lock: TestLock
  package let accounts: TestAccounts
  package let checks: Checks
  package let log = TraceLog()
  /// Who the store says is signed in.
  package let stored: Gate<StoredSession?>
  package private(set) var router: LinkRouter<Place>
  /// Every verdict that was told, in order.
  package private(set) var verdicts: [LinkVerdict] = []
  /// The store of the saved place.
  package let places: TestPlaces
  package private(set) var reports: [PlaceReport] = []
  /// A place that must not be made after a link was routed.
  package var comesTooLate: Place?
  /// The places that were made, and for whom.
  package private(set) var made: [(place: Place, account: Account?)] = []
  /// False for a script that leaves the app as it is at its end.
  package var comesToRest = true
  private var deliveries: [LinkDelivery] = []
  private var expected: [(link: LinkDelivery, words: [LinkVerdict])] = []
  private let links: LinkOracle
  private let saved: PlaceOracle

  /// Plays a script with what strikes, and checks what holds in every course.
  package static func play(
    _ lab: Lab, _ strike: Strike, and other: Strike = .nothing, signedIn: Bool = true,
    _ script: @MainActor (LinkStage) async throws -> Void
  ) async throws {
    let stage = LinkStage(lab, strike, and: other)
    if signedIn {
      stage.stored.open(with: StoredSession(account: Account("A")))
      await lab.settle()
      stage.host.answerAll()
    }
    stage.arm(strike)
    stage.arm(other)
    try await script(stage)
    try await stage.close()
  }

  package init(_ lab: Lab, _ strike: Strike = .nothing, and other: Strike = .nothing) {
    self.lab = lab
    self.strike = strike
    self.other = other
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
    links = LinkOracle(lab, runtime, window, lock, accounts, checks)
    saved = PlaceOracle(lab, runtime, window, lock, places)
    router.onVerdict = { [weak self] in self?.hear($0) }
    note.add = { [weak self] in self?.note($0, $1) }
    let window = window
    lab.always("screens and flows are the same") { window.isConsistent }
  }

  private final class Made { var add: (@MainActor (Place, Session?) -> Void)? }

  private func note(_ place: Place, _ session: Session?) {
    made.append((place, session?.account))
    if place == comesTooLate, verdicts.contains(.routed) {
      lab.fail("\(place) was restored over a link")
    }
    guard case .order = place else { return }
    if lock.isLocked { lab.fail("\(place) was made while the app was locked") }
    links.made(place)
  }

  private func hear(_ delivery: LinkDelivery) {
    verdicts.append(delivery.verdict)
    links.hear(delivery)
  }

  private func hear(_ report: PlaceReport) {
    reports.append(report)
    if report == .restored { links.restored() }
    saved.hear(report, pending: router.pending != nil, routed: links.routed)
  }

  // MARK: - Doing

  /// The root of the signed-in app.
  package var home: PlaceFlow? { window.rootFlow as? PlaceFlow }

  @discardableResult
  package func deliver(_ url: String, id: String? = nil) -> LinkDelivery {
    let delivery = links.deliver(url, id: id) { router.deliver(url, id: id) }
    deliveries.append(delivery)
    return delivery
  }

  /// In every course the last word on the link is one of these, or what the strike itself gives it.
  package func expect(_ link: LinkDelivery, _ words: LinkVerdict...) {
    let ofTheStrikes = [strike, other].compactMap { strike -> LinkVerdict? in
      switch strike {
      case .newerLink: .superseded
      case .closedWindow: .rejected(.expired(.windowMissing))
      default: nil
      }
    }
    expected.append((link, words + ofTheStrikes))
  }

  package func keepPlace() {
    saved.begin(routed: links.routed)
    router.keepPlace(of: window, in: places) { [weak self] in self?.hear($0) }
  }

  package func restore(_ place: SavedPlace<Place>) {
    router.restore(place, in: window) { [weak self] in
      if $0 == .restored { self?.links.restored() }
    }
  }

  package func step() async { await lab.settle() }

  /// The host does what it is asked until nothing is left.
  package func answer() async {
    await lab.settle()
    host.answerAll()
    await lab.settle()
  }

  // MARK: - Seeing

  /// The places on display, the root first, along the selected tabs.
  package var path: [Place] { window.navigation.places(in: window).compactMap(\.self) }

  /// Holds in the undisturbed course.
  package func check(
    _ condition: @autoclosure () -> Bool, _ message: String = "", file: String = #fileID,
    line: Int = #line
  ) throws {
    if strike == .nothing, other == .nothing {
      try lab.require(
        condition(), "\(message) verdicts \(verdicts), path \(path)", file: file, line: line)
    }
  }

  package func count(of place: Place) -> Int { made.count { $0.place == place } }

  /// How many operations of this name were started.
  package func count(of operation: String) -> Int { log.events.starts(of: operation) }

  /// How the flow ended: one element, or none while it runs.
  package func endings(of id: FlowID) -> [EndingKind] { log.events.endings(of: id) }

  /// The commands since the last time it was asked.
  package func commands() -> [HostCommand] { host.takeCommands() }

  // MARK: - The end

  /// Takes away whatever a link or a place may wait for; no time passes.
  private func rest() async {
    for _ in 0..<4 {
      await answer()
      endGesture()
      if lock.isLocked { lock.unlockNow() }
      if accounts.user.waiterCount > 0 { accounts.user.open(with: true) }
      checks.release()
      for id in window.navigation.flows { (window.flow(id) as? ModalFlow)?.scope.finish("done") }
      if runtime.sessionState == .signedOut {
        runtime.signIn(links.account(of: router.pending) ?? Account("A"))
      }
    }
    await answer()
  }

  /// What holds in every course. Once nothing is in the way any more, each link has its last word
  /// without waiting for its expiry, and time brings nothing new.
  private func close() async throws {
    if comesToRest {
      await rest()
      // Without a window a link waits for one until its time is over.
      if isWindowClosed { await lab.advance(by: .seconds(600)) }
      try requireLastWords()
      let shown = window.navigation
      await lab.advance(by: .seconds(600))
      await answer()
      try lab.require(window.navigation == shown, "time has changed what is shown")
    } else {
      await lab.advance(by: .seconds(600))
      await rest()
      try requireLastWords()
      await lab.advance(by: .seconds(1))
    }
    try lab.require(router.pending == nil)
    if !isWindowClosed {
      try lab.require(
        host.screens == window.navigation,
        "the host shows\n\(host.screens)\nand the tree says\n\(window.navigation)")
      try saved.end(reports)
    }
  }

  private var isWindowClosed: Bool { [strike, other].contains(.closedWindow) }

  private func requireLastWords() throws {
    for delivery in deliveries {
      try lab.require(
        delivery.verdict.isFinal,
        "\(delivery.verdict), and nothing is in the way; strike \(strike), transition "
          + "\(window.transition as Any), session \(runtime.sessionState)\n\(window.navigation)")
    }
    for (link, words) in expected {
      try lab.require(
        words.contains(link.verdict), "the last word is \(link.verdict), expected \(words)")
    }
  }
}
