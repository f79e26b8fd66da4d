// The standard streams of a process that was started without some of them.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

enum StandardStreams {
  /// Takes the numbers of streams that are closed, before anything else is opened: else a descriptor
  /// of the process's own gets one of them, is read as the input, or is written what was meant for the
  /// user. What is put there can neither be read as input nor written as output: the lack is told.
  static func keep() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
      let held = unsafe open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
      guard held >= 0, held != stream else { continue }
      dup2(held, stream)
      close(held)
    }
  }
}
