// Judges what is told of links, whatever strikes. Keeps R33 and R34: each verdict has its reason in the
// step in which it is told, each link has one last word, and what is changed for a link is changed in
// the step of that word.

import Millrace
import MillraceRoutes
import RaceLab

/// Hears each verdict, and says what is wrong with it.
@MainActor
final class LinkOracle {
  /// A link on its way.
  struct Course {
    let url: String
    /// Nil if it cannot be read.
    let link: Link<Place>?
    let number: Int
    let time: Duration
    /// How many checks had been asked for before.
    let checks: Int
    /// True if its id had been delivered before.
    let isTwin: Bool
    var parked: ParkReason?
    var lastWord: LinkVerdict?
  }

  private let lab: Lab
  private let runtime: FlowRuntime
  private let window: FlowWindow
  private let lock: TestLock
  private let accounts: TestAccounts
  private let checks: Checks
  private let options = LinkOptions()
  private var courses: [ObjectIdentifier: Course] = [:]
  private var ids: Set<String> = []
  /// The link that is being delivered.
  private var begun: Course?
  /// What was changed in this step as links change it, and whether one was routed in it.
  private var changes: [String] = []
  private var isExplained = false
  /// Forms that ask: their users may let them go before the link is looked at again.
  private var asking: Set<FlowID> = []

  init(
    _ lab: Lab, _ runtime: FlowRuntime, _ window: FlowWindow, _ lock: TestLock,
    _ accounts: TestAccounts, _ checks: Checks
  ) {
    self.lab = lab
    self.runtime = runtime
    self.window = window
    self.lock = lock
    self.accounts = accounts
    self.checks = checks
    runtime.addSink(Ear(oracle: self))
    lab.always("what is changed for a link is changed in the step of its last word") { [self] in
      defer { (changes, isExplained) = ([], false) }
      for id in window.navigation.flows where (window.flow(id) as? ModalFlow)?.verdict == .ask {
        asking.insert(id)
      }
      if !isExplained, let change = changes.first { lab.fail("\(change), and no link was routed") }
      return isExplained || changes.isEmpty
    }
  }

  private final class Ear: TraceSink {
    weak var oracle: LinkOracle?
    init(oracle: LinkOracle) { self.oracle = oracle }

    func record(_ event: TraceEvent) {
      guard case .flowEnded(let flow, let name, .replaced) = event,
        name == "ModalFlow" || name == "PlaceFlow"
      else { return }
      guard let oracle, !oracle.asking.contains(flow) else { return }
      oracle.changes.append("\(name) \(flow) was replaced")
    }
  }

  // MARK: - Hearing

  /// A link is delivered.
  func deliver(_ url: String, id: String?, _ body: () -> LinkDelivery) -> LinkDelivery {
    begun = Course(
      url: url, link: try? Place.links.parse(url), number: courses.count, time: runtime.clock.now,
      checks: checks.log.count, isTwin: id.map { !ids.insert($0).inserted } ?? false)
    let delivery = body()
    // Nothing was told of it yet.
    if let begun { courses[ObjectIdentifier(delivery)] = begun }
    begun = nil
    return delivery
  }

  /// A place of the kind was made that only links and restoring make.
  func made(_ place: Place) { changes.append("\(place) was made") }

  /// A place was restored.
  func restored() { isExplained = true }

  /// A verdict was told.
  func hear(_ delivery: LinkDelivery) {
    let id = ObjectIdentifier(delivery)
    if courses[id] == nil, let begun {
      courses[id] = begun
      self.begun = nil
    }
    guard var course = courses[id] else { return lab.fail("a verdict of no link") }
    let verdict = delivery.verdict
    if let last = course.lastWord {
      lab.fail("\(course.url) was \(last), and now is \(verdict)")
    }
    if let wrong = wrong(verdict, course) {
      lab.fail("\(course.url) is \(verdict), but \(wrong)")
    }
    if case .parked(let reason) = verdict { course.parked = reason }
    if verdict.isFinal { course.lastWord = verdict }
    if verdict == .routed { isExplained = true }
    courses[id] = course
  }

  /// The account that a link names.
  func account(of delivery: LinkDelivery?) -> Account? {
    delivery.flatMap { courses[ObjectIdentifier($0)]?.link?.account }
  }

  /// How many links were routed.
  var routed: Int { courses.values.count { $0.lastWord == .routed } }

  // MARK: - Judging

  private func wrong(_ verdict: LinkVerdict, _ course: Course) -> String? {
    switch verdict {
    case .deciding: wrongToGoOn(course)
    case .parked(let reason): isSo(reason, course) ? nil : "that is not so"
    case .routed: wrongToGoOn(course) ?? wrongToBeShown(course)
    case .superseded: wrongToGiveWay(course)
    case .rejected(let why): isSo(why, course) ? nil : "that is not so"
    }
  }

  /// The links that came after it and were not refused.
  private func newer(than course: Course) -> [Course] {
    (courses.values.map(\.self) + [begun].compactMap(\.self)).filter {
      guard $0.number > course.number, $0.link != nil, !$0.isTwin else { return false }
      if case .rejected? = $0.lastWord { return false }
      return true
    }
  }

  private func isNewest(_ course: Course) -> Bool { newer(than: course).isEmpty }

  /// One that has waited gives way to one that waits or was routed; any other to one that came.
  private func wrongToGiveWay(_ course: Course) -> String? {
    let newer = newer(than: course)
    if newer.isEmpty { return "there is no newer link" }
    if course.parked == nil || newer.contains(where: { $0.parked != nil || $0.lastWord == .routed })
    {
      return nil
    }
    return "the newer one does not wait, and was not routed"
  }

  /// What has to be so before a check is made.
  private func wrongToGoOn(_ course: Course) -> String? {
    guard let link = course.link else { return "it cannot be read" }
    if !isNewest(course) { return "there is a newer one" }
    if lock.isLocked, link.route.needs.contains(.unlocked) { return "the app is locked" }
    if let account = link.account, runtime.session?.account != account {
      return "\(runtime.session.map { "\($0.account)" } ?? "nobody") is signed in"
    }
    if runtime.session == nil, link.route.needs.contains(.session) { return "nobody is signed in" }
    return nil
  }

  private func wrongToBeShown(_ course: Course) -> String? {
    guard let link = course.link else { return nil }
    let shown = window.navigation.places(in: window)
    if shown != link.route.way.map(Optional.some) { return "the window shows \(shown)" }
    if !window.isConsistent { return "screens and flows differ" }
    let answers = checks.log[course.checks...].filter {
      $0.session == runtime.session && $0.answer == .allowed
    }
    let unasked = link.route.way.first { place in
      place.needs.contains(.check) && !answers.contains { $0.place == place }
    }
    return unasked.map { "\($0) was not checked for it and for this session" }
  }

  private func isSo(_ reason: ParkReason, _ course: Course) -> Bool {
    switch reason {
    case .sessionUndetermined: runtime.sessionState == .undetermined
    case .needsSignIn: runtime.sessionState == .signedOut
    case .needsAccountSwitch(let account):
      course.link?.account == account && runtime.session.map { $0.account != account } ?? false
    case .locked: lock.isLocked
    case .modalBusy(let flow):
      if let form = window.flow(flow) as? ModalFlow { form.verdict != .letGo } else { false }
    case .transition: window.transition != nil
    case .windowMissing: window.rootFlow == nil
    case .rootMissing:
      (window.rootFlow as? PlaceFlow)?.route != course.link?.route.way.first
    }
  }

  private func isSo(_ why: LinkRejection, _ course: Course) -> Bool {
    func checked(_ place: String, _ answer: RouteAnswer) -> Bool {
      checks.log[course.checks...].contains {
        "\($0.place)" == place && $0.answer == answer && $0.session == runtime.session
      }
    }
    let waited = runtime.clock.now - course.time
    switch why {
    case .unreadable: return course.link == nil
    case .unknownAccount(let account):
      return course.link?.account == account && !accounts.knows(account)
    case .declined:
      return accounts.refusals > 0 && course.link?.account != runtime.session?.account
    case .notPermitted(let place): return checked(place, .notPermitted)
    case .notFound(let place): return checked(place, .notFound)
    case .checkFailed(let words):
      return checks.log[course.checks...].contains {
        $0.failure == words && $0.session == runtime.session
      } && words == "\(Checks.Unreachable())"
    case .checkTimedOut(let limit): return limit == options.checkLimit && waited >= limit
    case .unreachable(let place): return place == "\(Place.order(404))"
    case .expired(let reason):
      return waited >= options.expiry && (course.parked == reason || isSo(reason, course))
    case .deliveredBefore: return course.isTwin
    // The stage closes no router and wants no new windows; its windows and flows do what they are asked.
    case .noWindow, .notShown, .refused, .closed: return false
    }
  }
}

extension Navigation {
  /// What is shown on top of each other, along the selected tabs; nil for what is no place.
  @MainActor
  package func places(in window: FlowWindow) -> [Place?] {
    func walk(_ stack: Stack) -> [Place?] {
      stack.screens.flatMap { screen in
        [(window.flow(screen.id) as? PlaceFlow)?.route] + (screen.selectedStack.map(walk) ?? [])
      }
    }
    return layers.flatMap { walk($0.stack) }
  }
}
