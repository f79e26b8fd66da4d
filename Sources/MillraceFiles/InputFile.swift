// A file, a device or a pipe that is read from its beginning to its end.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An input that is open. It is closed with the value.
package final class InputFile: Sendable {
  /// Why it cannot be read; the system's words.
  package struct Unreadable: Error {
    package let reason: String
  }

  /// What it is known by to the system.
  package let descriptor: Int32

  /// Takes an input that is open already, and closes it at the end unless it is a standard stream.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Opens a file. A pipe with a name may have nobody yet who writes to it: that is waited for.
  ///
  /// - Parameter onWait: called before such a wait.
  package init(_ path: String, onWait: () -> Void = {}) throws(Unreadable) {
    // Opened like this a pipe does not wait.
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Unreadable(reason: systemWords(errno)) }
    var status = stat()
    if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
      awaitWriter(onWait)
    }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
  }

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  private func awaitWriter(_ onWait: () -> Void) {
    var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&source, 1, 0) == 0 else { return }
    // Nothing is there, so this takes nothing: it tells whether anybody writes.
    var byte: [UInt8] = [0]
    guard Self.read(descriptor, &byte) == 0 else { return }
    onWait()
    while unsafe poll(&source, 1, -1) < 0, errno == EINTR {}
  }

  /// What comes next, at most so many bytes; none at the end. Waits until there is something.
  package func read(upTo count: Int) throws(Unreadable) -> Data {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let got = Self.read(descriptor, &bytes)
      if got >= 0 { return Data(bytes.prefix(got)) }
      if errno != EINTR { throw Unreadable(reason: systemWords(errno)) }
    }
  }

  /// All that comes, up to its end or until there are at least so many bytes.
  package func readAll(until most: Int) throws(Unreadable) -> Data {
    var data = Data()
    while data.count < most {
      let part = try read(upTo: 65_536)
      if part.isEmpty { break }
      data.append(part)
    }
    return data
  }

  private static func read(_ file: Int32, _ part: inout [UInt8]) -> Int {
    unsafe part.withUnsafeMutableBytes { buffer in
      #if canImport(Darwin)
        unsafe Darwin.read(file, buffer.baseAddress, buffer.count)
      #elseif canImport(Glibc)
        unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        unsafe Musl.read(file, buffer.baseAddress, buffer.count)
      #endif
    }
  }
}
