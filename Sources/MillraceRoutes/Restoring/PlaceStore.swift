// Where a saved place is kept between launches.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Millrace
import MillraceFiles

/// Keeps one saved place, as bytes. It is called with one request at a time; of those that come
/// meanwhile the newest is made. An error is reported, and the request is made again when a place is
/// saved the next time. While a request is not answered nothing is saved: end those that take too long
/// with an error.
public protocol PlaceStore: Sendable {
  /// What is kept, or nil for nothing.
  @concurrent func load() async throws -> [UInt8]?
  /// Keeps this, and nothing else.
  @concurrent func save(_ place: [UInt8]) async throws
  /// Keeps nothing.
  @concurrent func clear() async throws
}

/// A store that lasts as long as the process: for tests and previews.
public actor MemoryPlaceStore: PlaceStore {
  /// What is kept now.
  public private(set) var stored: [UInt8]?
  /// How often something was saved.
  public private(set) var saves = 0

  /// Makes a store that keeps this.
  public init(_ stored: [UInt8]? = nil) { self.stored = stored }

  /// What is kept.
  public func load() -> [UInt8]? { stored }
  /// Keeps this.
  public func save(_ place: [UInt8]) {
    saves += 1
    stored = place
  }
  /// Keeps nothing.
  public func clear() { stored = nil }
}

/// Keeps a place in a file, which is replaced as a whole or not at all and readable by its owner
/// only. Its folder has to exist; a device, a pipe and more than 1 MiB are refused. Errors are
/// `FileStoreError`.
public actor FilePlaceStore: PlaceStore {
  private let file: WholeFile

  /// Makes a store for this file.
  public init(file url: URL) { file = WholeFile(url) }

  /// What the file holds, or nil if there is none, or nothing in it.
  public func load() throws -> [UInt8]? {
    try file.read().flatMap { $0.isEmpty ? nil : [UInt8]($0) }
  }
  /// Replaces the file.
  public func save(_ place: [UInt8]) throws { try file.replace(with: Data(place)) }
  /// Removes the file.
  public func clear() throws { try file.remove() }
  /// Throws what saving would throw now, and changes nothing.
  package func checkWritable() throws { try file.checkWritable() }
}
