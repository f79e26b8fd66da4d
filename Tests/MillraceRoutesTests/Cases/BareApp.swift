// An app without a window, whose user is asked about accounts at a gate for each question.

import Millrace
import MillraceRoutes
import MillraceTesting
import RaceLab
import RuleScenarios

/// Each question waits at a gate of its own.
@MainActor final class Questions: AccountDirectory {
  private let lab: Lab
  private let runtime: FlowRuntime
  private(set) var asked: [(account: Account, user: Gate<Bool>)] = []
  init(_ lab: Lab, _ runtime: FlowRuntime) { (self.lab, self.runtime) = (lab, runtime) }

  func knows(_ account: Account) -> Bool { true }

  func switchAccount(to account: Account) async -> Bool {
    let gate = lab.gate(of: Bool.self, "question \(asked.count)")
    asked.append((account, gate))
    guard let wants = try? await gate.wait(), wants else { return false }
    runtime.signIn(account)
    return true
  }
}

/// An app that is signed in, without a window.
@MainActor struct BareApp {
  let runtime: FlowRuntime
  let router: LinkRouter<Place>
  let questions: Questions

  init(_ lab: Lab) {
    runtime = FlowRuntime(clock: lab.clock)
    runtime.signIn(Account("A"))
    questions = Questions(lab, runtime)
    router = LinkRouter(runtime, links: Place.links, accounts: questions) { _, _ in .allowed }
  }

  func open() -> FlowWindow { Self.open(runtime) }

  /// A window at home that links go to.
  func openForLinks(name: String? = nil) -> FlowWindow {
    let window = open()
    router.add(window, name: name)
    return window
  }

  /// A window at home.
  static func open(_ runtime: FlowRuntime, _ host: RecordingHost = RecordingHost()) -> FlowWindow {
    runtime.openWindow(host: host) { _ in Root { PlaceFlow($0, .home) { _, _ in } } }
  }
}
