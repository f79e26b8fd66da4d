// The part of SQLite that the journal needs: one connection, and every failure as a `JournalError`.

#if SQLite
  import CSQLite
  import Millrace

  enum Value {
    case text(String)
    case blob([UInt8])
    case number(Int64)
  }

  /// One connection. Used by one actor; closed when it is released.
  @safe
  final class Database {
    private let path: String
    private let connection: OpaquePointer
    let isReadOnly: Bool

    /// - Parameter unchanging: nobody writes the file meanwhile. Then it is read without its log and
    ///   without a lock, and nothing is made beside it.
    init(
      path: String, readOnly: Bool, unchanging: Bool = false, virtualFileSystem: String?,
      patience: Duration
    ) throws {
      self.path = path
      let flags =
        SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | (unchanging ? SQLITE_OPEN_URI : 0)
        | (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      var opened: OpaquePointer?
      let name = unchanging ? Self.unchangingName(path) : path
      let code = unsafe sqlite3_open_v2(name, &opened, flags, virtualFileSystem)
      guard code == SQLITE_OK, let connection = unsafe opened else {
        let error = unsafe Self.error(code, opened, path)
        unsafe sqlite3_close_v2(opened)
        throw error
      }
      unsafe self.connection = unsafe connection
      let seconds = patience.components
      let wait = seconds.seconds * 1000 + seconds.attoseconds / 1_000_000_000_000_000
      unsafe sqlite3_busy_timeout(connection, Int32(clamping: wait))
      isReadOnly = unsafe sqlite3_db_readonly(connection, "main") != 0
      for pragma in ["trusted_schema = OFF", "cell_size_check = ON"] { try run("PRAGMA \(pragma)") }
      // The first access locks the file for this process until it is closed.
      if !isReadOnly { try run("PRAGMA locking_mode = EXCLUSIVE") }
    }

    /// The link by which SQLite takes a file for one that nobody changes.
    private static func unchangingName(_ path: String) -> String {
      let digits = Array("0123456789ABCDEF")
      var name = path.hasPrefix("/") ? "file://" : "file:"
      for byte in path.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."):
          name.unicodeScalars.append(Unicode.Scalar(byte))
        default: name += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
      }
      return name + "?immutable=1"
    }

    /// Whether the log stays as it is when the connection is closed; otherwise it is copied into the
    /// file and removed.
    func keepLog(_ keeps: Bool) { unsafe millrace_keep_log(connection, keeps ? 1 : 0) }

    /// Makes commits durable from now on.
    func syncFully() throws {
      for pragma in ["synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON"] {
        try run("PRAGMA \(pragma)")
      }
    }

    /// Writes to a log, and takes the lock now, so that a journal in use elsewhere is found before
    /// anything is decided by it.
    func prepareForWriting() throws {
      try run("PRAGMA journal_mode = WAL")
      try transaction {}
    }

    deinit { unsafe sqlite3_close_v2(connection) }

    /// Runs the body in one transaction that is durable when this returns, or not at all.
    func transaction(_ body: () throws -> Void) throws {
      try run("BEGIN IMMEDIATE")
      do {
        try body()
        try run("COMMIT")
      } catch {
        // Some failures have rolled back already; then this one says so, which is as good.
        try? run("ROLLBACK")
        throw error
      }
    }

    /// Runs a statement and ignores its rows.
    func run(_ sql: String, _ values: [Value] = []) throws { try query(sql, values) { _ in } }

    /// The number in the first column of the first row.
    func number(_ sql: String) throws -> Int64 {
      var found: Int64 = 0
      var isFirst = true
      try query(sql) { row in
        if isFirst { found = row.number(0) }
        isFirst = false
      }
      return found
    }

    /// Throws if the structure of the file is damaged, whatever the rows say.
    func checkStructure() throws {
      var answer = ""
      try query("PRAGMA integrity_check(1)") { answer = $0.text(0) }
      if answer == "ok" { return }
      // It puts a heading with stars on a line of its own.
      let lines = answer.split(separator: "\n").filter { !$0.hasPrefix("***") }
      throw JournalError(damaged: path, lines.joined(separator: ", "))
    }

    /// Runs a statement, and the body for each row.
    func query(_ sql: String, _ values: [Value] = [], _ body: (Row) throws -> Void) throws {
      var prepared: OpaquePointer?
      try check(unsafe sqlite3_prepare_v2(connection, sql, -1, &prepared, nil))
      let statement = unsafe prepared
      defer { unsafe sqlite3_finalize(statement) }
      for (index, value) in values.enumerated() {
        let place = Int32(index + 1)
        switch value {
        case .text(let value):
          var text = value
          let code = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
              // An empty string has no address, and a null one would be NULL.
              guard let base = bytes.baseAddress else {
                return unsafe millrace_bind_text(statement, place, "", 0)
              }
              return unsafe millrace_bind_text(statement, place, base, Int32(clamping: bytes.count))
            }
          }
          try check(code)
        case .blob(let blob):
          let code = unsafe blob.withUnsafeBytes { bytes in
            unsafe millrace_bind_blob(
              statement, place, bytes.baseAddress, Int32(clamping: bytes.count))
          }
          try check(code)
        case .number(let number):
          try check(unsafe sqlite3_bind_int64(statement, place, number))
        }
      }
      while true {
        let code = unsafe sqlite3_step(statement)
        if code == SQLITE_DONE { return }
        guard code == SQLITE_ROW else { throw unsafe Self.error(code, connection, path) }
        try unsafe body(Row(statement: statement))
      }
    }

    private func check(_ code: Int32) throws {
      if code != SQLITE_OK { throw unsafe Self.error(code, connection, path) }
    }

    private static func error(
      _ code: Int32, _ connection: OpaquePointer?, _ path: String
    ) -> JournalError {
      if code & 0xFF == SQLITE_CANTOPEN, let error = JournalError(cannotOpen: path) { return error }
      let words: String
      if let connection = unsafe connection {
        words = unsafe String(cString: sqlite3_errmsg(connection))
      } else {
        words = unsafe String(cString: sqlite3_errstr(code))
      }
      return JournalError(code: code, words, path)
    }
  }

  /// The current row of a statement: valid in the body that it is given to.
  @safe
  struct Row {
    private let statement: OpaquePointer?

    init(statement: OpaquePointer?) { unsafe self.statement = unsafe statement }

    enum ColumnType { case text, blob, number, other }

    /// What is stored in each column.
    var types: [ColumnType] {
      unsafe (0..<sqlite3_column_count(statement)).map { column in
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        case SQLITE_INTEGER: .number
        default: .other
        }
      }
    }

    func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String { String(decoding: blob(column), as: UTF8.self) }

    func blob(_ column: Int32) -> [UInt8] {
      guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
      let count = unsafe Int(sqlite3_column_bytes(statement, column))
      return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
  }
#endif
