// What runs and waits under one key of one owner, and the policies that decide between them.
// A run leaves the lane when it has its outcome; only the run itself clears its place (R17).

@MainActor
final class Lane {
  let key: String
  private let owner: Owner
  /// The run of a lane one wide; others are in `more`.
  private var only: AnyOperation?
  private var more: [AnyOperation] = []
  private var waiting: Fifo<AnyOperation>?
  private var width = 1
  private var timer: RuntimeTimer?
  /// Since when, and for how long, a throttled key is held back.
  private var throttle: (began: Duration, time: Duration)?

  init(key: String, owner: Owner) {
    self.key = key
    self.owner = owner
  }

  /// True if nothing runs, waits or is held back here.
  var isIdle: Bool { only == nil && more.isEmpty && waiting == nil && timer == nil }

  private var runningCount: Int { (only == nil ? 0 : 1) + more.count }

  func add(_ run: AnyOperation, _ policy: OperationPolicy) {
    switch policy {
    case .latest:
      if !isIdle { supersede(.superseded) }
      begin(run)
    case .first:
      if isIdle { begin(run) } else { turnAway(run) }
    case .queue: line(up: run, width: 1)
    case .concurrent(let width): line(up: run, width: max(1, width))
    case .debounce(let time):
      cancelWaiting(.superseded)
      wait(run)
      wake(after: time)
    case .throttle(let time):
      let now = run.core.timers.now
      if let throttle, now < throttle.began + throttle.time {
        cancelWaiting(.superseded)
        wait(run)
        wake(after: throttle.began + throttle.time - now)
      } else {
        supersede(.superseded)
        throttle = (now, time)
        begin(run)
        // The lane has to last as long as the time does.
        wake(after: time)
      }
    }
  }

  /// Called by a run of this lane when it has its outcome.
  func settled(_ run: AnyOperation) {
    if only === run {
      only = nil
    } else if let index = more.firstIndex(where: { $0 === run }) {
      more.remove(at: index)
    } else if waiting != nil {
      _ = waiting?.extract { $0 === run }
      if waiting?.isEmpty ?? true { waiting = nil }
      return
    }
    guard timer == nil, waiting != nil, owner.isRunning else { return }
    while runningCount < width, let next = popWaiting() { begin(next) }
  }

  /// Cancels all that runs and waits here.
  func cancelAll(_ cause: CancellationCause) {
    throttle = nil
    supersede(cause)
  }

  /// The owner has ended, and cancels the runs itself.
  func close() {
    timer?.cancel()
    timer = nil
    waiting = nil
    only = nil
    more = []
  }

  private func begin(_ run: AnyOperation) {
    if only == nil { only = run } else { more.append(run) }
    run.launch()
  }

  private func line(up run: AnyOperation, width: Int) {
    self.width = width
    if runningCount < width, waiting == nil { begin(run) } else { wait(run) }
  }

  private func turnAway(_ run: AnyOperation) {
    run.forgetLane()
    run.core.refuse(.alreadyRunning, owner, operation: run)
    run.cancel(.alreadyRunning)
  }

  private func wait(_ run: AnyOperation) {
    if waiting == nil { waiting = Fifo() }
    waiting?.append(run)
  }

  private func popWaiting() -> AnyOperation? {
    let run = waiting?.popFirst()
    if waiting?.isEmpty ?? false { waiting = nil }
    return run
  }

  private func supersede(_ cause: CancellationCause) {
    cancelWaiting(cause)
    cancelRunning(cause)
  }

  private func cancelRunning(_ cause: CancellationCause) {
    let running = (only.map { [$0] } ?? []) + more
    only = nil
    more = []
    for run in running {
      run.forgetLane()
      run.cancel(cause)
    }
  }

  private func cancelWaiting(_ cause: CancellationCause) {
    timer?.cancel()
    timer = nil
    while let run = popWaiting() {
      run.forgetLane()
      run.cancel(cause)
    }
  }

  private func wake(after time: Duration) {
    timer?.cancel()
    timer = owner.core.timers.after(time) { self.timeIsOver() }
  }

  private func timeIsOver() {
    timer = nil
    if let run = popWaiting() {
      cancelRunning(.superseded)
      begin(run)
      if let throttle {
        self.throttle = (run.core.timers.now, throttle.time)
        wake(after: throttle.time)
      }
    } else {
      throttle = nil
    }
    owner.core.drain()
  }
}

/// The lanes of an owner. Most have few keys: those are looked through, idle ones are used again.
@MainActor
final class LaneTable {
  private static let few = 8
  private var lanes: [Lane] = []
  /// Key: the operation key. Value: its lane. Used when there are more than a few.
  private var index: [String: Lane] = [:]

  func find(_ key: String) -> Lane? {
    if index.isEmpty { return lanes.first { $0.key == key } }
    return index[key]
  }

  func lane(_ key: String, owner: Owner) -> Lane {
    if let found = find(key) { return found }
    if lanes.count >= Self.few, lanes.count.nonzeroBitCount == 1 { dropIdle() }
    let made = Lane(key: key, owner: owner)
    lanes.append(made)
    if !index.isEmpty {
      index[key] = made
    } else if lanes.count > Self.few {
      for lane in lanes { index[lane.key] = lane }
    }
    return made
  }

  func close() {
    for lane in lanes { lane.close() }
  }

  private func dropIdle() {
    lanes.removeAll { $0.isIdle }
    index = [:]
    if lanes.count > Self.few {
      for lane in lanes { index[lane.key] = lane }
    }
  }
}

extension Owner {
  final func lane(_ key: String) -> Lane {
    if let lanes { return lanes.lane(key, owner: self) }
    let table = LaneTable()
    lanes = table
    return table.lane(key, owner: self)
  }
}
