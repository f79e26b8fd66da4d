// The conformance suite accepts a host that keeps the rules, and names what another one breaks.

import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Suite struct HostConformanceTests {
  /// How a host is wrong.
  enum Flaw: String, CaseIterable, Sendable {
    case forgetsDidShow, forgetsDidDismiss, popsOneOnly, dropsTheSelection, reportsTheWrongFlow
    case keepsWhatStoodAbove, ignoresReplacement
    case endsTheRoot, forgetsTheGesture, forgetsTheReplacement, ignoresTheFinger, endsWhatIsLetGo

    /// What the suite says of it, where that is more than a difference of what is shown.
    var words: String? {
      switch self {
      case .forgetsDidShow, .forgetsDidDismiss, .reportsTheWrongFlow: "no answer to"
      case .endsTheRoot: "the root's end"
      case .forgetsTheGesture: "no end of it came"
      case .ignoresTheFinger: "the user was to decide about"
      case .endsWhatIsLetGo: "that the user let go has ended"
      default: nil
      }
    }
  }

  @Test func recordingHost_conforms() async throws {
    try await Lab.run { lab in
      let suite = HostConformance(clock: lab.clock) { Self.subject(RecordingHost()) }
      let failures = await suite.run()
      try lab.require(failures.isEmpty, "\(failures)")
    }
  }

  // Fault: a suite that accepts anything.
  @Test(arguments: Flaw.allCases) func flawedHost_isNamed(_ flaw: Flaw) async throws {
    try await Lab.run { lab in
      let suite = HostConformance(clock: lab.clock) {
        let host = FlawedHost(flaw)
        return HostConformance.Subject(
          host, screens: { host.screens }, userDecides: { host.drag($0, $1) },
          proceed: {
            await lab.settle(); await lab.advance(by: .seconds(30))
          })
      }
      let failures = await suite.run()
      let said = failures.contains { failure in
        flaw.words.map { failure.problem.contains($0) } ?? true
      }
      try lab.require(said, "\(failures)")
    }
  }

  // Fault: a host that cannot be looked into is taken for a good one, whatever it reports.
  @Test func hostThatEndsTheRoot_isNamedByItsReports() async throws {
    try await Lab.run { lab in
      let suite = HostConformance(clock: lab.clock) {
        HostConformance.Subject(FlawedHost(.endsTheRoot))
      }
      let failures = await suite.run(["pops take away what is above"])
      try lab.require(failures.count == 1, "\(failures)")
    }
  }

  private static func subject(_ host: RecordingHost) -> HostConformance.Subject {
    HostConformance.Subject(
      host, screens: { host.screens }, userDismisses: { host.swipe($0) },
      userSelects: { host.tap($0) },
      userDecides: { id, goesThrough in
        host.beginGesture(id)
        if goesThrough { host.completeGesture(id) } else { host.cancelGesture(id) }
      })
  }

  private final class FlawedHost: Host {
    private let flaw: Flaw
    private(set) var screens = Navigation()
    private var connection: HostConnection?
    private var replacement: HostCommand?

    init(_ flaw: Flaw) { self.flaw = flaw }

    func connect(_ connection: HostConnection) { self.connection = connection }

    func perform(_ command: HostCommand) {
      switch (flaw, command) {
      case (.forgetsDidShow, .show): return screens.apply(command)
      case (.forgetsDidDismiss, .dismiss), (.forgetsDidDismiss, .pop):
        return screens.apply(command)
      case (.popsOneOnly, .pop):
        if let top = screens.layers.last?.stack.screens.last?.id { screens.remove(top) }
        return report(command)
      case (.dropsTheSelection, .select), (.ignoresReplacement, .replace): return report(command)
      case (.reportsTheWrongFlow, .show):
        screens.apply(command)
        connection?.report(.didShow(FlowID(rawValue: 0)))
        return
      case (.keepsWhatStoodAbove, .dismiss(let id, _)):
        screens.layers.removeAll { $0.stack.screens.first?.id == id }
        return report(command)
      case (.ignoresTheFinger, _): break
      case (_, .replace(_, let new, _, _, interactively: true)):
        replacement = command
        connection?.report(.gestureBegan(new))
        return
      default: break
      }
      screens.apply(command)
      report(command)
      if flaw == .endsTheRoot, case .pop = command, let root = screens.root?.screens.first?.id {
        connection?.report(.didDismiss(root))
      }
    }

    /// The user goes through with a gesture, or lets go.
    func drag(_ id: FlowID, _ goesThrough: Bool) {
      if replacement == nil { connection?.report(.gestureBegan(id)) }
      let change = replacement
      replacement = nil
      guard goesThrough || flaw == .endsWhatIsLetGo else {
        connection?.report(.gestureCancelled(id))
        return
      }
      if let change { screens.apply(change) } else { screens.remove(id) }
      if flaw != (change == nil ? .forgetsTheGesture : .forgetsTheReplacement) {
        connection?.report(.gestureCompleted(id))
      }
    }

    private func report(_ command: HostCommand) { connection?.report(command.report) }
  }
}
