// What runs and waits under one key of one owner, and the policies that decide between them.
// A run leaves the lane when it has its outcome; only the run itself clears its place (R17).

@MainActor
final class Lane {
  private let key: String
  private let owner: Owner
  private var running: [AnyOperation] = []
  private var waiting = Fifo<AnyOperation>()
  private var width = 1
  private var timer: RuntimeTimer?
  /// Since when, and for how long, a throttled key is held back.
  private var throttle: (began: Duration, time: Duration)?
  /// True while the lane changes hands, so that it is not taken away in between.
  private var isChanging = false

  init(key: String, owner: Owner) {
    self.key = key
    self.owner = owner
  }

  func add(_ run: AnyOperation, _ policy: OperationPolicy) {
    run.lane = self
    isChanging = true
    defer {
      isChanging = false
      removeIfEmpty()
    }
    switch policy {
    case .latest:
      supersede()
      begin(run)
    case .first:
      if running.isEmpty && waiting.isEmpty { begin(run) } else { turnAway(run) }
    case .queue: line(up: run, width: 1)
    case .concurrent(let width): line(up: run, width: max(1, width))
    case .debounce(let time):
      cancelWaiting()
      waiting.append(run)
      wake(after: time)
    case .throttle(let time):
      let now = run.core.timers.now
      if let throttle, now < throttle.began + throttle.time {
        cancelWaiting()
        waiting.append(run)
        wake(after: throttle.began + throttle.time - now)
      } else {
        supersede()
        throttle = (now, time)
        begin(run)
        // The lane has to last as long as the time does.
        wake(after: time)
      }
    }
  }

  /// Called by a run of this lane when it has its outcome.
  func settled(_ run: AnyOperation) {
    if let index = running.firstIndex(where: { $0 === run }) {
      running.remove(at: index)
    } else {
      _ = waiting.extract { $0 === run }
    }
    if timer == nil, owner.isRunning {
      while running.count < width, let next = waiting.popFirst() { begin(next) }
    }
    removeIfEmpty()
  }

  /// Cancels all that runs and waits here.
  func cancelAll(_ cause: CancellationCause) {
    isChanging = true
    timer?.cancel()
    timer = nil
    throttle = nil
    while let run = waiting.popFirst() { run.cancel(cause) }
    for run in running { run.cancel(cause) }
    isChanging = false
    removeIfEmpty()
  }

  /// The owner has ended, and cancels the runs itself.
  func close() {
    timer?.cancel()
    timer = nil
    _ = waiting.removeAll()
    running = []
  }

  private func begin(_ run: AnyOperation) {
    running.append(run)
    run.launch()
  }

  private func line(up run: AnyOperation, width: Int) {
    self.width = width
    if running.count < width { begin(run) } else { waiting.append(run) }
  }

  private func turnAway(_ run: AnyOperation) {
    run.lane = nil
    run.core.refuse(.alreadyRunning, owner, operation: run)
    run.cancel(.alreadyRunning)
  }

  private func supersede() {
    cancelWaiting()
    for run in running { run.cancel(.superseded) }
  }

  private func cancelWaiting() {
    timer?.cancel()
    timer = nil
    while let run = waiting.popFirst() { run.cancel(.superseded) }
  }

  private func wake(after time: Duration) {
    timer?.cancel()
    timer = owner.core.timers.after(time) { self.timeIsOver() }
  }

  private func timeIsOver() {
    timer = nil
    isChanging = true
    if let run = waiting.popFirst() {
      for other in running { other.cancel(.superseded) }
      begin(run)
      if let throttle {
        self.throttle = (run.core.timers.now, throttle.time)
        wake(after: throttle.time)
      }
    } else {
      throttle = nil
    }
    isChanging = false
    owner.core.drain()
    removeIfEmpty()
  }

  private func removeIfEmpty() {
    guard !isChanging, running.isEmpty, waiting.isEmpty, timer == nil else { return }
    if owner.lanes[key] === self { owner.lanes[key] = nil }
  }
}

extension Owner {
  final func lane(_ key: String) -> Lane {
    if let lane = lanes[key] { return lane }
    let lane = Lane(key: key, owner: self)
    lanes[key] = lane
    return lane
  }
}
