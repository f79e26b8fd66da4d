// Signals that want a command to end. What it has to keep is written first; then it ends by the signal.

import Foundation
import SignalHooks

package enum EndSignal {
  /// From here on a signal is noted and does not end the process; a second one does.
  package static func catchAll() { _ = millrace_signals_catch() }

  /// The signal that came, or nil.
  package static var caught: Int32? {
    let signal = millrace_signals_caught()
    return signal == 0 ? nil : signal
  }

  /// Catches signals, and acts when the first comes, on a thread of its own.
  package static func onFirst(_ act: @escaping @Sendable () -> Void) {
    catchAll()
    Thread.detachNewThread { if millrace_signals_wait(-1) < 0 { act() } }
  }

  /// Leaves signals to what they did before.
  package static func release() { millrace_signals_release() }

  /// Ends the process by a signal that was caught, as if it had not been; returns if none was.
  package static func dieIfCaught() {
    if let caught { millrace_signals_die(caught) }
  }
}
