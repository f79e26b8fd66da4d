// Where writes are kept, so that they outlast the process. Keeps R32 as far as storage goes.

/// What a journal keeps of a write.
public struct WriteRecord: Sendable, Hashable {
  /// Whose write it is.
  public var account: Account
  /// The write.
  public var write: Write
  /// What it has come to: validated, sent, accepted, confirmed or rejected. Never `unknown`: that is
  /// what a record in phase `sent` means to one who reads it.
  public var phase: WritePhase
  /// Its place among the writes of the account, in order of submission.
  public var sequence: UInt64
  /// What the server gave for it; empty if nothing.
  public var receipt: [UInt8]
  /// Why it was rejected; empty if it was not.
  public var reason: String

  /// Makes a record.
  public init(
    account: Account, write: Write, phase: WritePhase, sequence: UInt64, receipt: [UInt8] = [],
    reason: String = ""
  ) {
    self.account = account
    self.write = write
    self.phase = phase
    self.sequence = sequence
    self.receipt = receipt
    self.reason = reason
  }
}

/// One change of a journal.
public enum JournalChange: Sendable, Hashable {
  /// Keeps this record in place of the one with the same account and key.
  case put(WriteRecord)
  /// Forgets the record of this account and key, if there is one.
  case remove(Account, Intent)

  /// Whether it needs room in the journal.
  package var keeps: Bool { if case .put = self { true } else { false } }
}

/// What a journal holds for one account.
public struct JournalContents: Sendable {
  /// The records that can be read.
  public var records: [WriteRecord]
  /// What is wrong, if anything: then the records are shown, and nothing is sent or taken.
  public var problem: JournalError?

  /// Makes the value.
  public init(records: [WriteRecord] = [], problem: JournalError? = nil) {
    self.records = records
    self.problem = problem
  }
}

/// Keeps writes.
///
/// The runtime makes one `commit` at a time, and reads an account before it changes anything of it.
public protocol WriteJournal: Sendable {
  /// What is kept for this account, in any order.
  ///
  /// - Throws: a `JournalError` if nothing can be read.
  @concurrent func load(_ account: Account) async throws -> JournalContents

  /// Makes all of the changes, in order, or none. When it returns they are durable.
  ///
  /// - Throws: a `JournalError`; then nothing has changed.
  @concurrent func commit(_ changes: [JournalChange]) async throws
}

/// Why a journal cannot be read or written.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of trouble that an app can do something about.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Another process holds it.
    case locked
    /// There is no space left.
    case full
    /// It may be read and not written.
    case readOnly
    /// A newer version of the app has written it.
    case newerVersion
    /// What it holds is not what was written.
    case damaged
    /// A part of it is not there any more.
    case missing
    /// It is a file of something else, and was not touched.
    case foreign
    /// It has not answered within the limit: it may still do what it was asked for.
    case silent
    /// It cannot be opened, read or written for another reason.
    case unavailable
  }

  /// What kind of trouble.
  public let kind: Kind
  /// The details: which file, what the system said.
  public let detail: String

  /// Makes the error.
  public init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  /// Any error as one of these.
  init(_ error: any Error) {
    self =
      switch error {
      case let error as JournalError: error
      case is OperationTimedOut: JournalError(.silent, "it was not read: \(error)")
      default: JournalError(.unavailable, "\(error)")
      }
  }

  /// What happened, and what to do.
  public var description: String {
    let advice =
      switch kind {
      case .locked: "another process holds the journal; close it, and submit again"
      case .full: "there is no space for the journal; free some, and submit again"
      case .readOnly: "the journal may not be written; check the permissions of its folder"
      case .newerVersion: "a newer version wrote the journal; update the app"
      case .damaged: "the journal is damaged; what can be read of it is kept, and nothing is sent"
      case .missing:
        "a part of the journal is missing; put it back, or move what is left of it away and keep it"
      case .foreign: "the file is no journal; give the journal a path of its own"
      case .silent:
        "the journal does not answer; what waits for it goes on when it does, and nothing new is taken"
      case .unavailable: "the journal cannot be used"
      }
    return detail.isEmpty ? advice : "\(advice) (\(detail))"
  }
}

/// A journal that lasts as long as the object: for apps whose writes need not outlast the process,
/// for tests and previews.
public actor MemoryWriteJournal: WriteJournal {
  /// Key: account and intent. Value: its record.
  private var records: [Account: [Intent: WriteRecord]] = [:]

  /// Makes a journal that holds these.
  public init(_ records: [WriteRecord] = []) {
    for record in records {
      self.records[record.account, default: [:]][record.write.intent] = record
    }
  }

  /// What is kept for this account.
  public func load(_ account: Account) -> JournalContents {
    JournalContents(records: Array(records[account, default: [:]].values))
  }

  /// Makes the changes.
  public func commit(_ changes: [JournalChange]) {
    for change in changes {
      switch change {
      case .put(let record): records[record.account, default: [:]][record.write.intent] = record
      case .remove(let account, let intent): records[account]?[intent] = nil
      }
    }
  }
}
