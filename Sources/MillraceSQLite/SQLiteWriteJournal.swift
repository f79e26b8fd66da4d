// Writes in an SQLite file, so that they outlast the process and a power cut. Keeps R30 and R32 as far
// as storage goes: write-ahead log, a full sync for each commit, one process at a time.

#if SQLite
  import Millrace

  /// A journal in a file.
  ///
  /// One process uses a file at a time: it is locked from the first use until the journal is released,
  /// and another gets `JournalError.Kind.locked`. Each record carries a checksum: one that is not what
  /// was written is left out, and reported. A journal of a newer version is not touched, nor is a
  /// database of something else, nor a log whose file is missing. What was taken away or replaced in
  /// use takes nothing any more: `JournalError.Kind.missing`. A journal that may not be written is shown,
  /// with `JournalError.Kind.readOnly`; if it has a log, that takes a folder that may be written.
  ///
  /// SQLite takes the first damaged frame of its log for the end of the log. If the log itself is
  /// damaged, records are therefore as they were at an earlier commit, never a mixture.
  public actor SQLiteWriteJournal: WriteJournal {
    /// The version of the schema that this code reads and writes.
    public static let schemaVersion = Int(JournalFile.version)

    private let path: String
    private let access: Access
    private let virtualFileSystem: String?
    private let patience: Duration
    private let pageLimit: Int?
    private var database: Database?
    /// Set when a record was found that is not what was written: then nothing is written any more.
    private var damage: JournalError?
    /// What was opened, and which files that were.
    private var opened: (file: JournalFile, files: JournalFile.Files)?

    enum Access { case readWrite, readOnly }

    /// A journal in the file at this path, which is made at the first use if there is none.
    ///
    /// - Parameters:
    ///   - path: the file; its folder has to exist. SQLite keeps others beside it.
    ///   - patience: how long to wait for another process that holds the file.
    public init(path: String, patience: Duration = .seconds(2)) {
      self.init(path: path, patience: patience, access: .readWrite)
    }

    init(
      path: String, patience: Duration = .zero, access: Access,
      virtualFileSystem: String? = nil, pageLimit: Int? = nil
    ) {
      self.path = path
      self.patience = patience
      self.access = access
      self.virtualFileSystem = virtualFileSystem
      self.pageLimit = pageLimit
    }

    /// What is kept for this account.
    public func load(_ account: Account) throws -> JournalContents {
      let database = try open()
      // What was found wrong once is not mended by reading again.
      var contents = JournalContents(problem: damage)
      let wanted = Array(account.id.utf8)
      var seen: Set<[[UInt8]]> = []
      var bad = 0
      do {
        // All rows, in the order of the table: a search would pass over one whose key was changed.
        try database.query(
          """
          SELECT account, key, name, body, phase, sequence, receipt, reason, checksum FROM writes
          """
        ) { row in
          guard let record = Self.record(row), seen.insert([row.blob(0), row.blob(1)]).inserted
          else {
            bad += 1
            return
          }
          if row.blob(0) == wanted { contents.records.append(record) }
        }
        try database.checkStructure()
      } catch let error as JournalError {
        // What was read before the damage is kept.
        guard error.kind == .damaged else { throw error }
        contents.problem = error
      }
      if bad > 0 {
        let count = bad == 1 ? "1 record" : "\(bad) records"
        contents.problem = JournalError(damaged: path, "\(count) cannot be read")
      }
      if let problem = contents.problem {
        damage = problem
      } else if database.isReadOnly {
        contents.problem = JournalError(.readOnly, path)
      }
      return contents
    }

    /// Makes all of the changes durable, or none.
    public func commit(_ changes: [JournalChange]) throws {
      let database = try open()
      if let damage { throw damage }
      if database.isReadOnly { throw JournalError(.readOnly, path) }
      // What goes into a file that somebody has removed is lost with it: looked for before, so that
      // nothing is done, and after, so that nothing is told that is not there.
      try checkFiles()
      try database.transaction {
        for change in changes {
          switch change {
          case .put(let record):
            try database.run(
              """
              INSERT OR REPLACE INTO writes
              (account, key, name, body, phase, sequence, receipt, reason, checksum)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
              """, Self.values(of: record))
          case .remove(let account, let intent):
            try database.run(
              "DELETE FROM writes WHERE account = ? AND key = ?",
              [.text(account.id), .text(intent.key)])
          }
        }
      }
      try checkFiles()
    }

    // MARK: - Opening

    private func checkFiles() throws {
      if let (file, files) = opened, let error = file.change(since: files) { throw error }
    }

    private func open() throws -> Database {
      if let database { return database }
      let file = JournalFile(path: path, virtualFileSystem: virtualFileSystem, patience: patience)
      let database = try file.open(readOnly: access == .readOnly)
      opened = (file, file.files)
      damage = try file.lengthProblem(database)
      if let pageLimit { _ = try database.number("PRAGMA max_page_count = \(pageLimit)") }
      self.database = database
      return database
    }

    // MARK: - Records

    private static func values(of record: WriteRecord) -> [Value] {
      [
        .text(record.account.id), .text(record.write.intent.key), .text(record.write.name),
        .blob(record.write.body), .text(record.phase.rawValue),
        .number(Int64(bitPattern: record.sequence)), .blob(record.receipt), .text(record.reason),
        .number(checksum(of: record)),
      ]
    }

    /// The record in a row, or nil if it is not what was written.
    private static func record(_ row: Row) -> WriteRecord? {
      // A text that became a blob reads the same, and is found by no key.
      guard
        row.types == [.text, .text, .text, .blob, .text, .number, .blob, .text, .number],
        let phase = WritePhase(rawValue: row.text(4))
      else { return nil }
      let write = Write(row.text(2), intent: Intent(key: row.text(1)), body: row.blob(3))
      let record = WriteRecord(
        account: Account(row.text(0)), write: write, phase: phase,
        sequence: UInt64(bitPattern: row.number(5)), receipt: row.blob(6), reason: row.text(7))
      return checksum(of: record) == row.number(8) ? record : nil
    }

    /// FNV-1a (Fowler, Noll and Vo), 64 bits, over all fields and their lengths. One flipped bit always
    /// changes it: each step maps different states to different ones.
    private static func checksum(of record: WriteRecord) -> Int64 {
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
          add(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
      }
      func add(_ bytes: some Collection<UInt8>) {
        add(UInt64(bytes.count))
        for byte in bytes { add(byte) }
      }
      add(record.account.id.utf8)
      add(record.write.intent.key.utf8)
      add(record.write.name.utf8)
      add(record.write.body)
      add(record.phase.rawValue.utf8)
      add(record.sequence)
      add(record.receipt)
      add(record.reason.utf8)
      return Int64(bitPattern: hash)
    }
  }
#endif
