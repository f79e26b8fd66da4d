// One file that is replaced as a whole or not at all, readable by its owner only. What is in it is
// the business of those who use it.

import FoundationEssentials

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

  /// Names the file.
  package init(_ url: URL) { self.url = url }

  /// Where it is.
  package var path: String { url.path }

  /// What the file holds, or nil if there is none.
  package func read() throws(FileStoreError) -> Data? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    do { return try Data(contentsOf: url) } catch {
      throw FileStoreError(file: path, problem: .unreadable("\(error)"))
    }
  }

  /// Replaces the file. If it cannot be written, the old one stays as it was.
  package func replace(with data: Data) throws(FileStoreError) {
    // Made beside the file and closed to others before a byte is in it, then moved over it.
    let fresh = url.deletingLastPathComponent().appending(
      path: ".\(url.lastPathComponent).\(UInt64.random(in: .min ... .max))")
    guard
      FileManager.default.createFile(
        atPath: fresh.path, contents: data, attributes: [.posixPermissions: 0o600])
    else { throw FileStoreError(file: fresh.path, problem: .unwritable("it cannot be created")) }
    // One step for all who look: the old file or the new one.
    guard unsafe rename(fresh.path, path) == 0 else {
      let number = errno
      try? FileManager.default.removeItem(at: fresh)
      throw FileStoreError(file: path, problem: .unwritable("error \(number)"))
    }
  }

  /// Removes the file, if it is there.
  package func remove() throws(FileStoreError) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    do { try FileManager.default.removeItem(at: url) } catch {
      throw FileStoreError(file: path, problem: .unwritable("\(error)"))
    }
  }
}
