// A session store in one file. Beside the runtime, since that imports no Foundation.
//
// The file is replaced as a whole or not at all, readable by its owner only, and a file that cannot
// be understood is an error that says so: it is never taken for "nobody is signed in".

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Millrace

/// Keeps the signed-in account in a file.
///
/// Requests are carried out one after the other. A missing file means that nobody is signed in.
public actor FileSessionStore: SessionStore {
  private let file: WholeFile

  /// Makes a store for this file. Its folder has to exist.
  public init(file url: URL) { file = WholeFile(url) }

  /// What the file holds, or nil if there is none.
  ///
  /// - Throws: `FileStoreError` if it cannot be read or understood. The file stays as it is.
  public func load() throws -> StoredSession? {
    guard let data = try file.read() else { return nil }
    let envelope: Envelope
    do { envelope = try JSONDecoder().decode(Envelope.self, from: data) } catch {
      throw FileStoreError(file: file.path, problem: .damaged("\(error)"))
    }
    guard envelope.version == Envelope.current else {
      throw FileStoreError(file: file.path, problem: .version(envelope.version))
    }
    return StoredSession(
      account: Account(envelope.account), credential: [UInt8](envelope.credential))
  }

  /// Replaces the file.
  ///
  /// - Throws: `FileStoreError` if it cannot be written. The old file stays as it was.
  public func save(_ session: StoredSession) throws {
    let envelope = Envelope(
      version: Envelope.current, account: session.account.id, credential: Data(session.credential))
    let data: Data
    do { data = try JSONEncoder().encode(envelope) } catch {
      throw FileStoreError(file: file.path, problem: .unwritable("\(error)"))
    }
    try file.replace(with: data)
  }

  /// Removes the file.
  ///
  /// - Throws: `FileStoreError` if it is still there.
  public func clear() throws { try file.remove() }

  private struct Envelope: Codable {
    static let current = 1
    var version: Int
    var account: String
    var credential: Data
  }
}

/// Why a file store failed.
public struct FileStoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong with the file.
  public enum Problem: Sendable, Equatable {
    /// It cannot be read; the system's words.
    case unreadable(String)
    /// What is there is not this store's: too long, a folder, a device, a pipe, a link that leads nowhere.
    case foreign(String)
    /// It is not what this store writes; the decoder's words.
    case damaged(String)
    /// It is of another version of the format.
    case version(Int)
    /// It cannot be written or removed; the system's words.
    case unwritable(String)
  }

  /// The path of the file.
  public let file: String
  /// What is wrong.
  public let problem: Problem

  /// What happened, where, and what to do.
  public var description: String {
    switch problem {
    case .unreadable(let words): "\(file) cannot be read: \(words); check that it may be read"
    case .foreign(let words): "\(file) cannot be used: \(words); name another file"
    case .damaged(let words):
      "\(file) is not a stored session: \(words); remove it to start signed out"
    case .version(let version):
      "\(file) has version \(version) of the format, and this program reads 1; "
        + "use the newer program, or remove the file to start signed out"
    case .unwritable(let words):
      "\(file) cannot be written: \(words); check its mode, the folder and the space on the disk"
    }
  }
}
