// Plays a sequence against the runtime and the recording host, and compares with the model after
// every step; with the host whenever it is quiet.

import Millrace
import MillraceTesting
import RaceLab

/// A flow that does nothing by itself.
@MainActor
final class Page: Flow {
  let scope: FlowScope<Int>
  let slot = Slot<Page>()
  init(scope: FlowScope<Int>) { self.scope = scope }
}

/// What went wrong at which step.
package struct NavigationFault: Error, CustomStringConvertible {
  let step: Int
  let what: String
  package var description: String { "at step \(step): \(what)" }
}

@MainActor
package final class NavigationRun {
  private let lab: Lab
  private let runtime: FlowRuntime
  private let window: FlowWindow
  private let host = RecordingHost(.whenTold)
  private let facts = Facts()
  private var model = NavigationModel()
  /// What the window showed when it was last compared.
  private var before = Navigation()
  private var children: [FlowID: Child<Page>] = [:]
  /// Reports that the host or the user has made and that are still on their way.
  private var late: [HostReport] = []
  private var old: [HostReport] = []
  private var gesture: HostReport?
  /// Flows that a gesture brought, until another one begins on them.
  private var committed: Set<FlowID> = []
  /// The tab that the host was asked to select and has not reported.
  private var selecting: FlowID?
  private var seen = 0
  private var index = 0

  /// Plays the steps in a lab of their own. Throws the first fault.
  package static func play(_ steps: [NavigationStep]) async throws {
    try await Lab.run { lab in try await play(steps, in: lab) }
  }

  /// Plays the steps. Throws the first fault.
  static func play(_ steps: [NavigationStep], in lab: Lab) async throws {
    let run = NavigationRun(lab)
    for (index, step) in steps.enumerated() {
      run.index = index
      try await run.play(step)
      try run.compare()
    }
    run.index = steps.count
    try await run.becomeQuiet()
    run.window.close()
  }

  private init(_ lab: Lab) {
    self.lab = lab
    runtime = FlowRuntime(clock: lab.clock, options: RuntimeOptions(checksLeaks: false))
    runtime.addSink(facts)
    runtime.signIn(Account("A"))
    window = runtime.openWindow(host: host) { _ in Root { Page(scope: $0) } }
    rootCame()
  }

  private func rootCame() {
    guard let root = window.rootFlow as? Page else { return }
    model.start(root.scope.id, owner: nil, .root)
  }

  // MARK: - Steps

  private func play(_ step: NavigationStep) async throws {
    guard case .act(let kind, let number) = step else { return }
    let id = pick(model.flows, number)
    switch kind {
    case .push: open(id, .push)
    case .sheet: open(id, .sheet)
    case .cover: open(id, .cover)
    case .alert: open(id, .alert)
    // Most in one place, so that there are tabs to choose between.
    case .tab: open(number % 4 == 0 ? id : model.flows.first, .tab)
    case .slot: replace(id, interactively: false)
    case .interactive: replace(id, interactively: true)
    case .dismiss:
      guard let id, let child = children[id] else { break }
      child.dismiss()
      model.end(id)
    case .finish:
      guard let id, let page = window.flow(id) as? Page, children[id] != nil else { break }
      page.scope.finish(1)
      model.end(id)
    case .replaceRoot: replaceRoot()
    case .signOutAndIn:
      model = NavigationModel()
      children = [:]
      runtime.signOut()
      runtime.signIn(Account("B"))
      rootCame()
    case .navigateDismiss: id.map { navigate(.dismiss($0), number) }
    case .navigatePop: id.map { navigate(.pop(to: $0), number) }
    case .navigateToRoot: id.map { navigate(.popToRoot(of: $0), number) }
    case .navigateSelect: id.map { navigate(.select($0), number) }
    case .answer: receive(answer())
    case .answerLost: _ = answer()
    case .answerLate: if let report = answer() { late.append(report) }
    case .swipe: userSwipes(number, upper: false).map { receive($0) }
    case .swipeLate: if let report = userSwipes(number, upper: false) { late.append(report) }
    case .swipeUpper: userSwipes(number, upper: true).map { receive($0) }
    case .tap: if let report = userTaps(number) { sendInOrder(report) }
    case .tapLate: if let report = userTaps(number) { late.append(report) }
    case .begin: begin(number)
    case .letGo: endGesture(completes: false)
    case .complete: endGesture(completes: true)
    case .deliver: if !late.isEmpty { receive(takeLate(number)) }
    case .deliverTwice:
      guard !late.isEmpty else { break }
      let report = takeLate(number)
      receive(report)
      receive(report)
    case .deliverFromThread:
      guard !late.isEmpty else { break }
      let report = takeLate(number)
      let connection = window.connection
      followFacts()
      await Task.detached { connection.report(report) }.value
      await lab.settle()
      follow(report)
    case .repeatOld: if let report = pick(old, number), repeats(report) { receive(report) }
    case .limit: await lab.advance(by: .seconds(5))
    case .quiet: try await becomeQuiet()
    }
    followFacts()
  }

  /// The host does what it was asked. An interactive replacement is done by the user's gesture.
  private func answer() -> HostReport? {
    if host.unanswered.first?.isInteractive ?? false { gesture = nil }
    return host.answer(reporting: false)
  }

  private func pick<Value>(_ values: [Value], _ number: Int) -> Value? {
    values.isEmpty ? nil : values[number % values.count]
  }

  private func page(_ id: FlowID?) -> Page? { id.flatMap { window.flow($0) as? Page } }

  private func open(_ id: FlowID?, _ presentation: Presentation) {
    guard let id, let page = page(id), model.flows.count < 24 else { return }
    let child = page.scope.start(as: presentation) { Page(scope: $0) }
    children[child.id] = child
    model.start(child.id, owner: id, presentation)
  }

  private func replace(_ id: FlowID?, interactively: Bool) {
    guard let id, let page = page(id), model.flows.count < 24 else { return }
    followFacts()
    let old = page.slot.child?.id
    let presentation = old.flatMap { model.presentation(of: $0) } ?? .push
    let child = page.scope.start(
      in: page.slot, as: presentation, interactively: interactively
    ) { Page(scope: $0) }
    children[child.id] = child
    guard let old else { return model.start(child.id, owner: id, presentation) }
    if interactively {
      model.challenge(old, by: child.id, owner: id)
    } else {
      model.replace(old, by: child.id, owner: id)
    }
  }

  private func replaceRoot() {
    guard let root = window.rootFlow as? Page else { return }
    model.end(root.scope.id)
    window.replaceRoot(Root { Page(scope: $0) })
    rootCame()
  }

  private func navigate(_ command: NavigationCommand, _ number: Int) {
    let origin: CommandOrigin = pick([.user, .app, .link], number) ?? .app
    window.navigate(command, from: origin)
  }

  // MARK: - The user

  private func userSwipes(_ number: Int, upper: Bool) -> HostReport? {
    // What the user can reach: what is on top, and in that whatever is not the first.
    guard let layer = host.screens.layers.last else { return nil }
    var stack = layer.stack
    while let tab = stack.screens.last?.selectedStack { stack = tab }
    let isModal = host.screens.layers.count > 1
    let reachable =
      upper ? Array(stack.screens.dropFirst().suffix(1)) : Array(stack.screens.dropFirst())
    if !reachable.isEmpty, let screen = pick(reachable, number) {
      return host.swipe(screen.id, reporting: false)
    }
    guard isModal, let first = layer.stack.screens.first else { return nil }
    return host.swipe(first.id, reporting: false)
  }

  private func userTaps(_ number: Int) -> HostReport? {
    guard let screen = host.screens.layers.last?.stack.screens.last, !screen.tabs.isEmpty,
      let tab = pick(screen.tabs, number)?.screens.first
    else { return nil }
    return host.tap(tab.id, reporting: false)
  }

  private func begin(_ number: Int) {
    guard gesture == nil else { return }
    if let command = host.unanswered.first, command.isInteractive {
      gesture = .gestureBegan(command.subject)
    } else if let screen = host.screens.top, host.screens.flows.count > 1 {
      gesture = .gestureBegan(screen.id)
    }
    if let gesture { receive(gesture) }
  }

  private func endGesture(completes: Bool) {
    guard case .gestureBegan(let id, _)? = gesture else { return }
    gesture = nil
    let isThere =
      host.screens.contains(id) || host.unanswered.contains { $0.isInteractive && $0.subject == id }
    guard isThere else { return }
    let isRoot = host.screens.root?.screens.first?.id == id
    receive(
      completes && !isRoot
        ? host.completeGesture(id, reporting: false) : host.cancelGesture(id, reporting: false))
  }

  // MARK: - Reports

  /// One that is on its way. Selections overtake other reports, and not each other.
  private func takeLate(_ number: Int) -> HostReport {
    let report = late[number % late.count]
    guard case .didSelect = report else { return late.remove(at: number % late.count) }
    let first = late.firstIndex { if case .didSelect = $0 { true } else { false } }
    return late.remove(at: first ?? number % late.count)
  }

  /// A selection comes after those that are still on their way.
  private func sendInOrder(_ selection: HostReport) {
    let isFirst = !late.contains { if case .didSelect = $0 { true } else { false } }
    if isFirst { receive(selection) } else { late.append(selection) }
  }

  private func receive(_ report: HostReport?) {
    guard let report else { return }
    followFacts()
    window.report(report)
    follow(report)
  }

  /// A report that comes again must be one that cannot be mistaken for a new one.
  private func repeats(_ report: HostReport) -> Bool {
    switch report {
    case .didDismiss(let id), .gestureCompleted(let id, _): !model.contains(id)
    case .didSelect, .gestureBegan, .gestureCancelled: false
    default: true
    }
  }

  private func follow(_ report: HostReport) {
    old.append(report)
    switch report {
    case .didDismiss(let id):
      if model.provisional[id] != nil { model.abandon(id) } else { model.end(id, reported: true) }
    case .gestureCompleted(let id, _):
      if model.provisional[id] != nil {
        model.commit(id)
        committed.insert(id)
      } else if !committed.contains(id) {
        model.end(id, reported: true)
      }
    case .gestureCancelled(let id, _): model.abandon(id)
    case .didShow(let id): if model.provisional[id] != nil { model.commit(id) }
    case .didSelect(let id):
      // While the host is to select another tab there, what the user did before is out of date.
      let isAsked = selecting.map { model.owner(of: $0) == model.owner(of: id) } ?? false
      if !isAsked { model.select(id) }
      if selecting == id { selecting = nil }
    case .gestureBegan(let id, _): committed.remove(id)
    case .didCover, .didUncover, .attemptBlocked: break
    }
    followFacts()
  }

  /// What the runtime tells that the model cannot know: which commands were carried out, which flows
  /// the host was asked for, which gestures were given up.
  private func followFacts() {
    for event in facts.take() {
      switch event {
      case .command(.select(let id)): selecting = id
      case .hostTimeout(.select): selecting = nil
      case .command(.show(let id, _, _)), .command(.replace(_, let id, _, _, false)):
        model.asked(for: id)
      case .command(.replace(_, let id, _, _, true)): model.asked(for: id)
      case .hostTimeout(.replace(_, let id, _, _, true)), .gestureTimeout(let id):
        model.abandon(id)
      case .navigated(let command, _, .done): carryOut(command)
      default: break
      }
    }
  }

  private func carryOut(_ command: NavigationCommand) {
    switch command {
    case .select(let id): model.select(id)
    case .pop(let id): model.pop(to: id)
    case .popToRoot(let id): model.popToRoot(of: id)
    case .dismiss(let id): model.end(id)
    }
  }

  // MARK: - Comparing

  private func compare() throws {
    followFacts()
    try compareChanges()
    guard window.isConsistent else {
      throw NavigationFault(step: index, what: "a flow without a screen, or a screen without one")
    }
    guard window.navigation == model.navigation else {
      throw NavigationFault(
        step: index,
        what: "the window shows\n\(window.navigation)\nand the rules say\n\(model.navigation)")
    }
  }

  /// What is told as changed is the difference.
  private func compareChanges() throws {
    let new = window.navigation
    let old = before
    before = new
    var left: [FlowID] = []
    var came: [FlowID] = []
    var others = 0
    for change in new.changes(since: old) {
      switch change {
      case .left(let id): left.append(id)
      case .came(let id, _, _): came.append(id)
      case .moved, .selected: others += 1
      }
    }
    guard left == old.flows.filter({ !new.contains($0) }),
      came == new.flows.filter({ !old.contains($0) }),
      (left.isEmpty && came.isEmpty && others == 0) == (old == new),
      new.flows.allSatisfy({ new.screen($0)?.id == $0 })
    else { throw NavigationFault(step: index, what: "\(old)\nto\n\(new)\nis told otherwise") }
  }

  /// Brings all reports, lets the host answer all, and compares the three.
  private func becomeQuiet() async throws {
    for round in 0..<200 {
      if case .gestureBegan(let id, _)? = gesture {
        gesture = nil
        receive(host.cancelGesture(id, reporting: false))
      } else if !late.isEmpty {
        receive(late.removeFirst())
      } else if let command = host.unanswered.first {
        if command.isInteractive {
          receive(host.cancelGesture(command.subject, reporting: false))
        } else {
          receive(host.answer(reporting: false))
        }
      } else if window.transition != nil {
        await lab.advance(by: .seconds(5))
      } else {
        break
      }
      try compare()
      guard round < 199 else {
        throw NavigationFault(step: index, what: "no rest after 200 rounds")
      }
    }
    await window.settled()
    try compare()
    guard host.screens == window.navigation else {
      throw NavigationFault(
        step: index,
        what: "at rest the host shows\n\(host.screens)\nand the tree says\n\(window.navigation)")
    }
  }

  /// What the runtime tells, until it is read.
  private final class Facts: TraceSink {
    private var events: [TraceEvent] = []

    func record(_ event: TraceEvent) {
      switch event {
      case .command, .hostTimeout, .gestureTimeout, .navigated: events.append(event)
      default: break
      }
    }

    func take() -> [TraceEvent] {
      defer { events = [] }
      return events
    }
  }
}
