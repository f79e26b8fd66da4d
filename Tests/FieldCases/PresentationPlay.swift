// The stage of the presentation cases: one window and a host that answers only when told. The same
// script is played once as it stands, and explored with an event that may strike between any two
// steps; then only what must hold in every course is checked.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// What strikes.
enum Disturbance: String, CaseIterable, Sendable {
  case nothing
  case signOut, closedWindow, replacedRoot, lostHost, otherHost

  static let all = allCases
}

@MainActor
final class Play {
  let lab: Lab
  let runtime: FlowRuntime
  let window: FlowWindow
  let log = TraceLog()
  let notes = Notes()
  let disturbance: Disturbance
  private(set) var host: RecordingHost
  private var hostInUse: RecordingHost?
  private var formerHost: RecordingHost?

  /// Plays the script once, or under many schedules with the disturbance.
  static func run(
    _ disturbance: Disturbance, schedules: Int = 300,
    _ script: @escaping @MainActor (Play) async throws -> Void
  ) async throws {
    let scenario: @MainActor (Lab) async throws -> Void = { lab in
      let play = Play(lab, disturbance)
      play.window.report(.didShow(try play.root().scope.id))
      play.host.answerAll()
      play.arm()
      try await script(play)
      try await play.close()
    }
    if disturbance == .nothing {
      try await Lab.run(scenario)
    } else {
      try await explore("\(disturbance)", schedules: schedules, scenario)
    }
  }

  private init(_ lab: Lab, _ disturbance: Disturbance) {
    self.lab = lab
    self.disturbance = disturbance
    let host = RecordingHost(.whenTold)
    self.host = host
    hostInUse = host
    runtime = FlowRuntime(clock: lab.clock)
    runtime.addSink(log)
    runtime.signIn(Account("A"))
    window = runtime.openWindow(host: host) { state in
      Root { Screen($0, state.session?.account.id ?? "signedOut") }
    }
  }

  var isDisturbed: Bool { disturbance != .nothing }

  private func arm() {
    let window = window
    lab.always("screens and flows are the same") { window.isConsistent }
    switch disturbance {
    case .nothing: break
    case .signOut: lab.adversary("sign out") { self.runtime.signOut() }
    case .closedWindow: lab.adversary("close the window") { window.close() }
    case .replacedRoot:
      lab.adversary("replace the root") { window.replaceRoot(Root { Screen($0, "other") }) }
    case .lostHost: lab.adversary("lose the host") { self.loseHost() }
    case .otherHost: lab.adversary("change the host") { self.changeHost() }
    }
  }

  private func loseHost() {
    host = RecordingHost(.whenTold)
    hostInUse = nil
  }

  /// The former host lives on, and goes on answering and reporting.
  private func changeHost() {
    formerHost = host
    host = RecordingHost(.whenTold)
    hostInUse = host
    window.attach(host)
  }

  /// What holds in every course, once it is quiet: each flow ended at most once and was told, host
  /// and navigation agree, nothing waits for the host for ever.
  private func close() async throws {
    await lab.settle()
    host.answerAll()
    await lab.advance(by: .seconds(60))
    host.answerAll()
    await lab.settle()
    await window.settled()
    try lab.require(window.isConsistent)
    try lab.require(window.transition == nil)
    if let formerHost {
      formerHost.answerAll()
      await lab.settle()
      try lab.require(formerHost.screens == Navigation(), "the former host keeps what it showed")
    }
    if hostInUse != nil {
      try lab.require(
        host.screens == window.navigation,
        "the host shows\n\(host.screens)\nand the tree says\n\(window.navigation)")
    }
    var ended: Set<FlowID> = []
    var told: Set<FlowID> = []
    for event in log.events {
      switch event {
      case .flowEnded(let id, let name, _):
        try lab.require(ended.insert(id).inserted, "\(name) ended twice")
      case .flowTold(let id, _): told.insert(id)
      case .command(.show(let id, _, _)):
        try lab.require(!ended.contains(id), "\(id) is shown after its end")
      default: break
      }
    }
    try lab.require(told == ended, "an end was not told")
  }

  /// The root flow of the window.
  func root() throws -> Screen { try #require(window.rootFlow as? Screen) }

  /// Starts a screen over the root, if there still is one that is not the end of the script.
  var scope: FlowScope<String>? { (window.rootFlow as? Screen)?.scope }

  /// Waits, and gives the disturbance its chance.
  func step() async { await lab.settle() }

  /// Holds in the undisturbed course.
  func check(
    _ condition: Bool, _ message: String = "", file: String = #fileID, line: Int = #line
  ) throws {
    if !isDisturbed { try lab.require(condition, message, file: file, line: line) }
  }

  /// How the flow ended: one element, or none while it runs.
  func endings(of id: FlowID) -> [EndingKind] { log.events.endings(of: id) }

  /// The commands since the last time it was asked.
  func commands() -> [HostCommand] { host.takeCommands() }

  /// How the operations of this name came out, in order.
  func outcomes(of name: String) -> [OutcomeKind] {
    log.events.compactMap {
      if case .operationEnded(_, name, let kind) = $0 { kind } else { nil }
    }
  }
}
