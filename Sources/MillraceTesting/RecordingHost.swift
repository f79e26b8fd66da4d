// A host without a screen: it records what it is asked, shows it as a value, and plays the user.

import Millrace

/// A host that records its commands and keeps what a real one would show.
///
/// ```swift
/// let host = RecordingHost(.whenTold)
/// let window = runtime.openWindow(host: host) { _ in Root { Home(scope: $0) } }
/// #expect(host.commands == [.show(home, as: .root, over: nil)])
/// host.answer()
/// host.swipe(sheet)          // the user takes it away
/// ```
///
/// A window holds its host weakly: keep it as long as the window. Each window has its own.
@MainActor
public final class RecordingHost: Host {
  /// When a command is answered.
  public enum Answers: Sendable {
    /// In the call that gives it; an interactive replacement when the user has decided.
    case atOnce
    /// When the test says so.
    case whenTold
  }

  /// When it answers. May be changed at any time.
  public var answers: Answers
  /// What it was asked, oldest first.
  public private(set) var commands: [HostCommand] = []
  private var taken = 0
  /// What it was asked and has not answered, oldest first.
  public private(set) var unanswered: [HostCommand] = []
  /// What it shows: the commands that it has answered, and what the user did.
  public private(set) var screens = Navigation()
  /// The way to its window, once that is open.
  public private(set) var connection: HostConnection?

  /// Makes a host that was asked nothing yet.
  public init(_ answers: Answers = .atOnce) { self.answers = answers }

  /// The commands since the last time it was asked.
  package func takeCommands() -> [HostCommand] {
    defer { taken = commands.count }
    return Array(commands.dropFirst(taken))
  }

  /// Keeps the connection.
  public func connect(_ connection: HostConnection) { self.connection = connection }

  /// Records the command, and answers it if it is to do so at once.
  public func perform(_ command: HostCommand) {
    commands.append(command)
    if case .dismiss(let id, _) = command {
      // The user's gesture is over, whatever the user does.
      unanswered.removeAll { $0.isInteractive && $0.subject == id }
    }
    unanswered.append(command)
    if answers == .atOnce, !command.isInteractive { answer() }
  }

  // MARK: - Answering

  /// Does the oldest command that it has not answered.
  ///
  /// - Parameter reporting: false loses the report.
  /// - Returns: the report, or nil if nothing was asked.
  @discardableResult
  public func answer(reporting: Bool = true) -> HostReport? {
    guard !unanswered.isEmpty else { return nil }
    let command = unanswered.removeFirst()
    screens.apply(command)
    let report = command.report
    if reporting { connection?.report(report) }
    return report
  }

  /// Answers until nothing is left to answer.
  public func answerAll() {
    while answer() != nil {}
  }

  /// Forgets the oldest command without doing it, and without a word.
  @discardableResult
  public func ignore() -> HostCommand? { unanswered.isEmpty ? nil : unanswered.removeFirst() }

  // MARK: - The user

  /// The user takes a flow away, and all that is above it.
  ///
  /// - Parameters:
  ///   - id: the flow.
  ///   - reporting: false leaves the report to the caller.
  /// - Returns: the report.
  @discardableResult
  public func swipe(_ id: FlowID, reporting: Bool = true) -> HostReport {
    screens.remove(id)
    return send(.didDismiss(id), reporting)
  }

  /// The user goes to a tab.
  @discardableResult
  public func tap(_ tab: FlowID, reporting: Bool = true) -> HostReport {
    screens.apply(.select(tab))
    return send(.didSelect(tab), reporting)
  }

  private func send(_ report: HostReport, _ reporting: Bool) -> HostReport {
    if reporting { connection?.report(report) }
    return report
  }

  /// The user begins a gesture. An interactive replacement begins with it.
  public func beginGesture(_ id: FlowID, to target: FlowID? = nil) {
    connection?.report(.gestureBegan(id, to: target))
  }

  /// The user lets go.
  @discardableResult
  public func cancelGesture(
    _ id: FlowID, to target: FlowID? = nil, reporting: Bool = true
  ) -> HostReport {
    unanswered.removeAll { $0.isInteractive && ($0.subject == id || $0.subject == target) }
    return send(.gestureCancelled(id, to: target), reporting)
  }

  /// The user goes through with it.
  @discardableResult
  public func completeGesture(
    _ id: FlowID, to target: FlowID? = nil, reporting: Bool = true
  ) -> HostReport {
    let index = unanswered.firstIndex {
      $0.isInteractive && ($0.subject == id || $0.subject == target)
    }
    if let index { screens.apply(unanswered.remove(at: index)) } else { screens.remove(id) }
    return send(.gestureCompleted(id, to: target), reporting)
  }

  // MARK: - Looking

  /// The flows that it was asked to show, in order.
  public var shown: [FlowID] {
    commands.compactMap { command in
      switch command {
      case .show(let id, _, _), .replace(_, let id, _, _, _): id
      case .dismiss, .pop, .select: nil
      }
    }
  }

  /// The flows that it was asked to take away or to replace, in order.
  public var dismissed: [FlowID] {
    commands.compactMap { command in
      switch command {
      case .dismiss(let id, _), .pop(let id, _, _), .replace(let id, _, _, _, _): id
      case .show, .select: nil
      }
    }
  }
}
