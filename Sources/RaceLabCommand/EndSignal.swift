// Signals that want a command to end. What it has to keep is written first; then it ends by the signal.

import Foundation
import SignalHooks

package enum EndSignal {
  /// From here on a signal is noted and does not end the process; a second one does.
  package static func catchAll() { millrace_signals_catch() }

  /// The signal that came, or nil.
  package static var caught: Int32? {
    let signal = millrace_signals_caught()
    return signal == 0 ? nil : signal
  }

  /// Catches signals, and acts when the first comes, on a thread of its own, until the watch ends.
  @discardableResult
  package static func onFirst(_ act: @escaping @Sendable () -> Void) -> Watch {
    catchAll()
    var ends: [Int32] = [-1, -1]
    if unsafe pipe(&ends) == 0 {
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    let (ours, theirs) = (ends[0], ends[1])
    Thread.detachNewThread {
      // Readable at its end.
      if millrace_signals_wait(ours) < 0 { act() }
      if ours >= 0 { close(ours) }
    }
    return Watch(end: theirs)
  }

  /// One who waits for the first signal.
  package struct Watch: Sendable {
    fileprivate let end: Int32

    /// Waits no more, and leaves signals to what they did before. To be called once.
    package func stop() {
      if end >= 0 { close(end) }
      millrace_signals_release()
    }
  }

  /// Ends the process by a signal that was caught, as if it had not been; returns if none was.
  package static func dieIfCaught() {
    if let caught { millrace_signals_die(caught) }
  }
}
