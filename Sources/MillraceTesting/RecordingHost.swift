// A host without a screen: what it is asked is recorded, and nothing is reported by itself.

import Millrace

/// A host that records its commands. A test reports in its place what it wants to have happened.
///
/// ```swift
/// let host = RecordingHost()
/// let window = runtime.openWindow(host: host) { _ in Root { Home(scope: $0) } }
/// #expect(host.commands == [.show(home, as: .root, over: nil)])
/// window.report(.didDismiss(sheet))
/// ```
///
/// A window holds its host weakly: keep it as long as the window.
@MainActor
public final class RecordingHost: Host {
  /// What it was asked, oldest first.
  public private(set) var commands: [HostCommand] = []

  /// Makes a host that was asked nothing yet.
  public init() {}

  /// Records the command.
  public func perform(_ command: HostCommand) { commands.append(command) }

  /// The flows that it was asked to show, in order.
  public var shown: [FlowID] {
    commands.compactMap { if case .show(let id, _, _) = $0 { id } else { nil } }
  }

  /// The flows that it was asked to take away, in order.
  public var dismissed: [FlowID] {
    commands.compactMap { if case .dismiss(let id) = $0 { id } else { nil } }
  }
}
