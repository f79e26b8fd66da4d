// Where a sign-in is kept between launches.

/// What a store keeps: who is signed in, and the credential for it.
public struct StoredSession: Sendable, Equatable {
  /// Who.
  public var account: Account
  /// The credential, opaque to the runtime; empty if the app keeps it elsewhere.
  public var credential: [UInt8]

  /// Makes the value.
  public init(account: Account, credential: [UInt8] = []) {
    self.account = account
    self.credential = credential
  }
}

/// Keeps one signed-in account. The runtime calls it with one request at a time, in order. An error of
/// `load` counts as nobody signed in; `save` and `clear` are tried again after 1 s, 2 s, 4 s… up to
/// ten times, until something newer is to be kept. Each error is traced, and changes nothing else.
public protocol SessionStore: Sendable {
  /// What is kept, or nil if nobody is signed in.
  @concurrent func load() async throws -> StoredSession?
  /// Keeps this, and nothing else.
  @concurrent func save(_ session: StoredSession) async throws
  /// Keeps nothing.
  @concurrent func clear() async throws
}

/// A store that lasts as long as the process: for tests and previews.
public actor MemorySessionStore: SessionStore {
  /// What is kept now.
  public private(set) var stored: StoredSession?

  /// Makes a store that keeps this.
  public init(_ stored: StoredSession? = nil) { self.stored = stored }

  /// What is kept.
  public func load() -> StoredSession? { stored }
  /// Keeps this.
  public func save(_ session: StoredSession) { stored = session }
  /// Keeps nothing.
  public func clear() { stored = nil }
}
