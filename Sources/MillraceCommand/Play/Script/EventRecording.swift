// A recording of a session: its events as a script, written as they happen.

import RaceLabCommand

/// Writes events to a file. What was typed is among them, PINs too: nobody but the owner may read it.
final class EventRecording {
  private let file: OutputFile

  /// Makes the file anew, or opens a pipe that somebody reads, or a device.
  init(path: String) throws(FileFault) { file = try OutputFile(path, isPrivate: true) }

  /// Adds an event. What was added is in the file, whatever becomes of the process.
  func add(_ event: PlayEvent) throws(FileFault) { try file.write(event.line + "\n") }
}
