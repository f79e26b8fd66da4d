// One file that is replaced as a whole or not at all, readable by its owner only. What is in it is
// the business of those who use it. Folders, devices and pipes are refused: they cannot be read to
// an end, or are not ours to replace.

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

/// A small file that is read and written as a whole. Its folder has to exist.
package struct WholeFile: Sendable {
  private let url: URL
  /// The most bytes that are read.
  private let limit: Int

  /// Names the file. Of a link, the file that it leads to is meant.
  package init(_ url: URL, limit: Int = 1 << 20) {
    self.url = url
    self.limit = limit
  }

  /// Where it is.
  package var path: String { url.path }

  /// What the file holds, or nil if there is none.
  package func read() throws(FileStoreError) -> Data? {
    do throws(NoFile) {
      guard let size = try size() else { return nil }
      let tooLong = "it has \(size) bytes, and \(limit) are read at most"
      guard size <= limit else { throw NoFile(words: tooLong, isForeign: true) }
      let data = try bytes(upTo: limit + 1)
      guard data.count <= limit else { throw NoFile(words: tooLong, isForeign: true) }
      return data
    } catch { throw error.fault(path) { .unreadable($0) } }
  }

  private func bytes(upTo most: Int) throws(NoFile) -> Data {
    do { return try InputFile(path).readAll(until: most) } catch {
      throw NoFile(words: error.reason)
    }
  }

  /// Replaces the file. If it cannot be written, the old one stays as it was.
  package func replace(with data: Data) throws(FileStoreError) {
    let target = url.resolvingSymlinksInPath()
    let fresh = try write(data, beside: target)
    // One step for all who look: the old file or the new one.
    guard unsafe rename(fresh.path, target.path) == 0 else {
      let words = systemWords(errno)
      unsafe unlink(fresh.path)
      throw FileStoreError(file: path, problem: .unwritable(words))
    }
  }

  /// Throws what replacing the file would throw now, and changes nothing.
  package func checkWritable() throws(FileStoreError) {
    unsafe unlink(try write(Data(), beside: url.resolvingSymlinksInPath()).path)
  }

  /// Removes the file, if it is there.
  package func remove() throws(FileStoreError) {
    do throws(NoFile) {
      guard try size() != nil else { return }
      guard unsafe unlink(url.resolvingSymlinksInPath().path) == 0 || errno == ENOENT else {
        throw NoFile(words: systemWords(errno))
      }
    } catch { throw error.fault(path) { .unwritable($0) } }
  }

  /// Makes a file that is closed to others before a byte is in it.
  private func write(_ data: Data, beside target: URL) throws(FileStoreError) -> URL {
    let fresh = target.deletingLastPathComponent().appending(
      path: ".\(target.lastPathComponent.prefix(32)).\(UInt64.random(in: .min ... .max))")
    do throws(NoFile) {
      _ = try size()
      try refuseReadOnly()
      let file = unsafe open(fresh.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw NoFile(words: systemWords(errno)) }
      var rest = Array(data)[...]
      while !rest.isEmpty {
        let count = Self.write(file, rest)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          let words = systemWords(errno)
          close(file)
          unsafe unlink(fresh.path)
          throw NoFile(words: words)
        }
        rest = rest.dropFirst(count)
      }
      close(file)
      return fresh
    } catch { throw error.fault(path) { .unwritable($0) } }
  }

  private static func write(_ file: Int32, _ part: ArraySlice<UInt8>) -> Int {
    unsafe part.withUnsafeBytes { buffer in
      #if canImport(Darwin)
        unsafe Darwin.write(file, buffer.baseAddress, buffer.count)
      #elseif canImport(Glibc)
        unsafe Glibc.write(file, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        unsafe Musl.write(file, buffer.baseAddress, buffer.count)
      #endif
    }
  }

  private struct NoFile: Error {
    let words: String
    /// True for what is there and cannot be ours.
    var isForeign = false

    func fault(
      _ path: String, _ problem: (String) -> FileStoreError.Problem
    ) -> FileStoreError {
      FileStoreError(file: path, problem: isForeign ? .foreign(words) : problem(words))
    }
  }

  /// Refuses a file that nobody may write to: its folder, or the superuser, would let it be replaced.
  private func refuseReadOnly() throws(NoFile) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return }
    guard status.st_mode & 0o222 != 0 else { throw NoFile(words: "it may only be read") }
    guard unsafe access(path, W_OK) == 0 else { throw NoFile(words: systemWords(errno)) }
  }

  /// How many bytes it has, or nil if there is nothing.
  private func size() throws(NoFile) -> Int? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw NoFile(words: systemWords(errno)) }
      // A link of which nobody knows where it should lead is not ours to replace.
      guard unsafe lstat(path, &status) != 0 else {
        throw NoFile(words: "it is a link that leads nowhere", isForeign: true)
      }
      return nil
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw NoFile(words: "it is a folder, a device or a pipe, and no file", isForeign: true)
    }
    return Int(status.st_size)
  }
}

/// What the system says about an error number.
package func systemWords(_ number: Int32) -> String {
  unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
}
