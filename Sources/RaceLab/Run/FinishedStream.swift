// What the program's own code does to standard streams and to tasks, as the hooks tell it.

import RaceLabHooks

/// A stream's storage, which may have gone.
struct FinishedStream {
  weak var storage: AnyObject?
}

enum StreamWatch {
  /// From now on the run at hand is told of values and ends on every stream of its thread, and of
  /// tasks that are cancelled or started in place.
  static func install() {
    racelab_watch_streams { storage, isEnd in
      CurrentRun.value?.stream(at: storage, ends: isEnd)
    }
    racelab_watch_cancels { task in CurrentRun.value?.cancels(task) }
    racelab_watch_starts { task in CurrentRun.value?.starts(task) }
  }
}

extension LabRun {
  /// A task is cancelled, by its address; all of a group, if that is 0.
  fileprivate func cancels(_ address: UInt) {
    cancelCalls += 1
    guard keepsFootprints else { return }
    guard address != 0 else { return footprints.open() }
    footprints.cancel(watch.number(of: address))
  }

  /// A task is started in place. It may be woken by another thread before it was ever enqueued.
  fileprivate func starts(_ address: UInt) {
    inbox.own(tasks: [ForeignJobs.taskID(of: unsafe unsafeBitCast(address, to: UnownedJob.self))])
  }

  fileprivate func stream(at address: UInt, ends isEnd: Bool) {
    if keepsFootprints {
      footprints.use(objectAt: address)
      footprints.send()
    }
    guard let finished = finishedStreams,
      let pointer = unsafe UnsafeRawPointer(bitPattern: address)
    else { return }
    streamCalls += 1
    // The caller's continuation holds the storage while this runs.
    let storage = unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
    guard finished.contains(where: { $0.storage === storage }) else {
      if isEnd { finishedStreams?.append(FinishedStream(storage: storage)) }
      return
    }
    reported.append(
      isEnd
        ? Failure(.doubleFinish, "A stream was finished that had been finished before.")
        : Failure(
          .emitAfterFinish, "A value was sent to a stream that had been finished: it is lost.")
    )
  }
}
