// What the app says about its server: how a write is checked, sent and asked about.

/// The app's side of writes, for all kinds of them; it tells them apart by `Write.name`.
///
/// The runtime calls it off the main actor, and never for a session whose account is not that of the
/// write. A call whose task is cancelled may stop or go on: its answer is not heard any more.
public protocol WriteService: Sendable {
  /// Checks a write before it is kept, without the network.
  ///
  /// - Throws: `WriteFailure.rejected` if it can never be accepted; anything else refuses it too, and
  ///   says that it could not be checked.
  @concurrent func validate(_ write: Write, for account: Account) async throws

  /// Sends a write. The server has to know the key again: the same write comes more than once.
  ///
  /// - Parameters:
  ///   - write: what was submitted, body and key as they were then.
  ///   - session: the session it goes out in, of the write's own account.
  ///   - credential: that session's credential, as it is now.
  /// - Throws: a `WriteFailure` if it is known what became of it. After any other error, and at the
  ///   time limit, that is unknown, and the write is sent again with the same key.
  @concurrent func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer

  /// Asks the server what it knows of a key.
  @concurrent func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus
}

/// What the server answered to a write, or tells of one.
public enum WriteAnswer: Sendable, Hashable {
  /// It has the write. The bytes are for the app: a receipt, a number.
  case accepted(receipt: [UInt8] = [])
  /// It has the write for good.
  case confirmed(receipt: [UInt8] = [])
  /// It will never take it, for this reason.
  case rejected(String)
}

/// What the server knows of a key.
public enum WriteStatus: Sendable, Hashable {
  /// It has never seen the key.
  case unseen
  /// It has seen it, and this came of it.
  case seen(WriteAnswer)
}

/// What is known when a write did not come through.
public enum WriteFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// It will never be accepted, for this reason.
  case rejected(String)
  /// Nothing arrived: no network, no connection. Tried again; not counted as an attempt.
  case notDelivered
  /// The server did nothing and asks to come back, after this time if it says so.
  case busy(retryAfter: Duration? = nil)
  /// The server does not accept the credential any more, and did nothing. The write waits for a new
  /// credential or the next session of its account.
  case signedOut

  /// What happened.
  public var description: String {
    switch self {
    case .rejected(let reason): "rejected: \(reason)"
    case .notDelivered: "nothing arrived at the server"
    case .busy(let time?): "the server is busy, and asks to come back in \(time)"
    case .busy(nil): "the server is busy"
    case .signedOut: "the server does not accept the credential any more"
    }
  }
}
