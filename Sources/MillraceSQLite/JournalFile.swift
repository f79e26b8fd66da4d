// The file of a journal: whose it is, seen before anything in it or beside it is changed or locked, and
// what is opened: to be written, or to be read only.

#if SQLite
  import CSQLite
  import Millrace

  struct JournalFile {
    /// The version of the schema that this code reads and writes.
    static let version: Int64 = 1
    /// Stands in the file's head and says that it is a journal: "Mill". Older ones have 0 there.
    private static let application: Int64 = 0x4D69_6C6C
    private static let columns = [
      "account", "key", "name", "body", "phase", "sequence", "receipt", "reason", "checksum",
    ]

    /// The file itself, not a link to it: SQLite keeps the log beside that.
    let path: String
    let virtualFileSystem: String?
    let patience: Duration

    init(path: String, virtualFileSystem: String?, patience: Duration) {
      self.path = path.hasPrefix("/") ? Self.target(of: path) : Self.target(of: "./" + path)
      self.virtualFileSystem = virtualFileSystem
      self.patience = patience
    }

    /// What the links at a path lead to, whether it is there or not. More than 40 lead nowhere.
    private static func target(of path: String) -> String {
      var path = path
      for _ in 0..<40 {
        let link = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
          unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
            guard let start = buffer.baseAddress else { return }
            count = unsafe max(0, millrace_link(path, start, UInt(buffer.count)))
          }
        }
        if link.isEmpty { return path }
        let target = String(decoding: link, as: UTF8.self)
        path = target.hasPrefix("/") ? target : folder(of: path) + "/" + target
      }
      return path
    }

    private static func folder(of path: String) -> Substring {
      path[..<(path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
    }

    /// Opens the file, and makes it if there is none and it is to be written.
    ///
    /// - Throws: a `JournalError`; a file of something else is then as it was.
    func open(readOnly: Bool) throws -> Database {
      if path == "./" || path.utf8.contains(0) {
        throw JournalError(.unavailable, "\(path.debugDescription) is no path; give that of a file")
      }
      try lookFirst()
      if !readOnly {
        do {
          let database = try connect()
          if !database.isReadOnly {
            try prepare(database)
            return database
          }
        } catch let error as JournalError where error.kind == .readOnly {
          // It may still be readable.
        }
      }
      return try openToRead()
    }

    /// What is wrong with the length of the file, if anything. With a log that holds something the
    /// file may be in the middle of a copy from it, which the log can repeat.
    func lengthProblem(_ database: Database) throws -> JournalError? {
      guard !holdsSomething("-wal") else { return nil }
      let page = try database.number("PRAGMA page_size")
      guard let size = size(), size > 0, page > 0, size % page != 0 else { return nil }
      return JournalError(
        damaged: path, "it ends within a page: it has \(size) bytes, and \(page) in a page")
    }

    // MARK: - Whose it is

    private enum Identity {
      case new
      case journal
      case newer(Int64)
      case altered
      case foreign
    }

    /// Looks at the file without its log, taking no lock and writing nothing.
    private func lookFirst() throws {
      let log = ["-wal", "-journal"].first(where: holdsSomething)
      guard let size = size() else {
        // SQLite would make a new one, and throw the log away.
        if let log { throw JournalError(missing: path, log: log) }
        return
      }
      // SQLite would wait at a FIFO until somebody comes to its other end.
      if size == -4, let error = JournalError(cannotOpen: path) { throw error }
      guard size >= 0 else { return }
      let names = unsafe millrace_names(path)
      if names > 1 {
        // Opened by another name, the log beside this one is not seen, and two logs can be there.
        throw JournalError(
          .unavailable,
          "\(path) has \(names) names (hard links), and its log is found by one of them only; "
            + "remove the others, or make a copy of the file and the files beside it "
            + "(-wal, -shm, -journal) in their place, and open that")
      }
      let mayBeMended = log != nil
      if size < 512, size > 0 || holdsSomething("-wal") {
        // SQLite would take it for a new one, and throw its log away.
        throw JournalError(damaged: path, "it is too short to be a database: \(size) bytes")
      }
      let identity: Identity
      do {
        identity = try self.identity(connect(readOnly: true, unchanging: true))
      } catch let error as JournalError where error.kind == .damaged && mayBeMended {
        return
      }
      try check(identity)
    }

    private func identity(_ database: Database) throws -> Identity {
      let application = try database.number("PRAGMA application_id")
      let version = try database.number("PRAGMA user_version")
      guard application == 0 || application == Self.application else { return .foreign }
      if try database.number("SELECT count(*) FROM sqlite_schema") == 0, version == 0 {
        return .new
      }
      var columns: [String] = []
      try database.query("PRAGMA table_info(writes)") { columns.append($0.text(1)) }
      if version == Self.version, columns == Self.columns { return .journal }
      guard application == Self.application || columns.starts(with: Self.columns) else {
        return .foreign
      }
      return version > Self.version ? .newer(version) : .altered
    }

    private func check(_ identity: Identity) throws {
      switch identity {
      case .new, .journal: return
      case .newer(let version):
        throw JournalError(
          .newerVersion, "\(path): version \(version), this one knows \(Self.version)")
      case .altered:
        throw JournalError(damaged: path, "its version or its table is not as it was made")
      case .foreign:
        throw JournalError(
          .foreign, "\(path) is a database of something else, and was not touched")
      }
    }

    // MARK: - Opening

    private func connect(readOnly: Bool = false, unchanging: Bool = false) throws -> Database {
      try Database(
        path: path, readOnly: readOnly, unchanging: unchanging,
        virtualFileSystem: virtualFileSystem, patience: patience)
    }

    /// Looks again, now with the log and the lock, and makes the table if there is none.
    private func prepare(_ database: Database) throws {
      database.keepLog(true)
      let identity = try identity(database)
      try check(identity)
      database.keepLog(false)
      try database.syncFully()
      if case .new = identity { try makeSchema(database) }
      try database.prepareForWriting()
    }

    private func openToRead() throws -> Database {
      let database: Database
      if holdsSomething("-wal") || holdsSomething("-journal") {
        do {
          database = try connect(readOnly: true)
          try check(identity(database))
        } catch let error as JournalError where [.readOnly, .unavailable].contains(error.kind) {
          throw JournalError(
            .readOnly,
            "\(path) has a log beside it, and can be read only where both may be written; "
              + "copy both into a folder that may be written, and open that copy")
        }
      } else {
        // Nobody writes it: then it can be read without the files that SQLite would make beside it.
        database = try connect(readOnly: true, unchanging: true)
        try check(identity(database))
      }
      return database
    }

    /// Makes the table, the version and the mark at once: the file itself says what it is before
    /// there is a log.
    private func makeSchema(_ database: Database) throws {
      try database.transaction {
        try database.run(
          """
          CREATE TABLE writes (
            account TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, body BLOB NOT NULL,
            phase TEXT NOT NULL, sequence INTEGER NOT NULL, receipt BLOB NOT NULL,
            reason TEXT NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (account, key)
          ) WITHOUT ROWID
          """)
        try database.run("PRAGMA application_id = \(Self.application)")
        try database.run("PRAGMA user_version = \(Self.version)")
      }
    }

    // MARK: - The files themselves

    /// Which files they are; 0 for none.
    struct Files: Equatable {
      var main: UInt64 = 0
      var log: UInt64 = 0
    }

    /// The files that are there now.
    var files: Files {
      unsafe Files(main: millrace_file(path), log: millrace_file(path + "-wal"))
    }

    /// What has become of files that are in use, if they are not there any more.
    func change(since opened: Files) -> JournalError? {
      let now = files
      let gone =
        now.main == 0 || now.main != opened.main
        ? path : now.log != opened.log ? path + "-wal" : nil
      return gone.map { gone in
        JournalError(
          .missing,
          "\(gone) was removed or replaced while it was in use; start the app again when it is back"
        )
      }
    }

    // MARK: - Sizes

    /// How many bytes the file has, or the one beside it with this ending; nil if there is none.
    private func size(_ ending: String = "") -> Int64? {
      let size = unsafe millrace_size(path + ending)
      return size == -1 ? nil : size
    }

    private func holdsSomething(_ ending: String) -> Bool { size(ending).map { $0 > 0 } ?? false }
  }
#endif
