// What the cases share: a plain flow, the stage it plays on, and remote calls held at gates.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// A coordinator or a view model with nothing of its own: what it does is given by closures.
@MainActor
final class Screen: Flow {
  typealias Output = String
  let scope: FlowScope<String>
  let name: String
  private let onStart: @MainActor (Screen) -> Void
  private let onEnd: @MainActor (Screen, Ending<String>) -> Void

  init(
    _ scope: FlowScope<String>, _ name: String,
    onStart: @escaping @MainActor (Screen) -> Void = { _ in },
    onEnd: @escaping @MainActor (Screen, Ending<String>) -> Void = { _, _ in }
  ) {
    self.scope = scope
    self.name = name
    self.onStart = onStart
    self.onEnd = onEnd
  }

  func start() { onStart(self) }
  func willEnd(_ ending: Ending<String>) { onEnd(self, ending) }
}

extension FlowScope {
  /// Starts a screen below this flow.
  @discardableResult
  func open(
    _ name: String, as presentation: Presentation = .push, in session: Session? = nil,
    buffer: Int = 64,
    onStart: @escaping @MainActor (Screen) -> Void = { _ in },
    onEnd: @escaping @MainActor (Screen, Ending<String>) -> Void = { _, _ in },
    onOutput: (@MainActor (String) -> Void)? = nil,
    onOverflow: (@MainActor () -> Void)? = nil,
    onEnding: (@MainActor (Ending<String>) -> Void)? = nil
  ) -> Child<Screen> {
    start(
      Screen.self, as: presentation, in: session, buffer: buffer,
      { Screen($0, name, onStart: onStart, onEnd: onEnd) },
      onOutput: onOutput, onOverflow: onOverflow, onEnding: onEnding)
  }
}

/// Lines that a test writes down, in order.
@MainActor
final class Notes {
  private(set) var lines: [String] = []
  func add(_ line: String) { lines.append(line) }
  func count(_ line: String) -> Int { lines.count { $0 == line } }
}

/// A runtime on the lab's clock with one window, a recording host and a complete trace.
@MainActor
final class Stage {
  let runtime: FlowRuntime
  let window: FlowWindow
  let host = RecordingHost()
  let log = TraceLog()

  /// The root is a screen named after the session: "undetermined", "signedOut" or the account.
  init(
    _ lab: Lab, signedInAs account: String? = nil, store: (any SessionStore)? = nil,
    deliver: (@concurrent @Sendable (Handover, Session) async throws -> Void)? = nil
  ) {
    let options = RuntimeOptions(checksLeaks: true)  // in release builds too
    runtime = FlowRuntime(clock: lab.clock, store: store, options: options, deliver: deliver)
    runtime.addSink(log)
    if let account { runtime.signIn(Account(account)) }
    window = runtime.openWindow(host: host) { state in
      let name =
        switch state {
        case .undetermined: "undetermined"
        case .signedOut: "signedOut"
        case .signedIn(let session): session.account.id
        }
      return Root { Screen($0, name) }
    }
  }

  /// The root flow of the window.
  func root() throws -> Screen { try #require(window.rootFlow as? Screen) }

  /// How the operations of this name came out, in order.
  func outcomes(of name: String) -> [OutcomeKind] { log.events.outcomes(of: name) }

  /// How the flow ended: one element, or none while it runs.
  func endings(of id: FlowID) -> [EndingKind] { log.events.endings(of: id) }

  /// The flows that have ended, first to last.
  var endedInOrder: [FlowID] { log.events.endedInOrder }

  /// How often a call of this kind was refused.
  func refusals(_ kind: RefusalKind) -> Int { runtime.refusals[kind] ?? 0 }

  /// How often a result of this operation was refused as stale.
  func stale(_ name: String) -> Int { log.events.stale(name) }

  /// Fails the test if the trace tells of anything that must never happen.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) {
    var started: Set<FlowID> = []
    var ended: Set<FlowID> = []
    var told: Set<FlowID> = []
    var settled: Set<OperationID> = []
    var quiet: Set<OperationID> = []
    func require(_ condition: Bool, _ event: TraceEvent) {
      #expect(condition, "out of place: \(event)", sourceLocation: sourceLocation)
    }
    for event in log.events {
      switch event {
      case .flowStarted(let id, _, _, _): require(started.insert(id).inserted, event)
      case .flowEnded(let id, _, _): require(ended.insert(id).inserted, event)
      case .flowTold(let id, _):
        require(told.insert(id).inserted && ended.contains(id), event)
      case .operationEnded(let id, _, _): require(settled.insert(id).inserted, event)
      case .operationQuiet(let id, _):
        require(quiet.insert(id).inserted, event)
      case .output(let id, _), .overflow(let id, _, _): require(!ended.contains(id), event)
      case .command(.show(let id, _, _)): require(!ended.contains(id), event)
      default: break
      }
    }
    #expect(
      ended.intersection(started).isSubset(of: told), "an end was not told",
      sourceLocation: sourceLocation)
    #expect(quiet.isSubset(of: settled), "work without an outcome", sourceLocation: sourceLocation)
  }
}
