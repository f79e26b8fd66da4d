// `millrace play` in a terminal of its own: a pair of devices, one for the program and one for us.

import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A run in a terminal.
final class TerminalRun: Sendable {
  private let ours: FileHandle
  private let theirs: FileHandle
  private let process: RunningProcess

  struct NoTerminal: Error {}

  init(columns: UInt16, rows: UInt16, _ arguments: String...) async throws {
    let (descriptor, name) = try Self.pair()
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    let slave = unsafe open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw NoTerminal() }
    ours = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    theirs = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    process = try RunningProcess(["play"] + arguments) { [theirs] in
      // A sanitizer that reports at the end does so to a terminal that nobody reads any more.
      let sanitizers = ProcessInfo.processInfo.environment.filter {
        $0.key.hasSuffix("SAN_OPTIONS")
      }
      $0.environment = sanitizers.merging(["TERM": "xterm", "PATH": "/usr/bin:/bin"]) { $1 }
      $0.standardInput = theirs
      $0.standardOutput = theirs
      $0.standardError = theirs
    }
  }

  /// Our device of a new pair, and the name of the other one.
  private static func pair() throws -> (descriptor: Int32, name: String) {
    #if canImport(Darwin)
      let descriptor = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
      guard descriptor >= 0, grantpt(descriptor) == 0, unlockpt(descriptor) == 0,
        let name = unsafe ptsname(descriptor)
      else { throw NoTerminal() }
      return (descriptor, unsafe String(cString: name))
    #else
      let descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      // TIOCSPTLCK and TIOCGPTN of Linux, which the module has not.
      var lock: Int32 = 0
      var number: Int32 = 0
      guard descriptor >= 0, unsafe ioctl(descriptor, UInt(0x4004_5431), &lock) == 0,
        unsafe ioctl(descriptor, UInt(0x8004_5430), &number) == 0
      else { throw NoTerminal() }
      return (descriptor, "/dev/pts/\(number)")
    #endif
  }

  /// Types.
  func type(_ keys: String) throws { try ours.write(contentsOf: Data(keys.utf8)) }

  /// Sends a signal.
  func signal(_ number: Int32) { process.signal(number) }

  /// What is written until this text is among it. The program writes what has changed on the screen.
  func written(until text: String) async throws -> String {
    try await RunningProcess.written(to: ours, until: text, patience: 600_000)
  }

  /// How it ended.
  func status() async -> Int32 { await process.status() }

  /// Whether the terminal takes lines and shows what is typed, as it did at the beginning.
  var isRestored: Bool {
    var state = termios()
    guard unsafe tcgetattr(theirs.fileDescriptor, &state) == 0 else { return false }
    let flags = tcflag_t(ICANON) | tcflag_t(ECHO) | tcflag_t(ISIG)
    return state.c_lflag & flags == flags && state.c_oflag & tcflag_t(OPOST) != 0
  }
}
