// What the rule tests share: a flow that is told what to do by closures, a runtime around one, and
// things to count with.

import MillraceTesting
import Millrace
import RaceLab
import Synchronization

/// A flow that does as it is told.
@MainActor
final class Step: Flow {
  let scope: FlowScope<Int>
  private let whenStarted: @MainActor (Step) -> Void
  private let whenEnded: @MainActor (Step, Ending<Int>) -> Void
  /// State of the kind that a view model has.
  var pages = Loadable<String>.idle

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

/// A runtime on the lab's clock with a trace, and one window with a `Step` as its root.
@MainActor
struct Stage {
  let runtime: FlowRuntime
  let window: FlowWindow
  let trace = TraceLog(limit: 1_000_000)
  let root: Step
  var scope: FlowScope<Int> { root.scope }

  init(
    _ lab: Lab, signedInAs account: Account? = nil, options: RuntimeOptions = RuntimeOptions(),
    onEnding: (@MainActor (Ending<Int>) -> Void)? = nil,
    deliver: (@concurrent @Sendable (Handover, Session) async throws -> Void)? = nil
  ) throws {
    try self.init(
      clock: lab.clock, signedInAs: account, options: options, onEnding: onEnding, deliver: deliver)
  }

  init(
    clock: some Clock<Duration>, signedInAs account: Account? = nil,
    options: RuntimeOptions = RuntimeOptions(),
    onEnding: (@MainActor (Ending<Int>) -> Void)? = nil,
    deliver: (@concurrent @Sendable (Handover, Session) async throws -> Void)? = nil
  ) throws {
    runtime = FlowRuntime(clock: clock, options: options, deliver: deliver)
    if let account { runtime.signIn(account) }
    window = runtime.openWindow { _ in Root({ Step($0) }, onEnding: onEnding) }
    guard let root = window.rootFlow as? Step else { throw NoRoot() }
    self.root = root
    runtime.addSink(trace)
  }

  /// How often this kind was refused.
  func refused(_ kind: RefusalKind) -> Int { runtime.refusals[kind] ?? 0 }

  private struct NoRoot: Error {}
}

extension FlowScope {
  /// Starts a `Step` below.
  @discardableResult
  func step(
    as presentation: Presentation = .inline, buffer: Int = 64,
    start: @escaping @MainActor (Step) -> Void = { _ in },
    willEnd: @escaping @MainActor (Step, Ending<Int>) -> Void = { _, _ in },
    onOutput: (@MainActor (Int) -> Void)? = nil, onOverflow: (@MainActor () -> Void)? = nil,
    onEnding: (@MainActor (Ending<Int>) -> Void)? = nil
  ) -> Child<Step> {
    self.start(
      as: presentation, buffer: buffer, { Step($0, start: start, willEnd: willEnd) },
      onOutput: onOutput, onOverflow: onOverflow, onEnding: onEnding)
  }
}

extension Child where F == Step {
  /// The child's scope, also after the end; nil only for a start that was refused.
  var scope: FlowScope<Int>? { flow?.scope }
}

extension TraceLog {
  /// How many of the events are of this kind.
  func count(_ matches: (TraceEvent) -> Bool) -> Int { events.count { matches($0) } }
}

/// Lines in the order in which they were written, from anywhere.
final class Log: Sendable {
  private let written = Guarded<[String]>([])

  var lines: [String] { written.withLock { $0 } }
  func callAsFunction(_ line: String) { written.withLock { $0.append(line) } }
  func callAsFunction(_ value: some Any) { self(String(describing: value)) }
  func clear() { written.withLock { $0 = [] } }
}

/// Counts up and down, from anywhere.
final class Tally: Sendable {
  private let number = Atomic<Int>(0)

  var value: Int { number.load(ordering: .sequentiallyConsistent) }
  func add(_ count: Int = 1) { number.add(count, ordering: .sequentiallyConsistent) }
}

/// An object that counts itself while it is in memory, and can do something when it leaves.
final class Counted: Sendable {
  private let alive: Tally
  private let atEnd: (@Sendable () -> Void)?

  init(_ alive: Tally, atEnd: (@Sendable () -> Void)? = nil) {
    self.alive = alive
    self.atEnd = atEnd
    alive.add()
  }

  deinit {
    alive.add(-1)
    atEnd?()
  }

  /// Does nothing: a closure that calls it holds the object.
  func touch() {}
}

struct Oops: Error, Equatable {}

/// A variable that closures share.
@MainActor
final class Held<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
