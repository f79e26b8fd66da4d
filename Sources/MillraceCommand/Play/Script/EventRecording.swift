// A recording of a session: its events as a script, written as they happen.

import Foundation

/// Writes events to a file.
package final class EventRecording {
  private let file: FileHandle

  /// Makes the file anew.
  ///
  /// - Throws: if it cannot be made.
  package init(path: String) throws {
    let url = URL(fileURLWithPath: path)
    try Data().write(to: url)
    file = try FileHandle(forWritingTo: url)
  }

  deinit { try? file.close() }

  /// Adds an event. What was added is in the file, whatever becomes of the process.
  package func add(_ event: PlayEvent) throws {
    try file.write(contentsOf: Data((event.line + "\n").utf8))
  }
}
