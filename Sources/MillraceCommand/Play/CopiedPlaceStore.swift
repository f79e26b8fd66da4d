// The store of `--restore`: before the file loses what it held at first, that is kept in a file beside it.
// Where it cannot be, the file is not written any more.

import Foundation
import MillraceRoutes
import RaceLab
import RaceLabCommand

/// A place store that can be told to keep a copy of what its file held.
package final class CopiedPlaceStore: PlaceStore {
  /// Why there is no copy.
  struct NotCopied: Error { let reason: String }

  private let store: FilePlaceStore
  private let path: String
  private let bytes: [UInt8]
  /// What became of the copy; nil while none was asked for.
  private let copy = Guarded<Result<String, NotCopied>?>(nil)

  /// The most copies that are kept beside a file.
  private static let most = 1_000

  init(_ store: FilePlaceStore, path: String, bytes: [UInt8]) {
    self.store = store
    self.path = path
    self.bytes = bytes
  }

  package func load() async throws -> [UInt8]? { try await store.load() }

  /// Replaces the file, unless what it held is nowhere else.
  package func save(_ place: [UInt8]) async throws {
    if mayWrite { try await store.save(place) }
  }

  /// Removes the file, unless what it held is nowhere else.
  package func clear() async throws {
    if mayWrite { try await store.clear() }
  }

  private var mayWrite: Bool {
    copy.withLock { if case .failure = $0 { false } else { true } }
  }

  /// Keeps a copy, once, under the first name that is free: FILE.before, FILE.before-2 and so on.
  ///
  /// - Returns: its path.
  func keepCopy() -> Result<String, NotCopied> {
    copy.withLock { copy in
      let made = copy ?? makeCopy()
      copy = made
      return made
    }
  }

  private func makeCopy() -> Result<String, NotCopied> {
    for number in 1...Self.most {
      let name = path + ".before" + (number == 1 ? "" : "-\(number)")
      var hasBegun = false
      do throws(FileFault) {
        // A name that is taken stays as it is, whatever it stands for.
        let file = try OutputFile(name, isPrivate: true, isNew: true)
        hasBegun = true
        try file.write(bytes)
        try file.flush()
        return .success(name)
      } catch {
        if error.isTaken { continue }
        if hasBegun { unsafe unlink(name) }
        return .failure(NotCopied(reason: "\(printable(name)): \(error.reason)"))
      }
    }
    return .failure(NotCopied(reason: "there are \(Self.most) copies beside it"))
  }
}
