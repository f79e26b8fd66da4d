// The file of a script, or the standard input, read as it comes: a program that writes an event and
// waits for what happened is answered at once. A signal ends the wait for it.

import Foundation
import MillraceFiles
import SignalHooks

/// A script that can be read.
final class ScriptFile: Sendable {
  /// Why it cannot be read.
  struct Unreadable: Complaint {
    let name: String
    let reason: String
    var what: String { "\(printable(name)) cannot be read: \(reason)" }
    var remedy: String { "Give the path of a file that exists and that you may read." }
    var status: ExitStatus { .noInput }
  }

  /// A signal came that wants the process to end.
  struct Interrupted: Error {}

  /// How messages name it.
  let name: String
  private let input: InputFile

  /// Opens a file; "-" is the standard input.
  init(_ path: String) throws(Unreadable) {
    name = path == "-" ? "the standard input" : path
    do throws(InputFile.Unreadable) {
      input =
        path == "-"
        ? InputFile(descriptor: STDIN_FILENO)
        : try InputFile(path) { Main.tellWaiting(for: path) }
    } catch { throw Unreadable(name: name, reason: error.reason) }
  }

  /// Its lines.
  var lines: ScriptLines {
    ScriptLines { [name, input] count in
      let error = millrace_signals_wait(input.descriptor)
      if error < 0 { throw Interrupted() }
      if error > 0 { throw Unreadable(name: name, reason: systemWords(error)) }
      do throws(InputFile.Unreadable) { return try input.read(upTo: count) } catch {
        throw Unreadable(name: name, reason: error.reason)
      }
    }
  }
}
