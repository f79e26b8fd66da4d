// A server for writes that lives in the test: it remembers keys, and answers as it is told to.

import Millrace
import RaceLab

/// A service for writes with a server behind it, both in the process.
///
/// The server makes one record for each new key and account, and answers a known key again without
/// making another. What befalls each `send` is said in advance, in order; without a word it accepts.
public actor WriteServer: WriteService {
  /// What becomes of one `send`.
  public enum Fate: Sendable {
    /// It is recorded and accepted.
    case accept
    /// It is recorded and confirmed.
    case confirm
    /// It is refused for good.
    case reject(String)
    /// Nothing is recorded, and the call fails as if no answer had come.
    case loseRequest
    /// It is recorded, and the call fails as if no answer had come.
    case loseAnswer
    /// Nothing is recorded, and the call fails with this.
    case fail(WriteFailure)
    /// Nothing is recorded until the gate opens; then it is recorded and accepted.
    case holdRequest(Gate<Void>)
    /// It is recorded; accepted when the gate opens.
    case holdAnswer(Gate<Void>)
  }

  /// One call that came in.
  public struct Call: Sendable, Hashable {
    /// `validate`, `send` or `status`.
    public let verb: String
    /// The key of the write.
    public let key: String
    /// With whose credential.
    public let account: Account
    /// In which session; nil for `validate`.
    public let epoch: Epoch?
    /// With which credential; empty for `validate`.
    public var credential: [UInt8] = []
  }

  /// The failure of a call that got no answer.
  public struct NoAnswer: Error, Sendable, Hashable {
    /// Makes the error.
    public init() {}
  }

  /// What a call of `validate` throws, if anything.
  public var validationError: (any Error & Sendable)?
  /// All calls, in the order in which they came in.
  public private(set) var calls: [Call] = []
  /// The writes that were recorded, in order.
  public private(set) var records: [Write] = []
  private var fates: [Fate]
  private var validationGate: Gate<Void>?
  private var known: [Intent: WriteAnswer] = [:]

  /// Makes a server with these fates for its first calls of `send`.
  public init(_ fates: Fate...) { self.fates = fates }

  /// The calls of this kind.
  public func calls(_ verb: String) -> [Call] { calls.filter { $0.verb == verb } }

  /// Says what befalls the next `send` that nothing was said about yet.
  public func next(_ fate: Fate) { fates.append(fate) }

  /// Says what `validate` throws.
  public func failValidation(with error: (any Error & Sendable)?) { validationError = error }

  /// From now on `validate` waits at this gate first; nil lets it go.
  public func holdValidation(at gate: Gate<Void>?) { validationGate = gate }

  /// Confirms what was accepted; asked about, the server says so.
  public func confirm(_ intent: Intent) { known[intent] = .confirmed() }

  /// Checks as it was told to.
  public func validate(_ write: Write, for account: Account) async throws {
    calls.append(Call(verb: "validate", key: write.intent.key, account: account, epoch: nil))
    if let validationGate { try await validationGate.wait() }
    if let validationError { throw validationError }
  }

  /// Takes a write.
  public func send(
    _ write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteAnswer {
    calls.append(
      Call(
        verb: "send", key: write.intent.key, account: session.account, epoch: session.epoch,
        credential: credential))
    switch fates.isEmpty ? .accept : fates.removeFirst() {
    case .accept: return record(write, .accepted())
    case .confirm: return record(write, .confirmed())
    case .reject(let reason): throw WriteFailure.rejected(reason)
    case .loseRequest: throw NoAnswer()
    case .loseAnswer:
      _ = record(write, .accepted())
      throw NoAnswer()
    case .fail(let failure): throw failure
    case .holdRequest(let gate):
      try await gate.wait()
      return record(write, .accepted())
    case .holdAnswer(let gate):
      let answer = record(write, .accepted())
      try await gate.wait()
      return answer
    }
  }

  /// What is known of a key.
  public func status(
    of write: Write, in session: Session, with credential: [UInt8]
  ) async throws -> WriteStatus {
    calls.append(
      Call(
        verb: "status", key: write.intent.key, account: session.account, epoch: session.epoch,
        credential: credential))
    return known[write.intent].map { .seen($0) } ?? .unseen
  }

  private func record(_ write: Write, _ answer: WriteAnswer) -> WriteAnswer {
    if let known = known[write.intent] { return known }
    records.append(write)
    known[write.intent] = answer
    return answer
  }
}
