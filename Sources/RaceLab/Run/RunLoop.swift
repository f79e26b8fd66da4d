// The loop of a run: takes a job, runs it, and when there is none finds out why.

import Dispatch
import RaceLabHooks

extension LabRun {
  /// Runs to the end. Returns nil if the root has returned and nothing is left to run, or else why
  /// the run is wrong.
  func execute() -> LabError? {
    while true {
      if let ready = next() {
        if steps >= limits.steps { return .stepLimit(limits.steps) }
        step(ready)
        if let broken = brokenInvariant() { return broken }
      } else if isSettling {
        awaitOutside()
        if queue.isEmpty { wakeSettling() }
      } else if rootDone {
        // What has ended on an actor was not looked at, and what it held may have something to do.
        releaseEnded()
        if queue.isEmpty { return nil }
      } else if let (deadline, due) = timers.popEarliest() {
        moveTime(to: deadline, due)
      } else if let stuck = awaitAnything() {
        return stuck
      }
    }
  }

  /// Lets go of all that still waits, once the run has been judged, so that its memory is freed.
  /// What then happens concerns nobody; a task that still goes on for ever is dropped.
  func windUp() {
    invariants.removeAll(keepingCapacity: true)
    cancelsLeft = 0
    lab = nil
    watchesTasks = false
    releaseWatched()
    for parking in parkings.withLock({ $0 }) { parking.end() }
    var left = 10_000
    while left > 0 {
      for job in inbox.takeAll() { append(job.job, as: job.form, on: job.lane) }
      if let ready = queue.next({ _ in 0 }) {
        left -= 1
        run(ready)
      } else if isSettling {
        wakeSettling()
      } else if let (deadline, due) = timers.popEarliest() {
        moveTime(to: deadline, due)
      } else {
        break
      }
    }
  }

  /// Stops taking jobs of other threads. Those that came late are run here.
  func close() {
    ForeignJobs.remove(inbox)
    for job in inbox.close() {
      run(
        Ready(
          job: job.job, form: job.form, lane: job.lane, task: -1, order: 0, cause: 0, rank: 0))
    }
  }

  private func moveTime(to deadline: VirtualTime, _ due: [Timer]) {
    now = deadline
    for timer in due { append(timer.job, as: .actor, on: .pool, sleeper: timer.sleeper ?? -1) }
  }

  private func next() -> Ready? {
    for job in inbox.takeAll() { append(job.job, as: job.form, on: job.lane) }
    return queue.next { candidates in
      let value = chooser.schedule(candidates, step: steps)
      take(
        Pick(
          kind: .schedule, count: UInt16(clamping: candidates.count),
          value: UInt16(clamping: value)))
      lastPick = trace.picks.count - 1
      return value
    }
  }

  private func step(_ ready: Ready) {
    steps += 1
    let pick = lastPick
    lastPick = -1
    let cancelled = mayCancel(ready)
    let place: Step.Place =
      switch ready.lane {
      case .main: .main
      case .pool: .pool
      case .actor(let actor): .actor(number(ofActor: actor))
      }
    trace.add(
      Step(
        task: ready.task, place: place, time: now, cause: ready.cause, pick: pick,
        cancelled: cancelled))
    if keepsPlaces {
      trace.places.append(watch.address(of: ready.task).map { Code.place(ofTask: $0).address } ?? 0)
    }
    guard keepsFootprints else { return run(ready) }
    footprints.begin(task: ready.task, place: ready.lane)
    run(ready)
    if ready.task >= 0 { addWait(ofTask: ready.task) }
    chooser.made(ready.order, footprints.current)
  }

  /// Decides whether to cancel the task of a job that is about to run, and does it.
  private func mayCancel(_ ready: Ready) -> Bool {
    guard cancelsLeft > 0, ready.task > 0 else { return false }
    let value = chooser.cancel(task: ready.task, step: steps)
    take(Pick(kind: .cancel, count: 2, value: value ? 1 : 0))
    guard value else { return false }
    cancelsLeft -= 1
    trace.mix(0xca9ce1)
    unsafe racelab_cancel(unsafeBitCast(ready.job, to: UnsafeMutableRawPointer.self))
    return true
  }

  private func brokenInvariant() -> LabError? {
    guard !invariants.isEmpty else { return nil }
    isOnMain = true
    defer { isOnMain = false }
    for invariant in invariants {
      // The lab's thread is its main actor; no job runs now.
      typealias Check = () -> Bool
      let holds = unsafe unsafeBitCast(invariant.holds, to: Check.self)
      if !holds() { return invariant.error }
    }
    return nil
  }

  /// Waits while something known is outside and nothing comes in.
  private func awaitOutside() {
    let limit = DispatchTime.now() + limits.outside.dispatch
    while queue.isEmpty, !inbox.outside.isEmpty {
      if !inbox.wait(until: limit) {
        fail(.outside(inbox.outside))
        return
      }
      for job in inbox.takeAll() { append(job.job, as: job.form, on: job.lane) }
    }
  }

  /// Nothing to run, and the root has not returned: waits for other threads. Returns an error if
  /// nothing came.
  private func awaitAnything() -> LabError? {
    let outside = inbox.outside
    let limit = DispatchTime.now() + (outside.isEmpty ? limits.patience : limits.outside).dispatch
    if inbox.wait(until: limit) { return nil }
    return outside.isEmpty ? .deadlock(waiting: waiting) : .outside(inbox.outside)
  }
}

extension Duration {
  fileprivate var dispatch: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(
      Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000_000).partialValue
        &+ Int(attoseconds / 1_000_000_000))
  }
}
