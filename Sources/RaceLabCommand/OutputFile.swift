// Files that commands write: as a whole or event by event. What fails is told in the system's words.

import Foundation
import SignalHooks

/// Why a file cannot be read or written.
package struct FileFault: Error {
  package let path: String
  /// The system's words, in the middle of a sentence.
  package let reason: String
  /// Whether there is something of that name already, where a new file was wanted.
  package let isTaken: Bool

  init(_ path: String, _ reason: String, isTaken: Bool = false) {
    (self.path, self.reason, self.isTaken) = (path, reason, isTaken)
  }

  fileprivate init(_ path: String, errno number: Int32) {
    let words = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    self.init(path, words, isTaken: number == EEXIST)
  }
}

/// A file that is open for writing. It is closed with the value.
package final class OutputFile {
  private let path: String
  private let descriptor: Int32

  /// Makes a file anew, or opens what is no file: a device, or a pipe that somebody reads. One that
  /// nobody reads is an error, where the system would wait. "-" is the standard output.
  ///
  /// - Parameters:
  ///   - isPrivate: whether only its owner may read and write the file, whatever it was before.
  ///   - isNew: whether nothing of this name may be there.
  package init(
    _ path: String, isPrivate: Bool = false, isNew: Bool = false
  ) throws(FileFault) {
    self.path = path
    if let stream = Self.stream(named: path) {
      descriptor = dup(stream)
      guard descriptor >= 0 else { throw FileFault(path, errno: errno) }
      return
    }
    try Self.refuseReadOnly(path)
    descriptor = unsafe open(
      path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_TRUNC | (isNew ? O_EXCL : 0),
      isPrivate ? 0o600 : 0o666)
    guard descriptor >= 0 else {
      throw errno == ENXIO
        ? FileFault(path, "it is a pipe, and nobody reads it") : FileFault(path, errno: errno)
    }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    var status = stat()
    guard isPrivate, unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG
    else { return }
    // Of a file of somebody else its owner decides.
    fchmod(descriptor, 0o600)
  }

  /// The descriptor of a stream of this process, by its name. Opened by that, a file that it leads to would
  /// be written to from its beginning.
  private static func stream(named path: String) -> Int32? {
    switch path {
    case "-", "/dev/stdout": STDOUT_FILENO
    case "/dev/stderr": STDERR_FILENO
    default: path.hasPrefix("/dev/fd/") ? Int32(path.dropFirst("/dev/fd/".count)) : nil
    }
  }

  /// Refuses a file that nobody may write to, where the superuser or who owns the folder could.
  private static func refuseReadOnly(_ path: String) throws(FileFault) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    guard status.st_mode & 0o222 != 0 else { throw FileFault(path, "it may only be read") }
    guard unsafe access(path, W_OK) == 0 else { throw FileFault(path, errno: errno) }
  }

  private init(_ name: String, descriptor: Int32) {
    (path, self.descriptor) = (name, descriptor)
  }

  deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

  /// The standard output of the process.
  package static var standardOutput: OutputFile {
    OutputFile("the standard output", descriptor: STDOUT_FILENO)
  }

  /// Writes all of it.
  package func write(_ text: String) throws(FileFault) { try write(Array(text.utf8)) }

  /// Writes all of them. Ends with an error where a signal wants the process to end, and nobody reads the
  /// pipe or terminal that this is: the write would wait for ever.
  package func write(_ bytes: [UInt8]) throws(FileFault) {
    // As much as a pipe takes at once that takes anything.
    let most = 4_096
    var rest = bytes[...]
    while !rest.isEmpty {
      switch millrace_signals_wait_to_write(descriptor) {
      case 0: break
      case -1: throw FileFault(path, "a signal came, and nobody reads it")
      case let number: throw FileFault(path, errno: number)
      }
      let count = unsafe rest.prefix(most).withUnsafeBytes {
        unsafe Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 {
        guard errno == EINTR || errno == EAGAIN else { throw FileFault(path, errno: errno) }
      } else {
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Waits until what was written is on the disk.
  package func flush() throws(FileFault) {
    guard fsync(descriptor) == 0 else { throw FileFault(path, errno: errno) }
  }

  // MARK: - Whole files

  /// Writes a whole file: a new one takes the place of an old one in one step, where that can be. A device
  /// or a pipe is written to.
  package static func write(_ text: String, to path: String) throws(FileFault) {
    guard let target = try replaceable(path) else { return try OutputFile(path).write(text) }
    try refuseReadOnly(path)
    let fresh = beside(target)
    do throws(FileFault) { try OutputFile(fresh).write(text) } catch {
      unsafe unlink(fresh)
      // The folder takes no other file, and this one may be written to all the same.
      guard unsafe access(target, W_OK) == 0,
        !FileManager.default.isWritableFile(atPath: folder(target))
      else { throw FileFault(path, error.reason) }
      return try OutputFile(path).write(text)
    }
    guard unsafe rename(fresh, target) == 0 else {
      let number = errno
      unsafe unlink(fresh)
      throw FileFault(path, errno: number)
    }
  }

  /// Throws what writing would throw now, and changes nothing.
  package static func checkWritable(_ path: String) throws(FileFault) {
    guard let target = try replaceable(path) else {
      // Opening a pipe would be seen by who reads it.
      guard unsafe path == "-" || access(path, W_OK) == 0 else {
        throw FileFault(path, errno: errno)
      }
      return
    }
    try refuseReadOnly(path)
    if unsafe access(target, W_OK) == 0 { return }
    guard errno == ENOENT else { throw FileFault(path, errno: errno) }
    let trial = beside(target)
    do throws(FileFault) { _ = try OutputFile(trial) } catch { throw FileFault(path, error.reason) }
    unsafe unlink(trial)
  }

  /// The file that is to be replaced, links followed, or nil for what is no file.
  private static func replaceable(_ path: String) throws(FileFault) -> String? {
    guard path != "-", !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/") else { return nil }
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw FileFault(path, errno: EISDIR) }
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    } else {
      guard errno == ENOENT else { throw FileFault(path, errno: errno) }
      if unsafe lstat(path, &status) == 0 {
        throw FileFault(path, "it is a link that leads nowhere")
      }
    }
    return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  private static func folder(_ path: String) -> String {
    URL(fileURLWithPath: path).deletingLastPathComponent().path
  }

  private static func beside(_ path: String) -> String {
    folder(path) + "/.\(UUID())"
  }

  /// Reads a whole file.
  package static func read(_ path: String) throws(FileFault) -> Data {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileFault(path, errno: errno) }
    defer { close(file) }
    var data = Data()
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe part.withUnsafeMutableBytes {
        unsafe Foundation.read(file, $0.baseAddress, $0.count)
      }
      if count < 0 {
        guard errno == EINTR else { throw FileFault(path, errno: errno) }
      } else if count == 0 {
        return data
      } else {
        data.append(contentsOf: part.prefix(count))
      }
    }
  }
}
