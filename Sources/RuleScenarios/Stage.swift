// What the scenarios play on: a runtime on the lab's clock with one window, a flow that does as it is
// told for its root, and an oracle that reads the trace.

import Millrace
import MillraceTesting
import RaceLab

/// A flow that does as it is told.
@MainActor
final class Step: Flow {
  let scope: FlowScope<Int>
  private let whenStarted: @MainActor (Step) -> Void
  private let whenEnded: @MainActor (Step, Ending<Int>) -> Void
  /// State of the kind that a view model has.
  var page = Loadable<Int>.idle

  init(
    _ scope: FlowScope<Int>, start: @escaping @MainActor (Step) -> Void = { _ in },
    willEnd: @escaping @MainActor (Step, Ending<Int>) -> Void = { _, _ in }
  ) {
    self.scope = scope
    whenStarted = start
    whenEnded = willEnd
  }

  func start() { whenStarted(self) }
  func willEnd(_ ending: Ending<Int>) { whenEnded(self, ending) }
}

extension FlowScope {
  /// Starts a step below.
  @discardableResult
  func step(
    as presentation: Presentation = .inline, in session: Session? = nil, buffer: Int = 64,
    start: @escaping @MainActor (Step) -> Void = { _ in },
    willEnd: @escaping @MainActor (Step, Ending<Int>) -> Void = { _, _ in },
    onOutput: (@MainActor (Int) -> Void)? = nil, onOverflow: (@MainActor () -> Void)? = nil,
    onEnding: (@MainActor (Ending<Int>) -> Void)? = nil
  ) -> Child<Step> {
    self.start(
      as: presentation, in: session, buffer: buffer, { Step($0, start: start, willEnd: willEnd) },
      onOutput: onOutput, onOverflow: onOverflow, onEnding: onEnding)
  }
}

@MainActor
final class Stage {
  let lab: Lab
  let runtime: FlowRuntime
  let window: FlowWindow
  let root: Step
  let oracle: TraceOracle

  init(
    _ lab: Lab, signedInAs account: String? = nil, host: RecordingHost? = nil,
    store: (any SessionStore)? = nil,
    deliver: (@concurrent @Sendable (Handover, Session) async throws -> Void)? = nil,
    writes: WriteOptions? = nil, onEnding: (@MainActor (Ending<Int>) -> Void)? = nil
  ) throws {
    self.lab = lab
    oracle = TraceOracle(lab)
    runtime = FlowRuntime(
      clock: lab.clock, store: store, options: RuntimeOptions(checksLeaks: true), sinks: [oracle],
      deliver: deliver, writes: writes)
    if let account { runtime.signIn(Account(account)) }
    window = runtime.openWindow(host: host) { _ in Root({ Step($0) }, onEnding: onEnding) }
    root = try found(window.rootFlow as? Step)
    lab.always("screens and flows are the same") { [window] in window.isConsistent }
  }

  var scope: FlowScope<Int> { root.scope }

  func refused(_ kind: RefusalKind) -> Int { runtime.refusals[kind] ?? 0 }

  /// Settles, and checks what must hold at rest; then closes the window, and checks it again. `deaf` is
  /// how many bodies pay no heed to their cancellation and are still there.
  func close(deaf: Int = 0) async throws {
    await lab.settle()
    try oracle.atRest(runtime)
    window.close()
    await lab.settle()
    try oracle.atRest(runtime)
    try lab.require(runtime.counts.flows == 0, "a flow outlives its window")
    try lab.require(runtime.counts.operations == deaf, "a task outlives its owner")
    try lab.require(
      runtime.unfinished.allSatisfy { $0.cancelledAgo != nil }, "a task was not cancelled")
    if deaf == 0 {
      try lab.require(runtime.leaks().allSatisfy(\.holders.isEmpty), "the runtime holds a flow")
    }
  }
}

/// A variable that closures share.
@MainActor
final class Held<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}

struct Oops: Error, Equatable {}
struct Missing: Error {}

/// The value, to which the scenario must have led.
func found<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Missing() }
  return value
}

extension Lab {
  /// Makes the run fail unless the condition holds, and goes on.
  func check(
    _ condition: Bool, _ message: String, file: String = #fileID, line: Int = #line
  ) {
    if !condition { fail(message, file: file, line: line) }
  }
}

/// An object that counts itself while it is in memory.
final class Counted: Sendable {
  private let alive: Guarded<Int>

  init(_ alive: Guarded<Int>) {
    self.alive = alive
    alive.withLock { $0 += 1 }
  }

  deinit { alive.withLock { $0 -= 1 } }

  /// Does nothing: a closure that calls it holds the object.
  func touch() {}
}
