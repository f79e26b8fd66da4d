// How a link is decided: gates that are asked in the same order every time, then the checks of the
// places on its way, then the gates once more and the commit, all of that in one turn.

import Millrace

extension LinkDesk {
  /// What the gates say.
  enum Gate {
    case open(FlowWindow)
    /// A window has to be opened for it first.
    case openNew
    case park(ParkReason)
    case reject(LinkRejection)
  }

  /// Decides about the current link, as far as that can be done now.
  ///
  /// - Parameter checked: for which session its places were checked in this turn.
  func decide(_ item: Item, checked: Checking? = nil) {
    guard let runtime else { return }
    if let reason = item.asked?.reason, isStill(reason, item) { return }
    let checking = Checking(session: runtime.session)
    if item.checking == checking, checked == nil { return }
    if item.checking != nil, checked == nil { scope.cancel("check link") }
    item.checking = nil
    item.asked = nil
    let gate = gates(item, runtime)
    // Who is asked there, or has opened a window, may have delivered a newer link.
    guard current === item else { return }
    let way = item.link.route.way
    let isChecked = checked == checking || !way.contains { $0.needs.contains(.check) }
    switch gate {
    case .park(let reason): park(item, reason)
    case .reject(let why): settle(item, .rejected(why))
    case .open(let window) where isChecked: commit(item, way, in: window)
    case .openNew where isChecked: openWindow(for: item, checked: checked)
    case .open, .openNew:
      item.checking = checking
      tell(item.delivery, .deciding)
      if current === item { startChecks(item, way, checking) }
    }
  }

  /// Opens a window for a link that is not refused, and goes on with it there.
  private func openWindow(for item: Item, checked: Checking?) {
    guard let window = newWindow?() else { return settle(item, .rejected(.noWindow)) }
    windows.add(window, nil)
    item.opened = window
    decide(item, checked: checked)
  }

  /// Session, lock, account, window: from what has to be known first to what is shown last.
  private func gates(_ item: Item, _ runtime: FlowRuntime) -> Gate {
    guard runtime.sessionState != .undetermined else { return .park(.sessionUndetermined) }
    let session = runtime.session
    let other = item.link.account.flatMap { $0 == session?.account ? nil : $0 }
    // What nobody can open waits for nothing: it would take the place of one that can be opened.
    if let other, !(accounts?.knows(other) ?? false) { return .reject(.unknownAccount(other)) }
    let needs = item.link.route.way.reduce(into: RouteNeeds()) { $0.formUnion($1.needs) }
    if needs.contains(.unlocked), lock?.isLocked ?? false { return .park(.locked) }
    if let other { return .park(session == nil ? .needsSignIn : .needsAccountSwitch(other)) }
    if needs.contains(.session), session == nil { return .park(.needsSignIn) }
    if item.choice == .new, item.opened == nil, newWindow != nil { return .openNew }
    guard let window = window(for: item) else {
      return item.choice == .new ? .reject(.noWindow) : .park(.windowMissing)
    }
    return window.transition == nil ? .open(window) : .park(.transition)
  }

  /// The window that the link goes to; of one that wants a new window, the one that was opened for it.
  private func window(for item: Item) -> FlowWindow? {
    guard item.choice == .new else { return windows.find(item.choice) }
    return item.opened?.rootFlow == nil ? nil : item.opened
  }

  // MARK: - Parking

  private func park(_ item: Item, _ reason: ParkReason) {
    // Its time may have passed while it was checked.
    guard now < item.deadline else { return settle(item, .rejected(.expired(reason))) }
    startExpiry(item)
    tellParked(item, reason)
    // The verdict was told, and whoever heard it may have delivered another link: then nothing is asked
    // for this one until that is refused.
    guard current === item, let runtime else { return }
    item.asked = (reason, runtime.session)
    switch reason {
    case .needsSignIn:
      guard !item.hasAskedForSignIn else { return }
      item.hasAskedForSignIn = true
      accounts?.signInIsNeeded(for: item.link.account)
    case .needsAccountSwitch(let account): ask(about: account)
    case .locked: requestUnlock()
    case .sessionUndetermined, .modalBusy, .transition, .windowMissing, .rootMissing: break
    }
  }

  private func startExpiry(_ item: Item) {
    guard item.expiry == nil else { return }
    item.expiry = scope.task("expiry of a link") { [self] in
      try await scope.sleep(for: item.deadline - now)
      if case .parked(let reason) = item.delivery.verdict {
        settle(item, .rejected(.expired(reason)))
      }
    }
  }

  /// Whether a parked link would have to wait on for the very same thing.
  private func isStill(_ reason: ParkReason, _ item: Item) -> Bool {
    guard let runtime else { return true }
    switch reason {
    case .sessionUndetermined: return runtime.sessionState == .undetermined
    case .needsSignIn: return runtime.session == nil
    case .needsAccountSwitch(let account):
      return runtime.session.map { $0.account != account && $0 == item.asked?.session } ?? false
    case .locked: return lock?.isLocked ?? false
    case .modalBusy(let flow): return window(for: item)?.flow(flow) != nil
    case .transition: return window(for: item)?.transition != nil
    case .windowMissing: return window(for: item) == nil
    case .rootMissing:
      guard let window = window(for: item) else { return false }
      return PlaceTree<R>(window).root?.route != item.link.route.way.first
    }
  }

  /// One question in a session, however many links are meant for the account. Its answer is no answer to
  /// one that came after it.
  private func ask(about account: Account) {
    guard let accounts, let session = runtime?.session else { return }
    if let question, question.account == account, question.session == session { return }
    let asked = Question(account: account, session: session)
    question = asked
    scope.task("account switch") { [self] in
      let wants = await accounts.switchAccount(to: account)
      guard scope.isCurrent, question === asked else { return }
      question = nil
      guard wants || runtime?.session == session else { return }
      let asking = [current, former].compactMap(\.self).filter {
        $0.delivery.verdict == .parked(.needsAccountSwitch(account))
      }
      if !wants { for item in asking { settle(item, .rejected(.declined)) } }
      look()
    }
  }

  /// One unlocking at a time.
  func requestUnlock() {
    guard !isUnlocking, let lock else { return }
    isUnlocking = true
    hasLockChanged = false
    scope.task("unlocking") { [self] in
      _ = await lock.unlock()
      guard scope.isCurrent else { return }
      isUnlocking = false
      // It was open meanwhile, and is locked anew: the answer was to the lock before.
      if hasLockChanged, lock.isLocked, somethingWaitsForTheLock { requestUnlock() }
      look()
    }
  }

  private var somethingWaitsForTheLock: Bool {
    [current, former].contains { $0?.delivery.verdict == .parked(.locked) }
      || keepers.contains { $0.isWaiting && $0.hasAskedForUnlock }
  }

  // MARK: - Checking

  private func startChecks(_ item: Item, _ way: [R], _ checking: Checking) {
    let asked = way.filter { $0.needs.contains(.check) }
    scope.perform("check link", .latest, limit: options.checkLimit) {
      [check] () -> (route: R, answer: RouteAnswer)? in
      for route in asked {
        let answer = try await check(route, checking.session)
        if answer != .allowed { return (route, answer) }
      }
      return nil
    } then: { [self] result in
      guard current === item, item.checking == checking else { return }
      switch result {
      case .success(nil): decide(item, checked: checking)
      case .success(let refused?):
        let name = "\(refused.route)"
        settle(
          item, .rejected(refused.answer == .notFound ? .notFound(name) : .notPermitted(name)))
      case .failure(let error as OperationTimedOut):
        settle(item, .rejected(.checkTimedOut(error.limit)))
      case .failure(let error): settle(item, .rejected(.checkFailed("\(error)")))
      }
    }
  }

  // MARK: - Committing

  /// In one turn. A link that a guard or a flow delivers meanwhile is taken after it.
  private func commit(_ item: Item, _ way: [R], in window: FlowWindow) {
    isCommitting = true
    defer { endCommit() }
    guard let plan = LinkPlan(to: way, in: PlaceTree(window)) else {
      return park(item, .rootMissing)
    }
    let anchor = window.routed(plan.anchor.flow, R.self)
    var showing = plan.shown.first.flatMap { anchor?.showing($0) }
    for (index, route) in plan.shown.enumerated() {
      let way = Array(plan.shown[...index])
      guard showing != nil, anchor?.canShow(way) ?? false else {
        return settle(item, .rejected(.unreachable("\(route)")))
      }
    }
    switch window.navigate(plan.commands, from: .link) {
    case .done: break
    case .refused(.kept(let flow)), .held(.question(let flow)):
      return park(item, .modalBusy(flow))
    case .held(.transition): return park(item, .transition)
    case .refused(let why): return settle(item, .rejected(.refused(why)))
    }
    var first: FlowID?
    for (index, route) in plan.shown.enumerated() {
      guard let next = showing.flatMap({ window.shown(route, by: $0) }) else {
        // What was shown of the way goes again; what was dismissed cannot come back.
        if let first { window.navigate([.dismiss(first)], from: .app) }
        return settle(item, .rejected(.notShown("\(route)")))
      }
      first = first ?? next.flowID
      showing = plan.shown.dropFirst(index + 1).first.flatMap { next.showing($0) }
    }
    for keeper in keepers where keeper.window === window { keeper.hasRouted = true }
    settle(item, .routed)
  }
}

extension FlowWindow {
  /// Shows a place, and selects it if it is a tab.
  ///
  /// - Returns: its flow, or nil if that is not what was shown.
  @MainActor
  fileprivate func shown<R: Route>(_ route: R, by showing: ShowRoute) -> (any RoutedFlow<R>)? {
    let id = showing()
    guard let flow = routed(id, R.self), flow.route == route else { return nil }
    if let container = navigation.container(ofTab: id), container.selectedTab != id {
      navigate([.select(id)], from: .app)
    }
    return flow
  }
}

extension Navigation {
  /// The screen that this flow is a tab of.
  fileprivate func container(ofTab id: FlowID) -> Screen? {
    func find(in stack: Stack) -> Screen? {
      for screen in stack.screens where !screen.tabs.isEmpty {
        if screen.tabs.contains(where: { $0.screens.first?.id == id }) { return screen }
        for tab in screen.tabs { if let found = find(in: tab) { return found } }
      }
      return nil
    }
    for layer in layers { if let found = find(in: layer.stack) { return found } }
    return nil
  }
}
