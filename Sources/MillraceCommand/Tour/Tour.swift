// The day at the library: what all its steps share. A step acts, waits for what it needs to happen
// (never for time to pass), and says what must be true now; every difference counts.

import LibraryApp
import Millrace
import Observation

/// Drives the app through a day and checks it.
@MainActor
final class Tour {
  private(set) var report: TourReport
  let app: LibraryApp
  let library: any CountedLibrary
  let script: ScriptedLibrary
  let store = MemorySessionStore()
  let host = TourHost()
  let ledger = TourLedger()
  /// What to read today: drawn from the seed, and on the shelf.
  let books: [Book]

  /// What one step leaves for a later one. Old view models are kept here on purpose.
  var card: LibraryCard?
  var oldRoot: SignedInFlow?
  var oldAccount: AccountFlow?
  var deafRenewal: AnswerGate?
  var deafLoans: AnswerGate?

  private var refusalsSeen = 0
  private var lostBefore = 0
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// How many books the day needs.
  nonisolated static let booksNeeded = 5
  /// How long a step may take until it counts as stuck. Nothing else depends on time.
  nonisolated static let patience = Duration.seconds(10)

  init(options: TourOptions, catalogue: Catalogue) async throws(TourServer.Unfit) {
    let seed = Seed.drawn(options.seed, for: options.server)
    var generator = SplitMix64(seed: seed)
    let shuffled = catalogue.books.shuffled(using: &generator)
    books =
      if let server = options.server {
        try await TourServer(url: server).shelf(of: shuffled, Tour.booksNeeded)
      } else { Array(shuffled.prefix(Tour.booksNeeded)) }
    let weather = LibraryWeather(
      seed: seed, latency: .milliseconds(20)...(.milliseconds(800)), faults: 0)
    library =
      if let server = options.server {
        LiveLibrary(server: server, timeout: TourServer.patience)
      } else {
        EmbeddedLibrary(
          catalogue: catalogue, today: CalendarDate.tourDay, weather: weather,
          clock: InstantClock())
      }
    script = ScriptedLibrary(library)
    app = LibraryApp(
      service: script, store: store, options: RuntimeOptions(checksLeaks: true), host: host,
      sink: ledger, seed: seed)
    report = TourReport(
      seed: seed, catalogue: options.catalogue ?? "built in", books: catalogue.books.count)
    ledger.onEvent = { [weak self] in self?.wake() }
  }

  var runtime: FlowRuntime { app.runtime }

  // MARK: - Telling

  func step(_ title: String) { report.steps.append(TourReport.Step(title: title)) }

  func say(_ text: String) { add(TourReport.Entry(said: text)) }

  func showTree() {
    add(TourReport.Entry(tree: runtime.tree.split(separator: "\n").map(String.init)))
  }

  /// Compares what was found with what was expected.
  func check<Value: Equatable>(_ what: String, _ found: Value, is expected: Value) {
    add(TourReport.Entry(check: compared(what, found, expected)))
  }

  private func compared<Value: Equatable>(
    _ what: String, _ found: Value, _ expected: Value
  ) -> TourReport.Check {
    TourReport.Check(
      what: what, expected: written(expected), found: written(found), isMet: found == expected)
  }

  /// Waits until this many tasks are left, then compares what the trace and the runtime say with
  /// the numbers that this step must have led to. Every flow of this app is on a screen of its own;
  /// `screens` differs from `flows` only where there is no window.
  func endStep(
    flows: Int, screens: Int? = nil, tasks: Int = 0, lost: Int = 0,
    refused: [RefusalKind: Int] = [:]
  ) async throws {
    let isAtRest = await holds { $0.runtime.counts.operations == tasks }
    host.acknowledge(to: app.window)
    let counts = runtime.counts
    let traced = ledger.counts
    let new = ledger.refusals[refusalsSeen...]
    for refusal in new {
      add(
        TourReport.Entry(
          refused: TourReport.Refused(
            kind: "\(refusal.kind)", who: refusal.who, why: refusal.kind.reason)))
    }
    let refusedByKind = tally(new.map(\.kind))
    check("refused", refusedByKind, is: refused)
    let checks = [
      compared("flows alive", counts.flows, flows),
      compared("flows alive, by the trace", traced.flowsAlive, flows),
      compared("screens", host.count, screens ?? flows),
      compared("tasks alive", counts.operations, tasks),
      compared("tasks alive, by the trace", traced.tasksAlive, tasks),
      compared("values lost", counts.outputsDropped - lostBefore, lost),
      compared("values lost, by the trace", traced.valuesDropped - lostBefore, lost),
    ]
    add(TourReport.Entry(atRest: checks))
    refusalsSeen = ledger.refusals.count
    lostBefore = traced.valuesDropped
    if !isAtRest { throw Missing(what: "the rest of \(tasks) tasks") }
  }

  func finish(_ totals: TourReport.Totals) {
    report.totals = totals
    report.verdict = report.failures == 0 ? .asExpected : .different
  }

  /// A step could not go on.
  func giveUp(_ error: any Error) {
    add(
      TourReport.Entry(
        check: TourReport.Check(
          what: "the step goes on", expected: "yes", found: "\(error)", isMet: false)))
    report.verdict = .different
  }

  private func add(_ entry: TourReport.Entry) {
    if report.steps.isEmpty { step("Before the first step") }
    report.steps[report.steps.count - 1].entries.append(entry)
  }

  // MARK: - Waiting

  /// Waits until the condition holds.
  func until(_ what: String, _ condition: @escaping @MainActor (Tour) -> Bool) async throws {
    guard await holds(condition) else { throw Missing(what: what) }
  }

  /// Looks at the condition again after each trace event, and after each change of what it has read
  /// from observable models. False when it does not hold in time.
  private func holds(_ condition: @escaping @MainActor (Tour) -> Bool) async -> Bool {
    let deadline = Deadline()
    let alarm = Task { [weak self] in
      try await Task.sleep(for: Tour.patience)
      deadline.hasPassed = true
      self?.wake()
    }
    defer { alarm.cancel() }
    while true {
      let holds = withObservationTracking {
        condition(self)
      } onChange: {
        Task { @MainActor [weak self] in self?.wake() }
      }
      if holds || deadline.hasPassed { return holds }
      await withCheckedContinuation { waiters.append($0) }
    }
  }

  /// Waits until the value is there.
  func wait<Value>(
    for what: String, _ value: @escaping @MainActor (Tour) -> Value?
  ) async throws -> Value {
    try await until(what) { value($0) != nil }
    guard let found = value(self) else { throw Missing(what: what) }
    return found
  }

  /// Waits until the call has reached the gate.
  func arrival(at gate: AnswerGate) async throws {
    Task { [weak self] in
      await gate.arrival()
      self?.wake()
    }
    try await until("the call of \(gate.call) at its gate") { _ in gate.hasArrived }
  }

  private final class Deadline { var hasPassed = false }

  /// Something a step needs is not there.
  struct Missing: Error, CustomStringConvertible {
    let what: String
    var description: String { "\(what) did not come within \(Tour.patience)" }
  }

  private func wake() {
    let woken = waiters
    waiters = []
    for waiter in woken { waiter.resume() }
  }
}

/// How often each kind occurs.
func tally(_ kinds: some Sequence<RefusalKind>) -> [RefusalKind: Int] {
  kinds.reduce(into: [:]) { $0[$1, default: 0] += 1 }
}

extension CalendarDate {
  /// The day of the tour. Any day would do; it is the same for every seed.
  static let tourDay = CalendarDate(year: 2024, month: 5, day: 2) ?? .first
}
