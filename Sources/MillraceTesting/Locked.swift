// State behind a lock, for tests that count from several threads. `Mutex` of the standard library
// would do, but the thread sanitizer does not see it on Linux and reports races that are none.

import Foundation

/// A value that is only reached under a lock.
///
/// `@unchecked Sendable`: the value is private, and every access holds the lock.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  /// Keeps this value.
  package init(_ value: sending Value) { self.value = value }

  /// Reads or changes the value. The body must not call back or wait.
  package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
