// One sign-in. A session is an epoch: also the same account gets a new one (R18).

/// Who is signed in. Two are the same if their ids are so byte for byte, as for a server and a journal: an é
/// in one character and one in two are not.
public struct Account: Hashable, Sendable, CustomStringConvertible {
  /// The account's name or number in the app's own terms.
  public let id: String

  /// Makes an account value.
  public init(_ id: String) { self.id = id }

  /// The id.
  public var description: String { id }

  /// Whether the ids are the same, byte for byte.
  public static func == (a: Account, b: Account) -> Bool { isSameText(a.id, b.id) }

  /// Feeds in the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// One sign-in: an account and the epoch that began with it. Two sessions are equal only if they
/// are the same sign-in.
public struct Session: Hashable, Sendable {
  /// Who.
  public let account: Account
  /// Which sign-in.
  public let epoch: Epoch
}

/// What is known of the session. Undetermined is not signed out (R20).
public enum SessionState: Sendable, Equatable {
  /// The store has not answered yet.
  case undetermined
  /// Nobody is signed in.
  case signedOut
  /// This session is open.
  case signedIn(Session)

  /// The open session, or nil.
  public var session: Session? { if case .signedIn(let session) = self { session } else { nil } }
}

/// Why a session was closed.
public enum SignOutReason: String, Sendable, Equatable {
  /// The user asked for it.
  case requested
  /// The server no longer accepts the session.
  case expired
  /// Another account signs in.
  case switchedAccount
  /// A guest signs in to an account, see `FlowRuntime.upgrade`.
  case upgraded
}

/// What becomes of records that were handed over and not yet delivered when the session closes.
public enum HandoverPolicy: String, Sendable, Equatable {
  /// Kept for this account, and delivered when it signs in again.
  case keep
  /// Dropped; what is handed over from now on is refused.
  case discard
}

/// A record that a flow leaves to its session, to be delivered whatever becomes of the flow.
public struct Handover: Sendable, Equatable {
  /// What it is, for traces.
  public let name: String
  /// The frozen content.
  public let body: [UInt8]

  /// Makes a record.
  public init(name: String, body: [UInt8]) {
    self.name = name
    self.body = body
  }
}
