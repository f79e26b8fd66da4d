// The file of a script, or the standard input, read as it comes: a program that writes an event and
// waits for what happened is answered at once.

import Foundation
import MillraceFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A script that can be read.
struct ScriptFile: ~Copyable {
  /// Why it cannot be read.
  struct Unreadable: Error {
    let reason: String

    fileprivate init(_ error: Int32) { reason = systemWords(error) }
  }

  /// How messages name it.
  let name: String
  private let descriptor: Int32

  /// Opens a file; "-" is the standard input.
  init(_ path: String) throws(Unreadable) {
    name = path == "-" ? "the standard input" : path
    descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw Unreadable(errno) }
  }

  deinit { if descriptor > STDIN_FILENO { close(descriptor) } }

  /// Its lines. To be read while the file is kept.
  var lines: ScriptLines {
    ScriptLines { [descriptor] count in
      var bytes = [UInt8](repeating: 0, count: count)
      while true {
        let got = unsafe bytes.withUnsafeMutableBytes {
          unsafe read(descriptor, $0.baseAddress, count)
        }
        if got >= 0 { return Data(bytes.prefix(got)) }
        if errno != EINTR { throw Unreadable(errno) }
      }
    }
  }
}
