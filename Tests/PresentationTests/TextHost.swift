// The host of the article on hosts, run against the suite for hosts.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// Shows a window as lines of text.
@MainActor final class TextHost: Host {
  private(set) var screens = Navigation()
  private(set) var lines: [String] = []
  private var connection: HostConnection?
  /// A replacement that the user's finger decides about.
  private var replacement: HostCommand?

  func connect(_ connection: HostConnection) { self.connection = connection }

  func perform(_ command: HostCommand) {
    if command.isInteractive {
      replacement = command
      connection?.report(.gestureBegan(command.subject))
      return
    }
    // A dismissal of what is to come lets it go.
    if command.subject == replacement?.subject { replacement = nil }
    change { $0.apply(command) }
    connection?.report(command.report)
  }

  // What the user does.

  func swipe(_ id: FlowID) {
    if connection?.isGuarded(id) ?? false {
      connection?.report(.attemptBlocked(id))
      return
    }
    change { $0.remove(id) }
    connection?.report(.didDismiss(id))
  }

  func select(_ tab: FlowID) {
    change { $0.apply(.select(tab)) }
    connection?.report(.didSelect(tab))
  }

  func drag(_ id: FlowID, isLetGo: Bool) {
    let awaited = replacement?.subject == id ? replacement : nil
    replacement = nil
    if awaited == nil { connection?.report(.gestureBegan(id)) }
    if isLetGo {
      connection?.report(.gestureCancelled(id))
      return
    }
    change { if let awaited { $0.apply(awaited) } else { $0.remove(id) } }
    connection?.report(.gestureCompleted(id))
  }

  // What is drawn: a view for each flow, made once.

  private func change(_ body: (inout Navigation) -> Void) {
    body(&screens)
    lines = screens.flows.compactMap { id in
      if let alert = connection?.flow(id) as? any AlertPresenting { return alert.content.title }
      return connection?.view(for: id) { Label(text: "\(type(of: $0))") }?.text
    }
  }

  private final class Label {
    let text: String
    init(text: String) { self.text = text }
  }
}

@MainActor @Test func textHost_conforms() async throws {
  try await Lab.run { lab in
    let suite = HostConformance(clock: lab.clock) {
      let host = TextHost()
      return HostConformance.Subject(
        host, screens: { host.screens }, userDismisses: { host.swipe($0) },
        userSelects: { host.select($0) },
        userDecides: { host.drag($0, isLetGo: !$1) })
    }
    let failures = await suite.run()
    try lab.require(failures.isEmpty, "\(failures)")
  }
}
