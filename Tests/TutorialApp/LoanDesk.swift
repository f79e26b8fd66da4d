import Millrace

/// The library's server, as the runtime sees it: it has to know a key again.
actor LoanDesk: WriteService {
  /// Key: the key of a write. Value: its body.
  private(set) var loans: [String: [UInt8]] = [:]

  func validate(_ write: Write, for account: Account) async throws {}

  func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer {
    loans[write.intent.key] = write.body
    return .accepted()
  }

  func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus {
    loans[write.intent.key] == nil ? .unseen : .seen(.accepted())
  }
}
