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
          host, screens: { host.screens },
          proceed: {
            await lab.settle(); await lab.advance(by: .seconds(30))
          })
      }
      let failures = await suite.run()
      try lab.require(!failures.isEmpty)
    }
  }

  private static func subject(_ host: RecordingHost) -> HostConformance.Subject {
    HostConformance.Subject(
      host, screens: { host.screens }, userDismisses: { host.swipe($0) },
      userSelects: { host.tap($0) })
  }

  private final class FlawedHost: Host {
    private let flaw: Flaw
    private(set) var screens = Navigation()
    private var connection: HostConnection?

    init(_ flaw: Flaw) { self.flaw = flaw }

    func connect(_ connection: HostConnection) { self.connection = connection }

    func perform(_ command: HostCommand) {
      var command = command
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
      default: break
      }
      screens.apply(command)
      report(command)
      command = .select(command.subject)
    }

    private func report(_ command: HostCommand) { connection?.report(command.report) }
  }
}
