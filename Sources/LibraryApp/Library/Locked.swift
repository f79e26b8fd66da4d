// State behind a lock, for what more than one isolation asks synchronously.

import Foundation

/// A value that is only reached under a lock.
///
/// `@unchecked Sendable`: the value is private, and every access holds the lock.
final class Locked<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  /// Reads or changes the value. The body must not call back or wait.
  func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
