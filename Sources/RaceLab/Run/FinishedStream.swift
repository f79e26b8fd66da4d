// Standard streams of a run that have been finished, to notice what is sent to them after.

import RaceLabHooks

/// A stream's storage, which may have gone.
struct FinishedStream {
  weak var storage: AnyObject?
}

enum StreamWatch {
  /// From now on the run at hand is told of values and ends on every stream of its thread.
  static func install() {
    racelab_watch_streams { storage, isEnd in
      CurrentRun.value?.stream(at: storage, ends: isEnd)
    }
  }
}

extension LabRun {
  fileprivate func stream(at address: UInt, ends isEnd: Bool) {
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
