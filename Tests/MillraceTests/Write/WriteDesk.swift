// What the tests of writes share: a runtime with a scripted server and a journal that can fail.

import Millrace
import MillraceTesting
import RaceLab
import Testing

/// A flow with nothing of its own.
@MainActor
final class WriteForm: Flow {
  typealias Output = String
  let scope: FlowScope<String>
  private let onEnd: @MainActor (FlowScope<String>) -> Void

  init(
    _ scope: FlowScope<String>, onEnd: @escaping @MainActor (FlowScope<String>) -> Void = { _ in }
  ) {
    self.scope = scope
    self.onEnd = onEnd
  }

  func willEnd(_ ending: Ending<String>) { onEnd(scope) }
}

@MainActor
final class WriteDesk {
  let runtime: FlowRuntime
  let server: WriteServer
  let journal: FaultyJournal
  let log = TraceLog()
  private let window: FlowWindow

  init(
    _ lab: Lab, _ server: WriteServer = WriteServer(), journal: FaultyJournal = FaultyJournal(),
    signedInAs account: String? = "A", store: (any SessionStore)? = nil,
    change: (inout WriteOptions) -> Void = { _ in }
  ) {
    self.server = server
    self.journal = journal
    var options = WriteOptions(service: server, journal: journal, confirmation: nil, seed: 1)
    change(&options)
    runtime = FlowRuntime(clock: lab.clock, store: store, writes: options)
    runtime.addSink(log)
    if let account { runtime.signIn(Account(account)) }
    window = runtime.openWindow { _ in Root { WriteForm($0) } }
  }

  func form() throws -> WriteForm { try #require(window.rootFlow as? WriteForm) }
  func scope() throws -> FlowScope<String> { try form().scope }

  func phase(_ write: Write) -> WritePhase? { runtime.writes?.entry(for: write.intent)?.phase }

  /// The problems that were traced.
  var problems: [String] {
    log.events.compactMap { if case .problem(let text) = $0 { text } else { nil } }
  }

  /// Everything that was told of this write, whoever listened.
  func told(_ write: Write) -> [WritePhase] {
    log.events.compactMap {
      if case .write(write.intent, _, let phase) = $0 { phase } else { nil }
    }
  }
}

func testWrite(_ number: UInt8 = 1) -> Write {
  Write("loan", intent: Intent(key: "key \(number)"), body: [number])
}
