// What is still suspended in a run, by the names that the lab knows.

extension LabRun {
  /// Places at which something waits: gates, clocks, sleeps.
  var waiting: [String] {
    let parked = parkings.withLock { $0 }.flatMap(\.waiting)
    let asleep = sleepers
    return parked + (asleep.isEmpty ? [] : ["\(asleep.count) in Task.sleep"])
  }

  /// Numbers of the tasks that sleep.
  private var sleepers: [Int] {
    timers.all.compactMap { timer in
      timer.sleeper.flatMap { wakeUps[$0] == timer.wakeUps ? $0 : nil }
    }
  }

  /// What the tasks wait for that have not ended and do not sleep; nothing where tasks are not
  /// watched. A task of the lab's own has no place.
  func waits() -> [Wait] {
    releaseEnded()
    let asleep = sleepers
    return watch.waits().filter { $0.place != 0 && !asleep.contains($0.task) }
  }

  /// Why the run fails for what is left over, if it may not be.
  var leftoverError: LabError? {
    guard refusesLeftovers else { return nil }
    let known = waiting
    let count = waits().count { $0.reason != .lab }
    let others = count == 0 ? [] : ["\(count) where somebody else must let them go on"]
    return known.isEmpty && others.isEmpty ? nil : .leftovers(known + others)
  }
}
