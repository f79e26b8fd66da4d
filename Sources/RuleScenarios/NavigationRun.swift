// Plays a sequence against the runtime and the recording host, and compares with the model after
// every step; with the host whenever it is quiet.

import Millrace
import MillraceTesting
import RaceLab

/// A flow that does nothing by itself.
@MainActor
package final class Page: Flow {
  package let scope: FlowScope<Int>
  package let slot = Slot<Page>()
  package init(scope: FlowScope<Int>) { self.scope = scope }
}

/// What went wrong at which step.
package struct NavigationFault: Error, CustomStringConvertible {
  let step: Int
  let what: String
  package var description: String { "at step \(step): \(what)" }
}

@MainActor
package final class NavigationRun {
  let lab: Lab
  let runtime: FlowRuntime
  let window: FlowWindow
  var host = RecordingHost(.whenTold)
  let facts = NavigationFacts()
  var model = NavigationModel()
  /// What the window showed when it was last compared.
  private var before = Navigation()
  var children: [FlowID: Child<Page>] = [:]
  /// Reports that the host or the user has made and that are still on their way.
  var late: [HostReport] = []
  var old: [HostReport] = []
  var gesture: HostReport?
  /// Flows that a gesture brought, until another one begins on them.
  var committed: Set<FlowID> = []
  /// The tab that the host was asked to select and has not reported, and whose tab it is: it may end
  /// meanwhile.
  var selecting: (tab: FlowID, owner: FlowID?)?
  var seen = 0
  var index = 0

  /// Plays the steps in a lab of their own. Throws the first fault.
  ///
  /// - Parameter tell: hears each step, what happened in it, and what the host and the tree show then.
  package static func play(
    _ steps: [NavigationStep], telling tell: (@MainActor (String) -> Void)? = nil
  ) async throws {
    try await Lab.run { lab in try await play(steps, in: lab, telling: tell) }
  }

  /// Plays the steps. Throws the first fault.
  static func play(
    _ steps: [NavigationStep], in lab: Lab, telling tell: (@MainActor (String) -> Void)? = nil
  ) async throws {
    let run = NavigationRun(lab)
    // The runtime holds it, and nobody holds the runtime then.
    lab.expectFreed(run.facts, "the runtime")
    run.facts.tell = tell
    for (index, step) in steps.enumerated() {
      run.index = index
      tell?("\(index) \(step)")
      try await run.play(step)
      tell?("tree\n\(run.window.navigation)\nhost\n\(run.host.screens)")
      try run.compare()
    }
    run.index = steps.count
    try await run.becomeQuiet()
    run.window.close()
  }

  init(_ lab: Lab) {
    self.lab = lab
    runtime = FlowRuntime(clock: lab.clock, options: RuntimeOptions(checksLeaks: false))
    runtime.addSink(facts)
    runtime.signIn(Account("A"))
    window = runtime.openWindow(host: host) { _ in Root { Page(scope: $0) } }
    rootCame()
  }

  func rootCame() {
    guard let root = window.rootFlow as? Page else { return }
    model.start(root.scope.id, owner: nil, .root)
  }

  // MARK: - Steps

  func play(_ step: NavigationStep) async throws {
    guard case .act(let kind, let number) = step else { return }
    let id = pick(model.flows, number)
    switch kind {
    case .push: open(id, .push)
    case .sheet: open(id, .sheet)
    case .cover: open(id, .cover)
    case .alert: open(id, .alert)
    // Most in one place, so that there are tabs to choose between.
    case .tab: open(number % 4 == 0 ? id : model.flows.first, .tab)
    case .slot: replace(id, interactively: false, otherwise: number % 5 == 0)
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
    case .answer: answer().map(sendInOrder)
    case .answerLost: _ = answer()
    case .answerLate: if let report = answer() { late.append(report) }
    case .swipe: userSwipes(number, upper: false).map { receive($0) }
    case .swipeLate: if let report = userSwipes(number, upper: false) { late.append(report) }
    case .swipeUpper: userSwipes(number, upper: true).map { receive($0) }
    case .tap: userTaps(number).map(sendInOrder)
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
    case .otherHost: try changeHost()
    case .limit: await lab.advance(by: .seconds(5))
    case .quiet: try await becomeQuiet()
    }
    followFacts()
  }

  /// The host does what it was asked. An interactive replacement is done by the user's gesture.
  func answer() -> HostReport? {
    if host.unanswered.first?.isInteractive ?? false { gesture = nil }
    return host.answer(reporting: false)
  }

  func pick<Value>(_ values: [Value], _ number: Int) -> Value? {
    values.isEmpty ? nil : values[number % values.count]
  }

  func page(_ id: FlowID?) -> Page? { id.flatMap { window.flow($0) as? Page } }

  // MARK: - Comparing

  func compare() throws {
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
  func becomeQuiet() async throws {
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
}
