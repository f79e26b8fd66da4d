// What runs and waits under one key of one owner, and the policies that decide between them.
// A run leaves the lane when it has its outcome; only the run itself clears its place (R17).

@MainActor
final class Lane {
  let key: String
  private let owner: Owner
  /// The run of a lane one wide, as most are.
  private var only: AnyOperation?
  /// What stands in line, once something has: most lanes never need it.
  private var line: Line?

  @MainActor
  private final class Line {
    /// The runs beside `only`. Key: the number of the run.
    var more: [UInt64: AnyOperation] = [:]
    private var waiting = Fifo<AnyOperation>()
    /// How many in `waiting` have their outcome already, and are passed over.
    private var gone = 0
    var width = 1
    var timer: RuntimeTimer?
    /// Since when, and for how long, a throttled key is held back.
    var throttle: (began: Duration, time: Duration)?

    var isEmpty: Bool { waiting.count == gone }

    func append(_ run: AnyOperation) { waiting.append(run) }

    func popFirst() -> AnyOperation? {
      while let run = waiting.popFirst() {
        if !run.isSettled { return run }
        gone -= 1
      }
      return nil
    }

    /// Takes out the runs beside `only`, oldest first.
    func takeMore() -> [AnyOperation] {
      if more.isEmpty { return [] }
      defer { more = [:] }
      return more.values.sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// One that waits has its outcome.
    func passOver() {
      gone += 1
      guard gone * 2 > waiting.count else { return }
      _ = waiting.extract { $0.isSettled }
      gone = 0
    }
  }

  init(key: String, owner: Owner) {
    self.key = key
    self.owner = owner
  }

  /// True if nothing runs, waits or is held back here.
  var isIdle: Bool {
    guard only == nil else { return false }
    guard let line else { return true }
    return line.more.isEmpty && line.isEmpty && line.timer == nil
  }

  func add(_ run: AnyOperation, _ policy: OperationPolicy) {
    switch policy {
    case .latest:
      // Again and again: a cancellation handler may have asked for the key anew.
      while !isIdle { supersede(.superseded) }
      begin(run)
    case .first:
      if isIdle { begin(run) } else { turnAway(run) }
    case .queue: add(run, width: 1)
    case .concurrent(let width): add(run, width: max(1, width))
    case .debounce(let time):
      cancelWaiting(.superseded)
      openLine().append(run)
      wake(after: time)
    case .throttle(let time): add(run, throttledBy: time)
    }
  }

  /// Called by a run of this lane when it has its outcome.
  func settled(_ run: AnyOperation) {
    let isOnly = only === run
    if isOnly { only = nil }
    guard let line else { return }
    if !isOnly, line.more.removeValue(forKey: run.id.rawValue) == nil { line.passOver() }
    guard line.timer == nil, owner.isRunning else { return }
    while runningCount < line.width, let next = line.popFirst() { begin(next) }
  }

  /// Cancels all that runs and waits here.
  func cancelAll(_ cause: CancellationCause) {
    line?.throttle = nil
    supersede(cause)
  }

  /// The owner has ended, and cancels the runs itself.
  func close() {
    line?.timer?.cancel()
    line = nil
    only = nil
  }

  private var runningCount: Int { (only == nil ? 0 : 1) + (line?.more.count ?? 0) }

  private func openLine() -> Line {
    if let line { return line }
    let made = Line()
    line = made
    return made
  }

  private func begin(_ run: AnyOperation) {
    if only == nil { only = run } else { openLine().more[run.id.rawValue] = run }
    run.launch()
  }

  private func add(_ run: AnyOperation, width: Int) {
    let line = openLine()
    line.width = width
    if runningCount < width, line.isEmpty { begin(run) } else { line.append(run) }
  }

  private func add(_ run: AnyOperation, throttledBy time: Duration) {
    let line = openLine()
    let now = run.core.timers.now
    if let throttle = line.throttle, now < throttle.began + throttle.time {
      cancelWaiting(.superseded)
      line.append(run)
      wake(after: throttle.began + throttle.time - now)
    } else {
      repeat { supersede(.superseded) } while !isIdle
      line.throttle = (now, time)
      begin(run)
      // The lane has to last as long as the time does.
      wake(after: time)
    }
  }

  private func turnAway(_ run: AnyOperation) {
    run.forgetLane()
    run.core.refuse(.alreadyRunning, owner, operation: run)
    run.cancel(.alreadyRunning)
  }

  private func supersede(_ cause: CancellationCause) {
    cancelWaiting(cause)
    cancelRunning(cause)
  }

  private func cancelRunning(_ cause: CancellationCause) {
    let first = only.take()
    let others = line?.takeMore() ?? []
    if let first { cancel(first, cause) }
    for run in others { cancel(run, cause) }
  }

  private func cancelWaiting(_ cause: CancellationCause) {
    guard let line else { return }
    line.timer?.cancel()
    line.timer = nil
    while let run = line.popFirst() { cancel(run, cause) }
  }

  private func cancel(_ run: AnyOperation, _ cause: CancellationCause) {
    run.forgetLane()
    run.cancel(cause)
  }

  private func wake(after time: Duration) {
    let line = openLine()
    line.timer?.cancel()
    line.timer = owner.core.timers.after(time) { self.timeIsOver() }
  }

  private func timeIsOver() {
    guard let line else { return }
    line.timer = nil
    // A cancellation handler may take back what waits, or ask for the key anew: then that counts.
    while runningCount > 0, line.timer == nil, !line.isEmpty { cancelRunning(.superseded) }
    if line.timer == nil {
      if let run = line.popFirst() {
        begin(run)
        if let throttle = line.throttle {
          line.throttle = (run.core.timers.now, throttle.time)
          wake(after: throttle.time)
        }
      } else {
        line.throttle = nil
      }
    }
    owner.core.drain()
  }
}
