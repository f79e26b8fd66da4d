// Files that are no journal, or not quite: they are told apart before anything is changed or locked.

#if SQLite
  import Foundation
  import Millrace
  import Testing

  @testable import MillraceSQLite

  /// Makes a FIFO at the path.
  private func makePipe(_ path: String) -> Bool { unsafe mkfifo(path, 0o600) == 0 }

  /// Makes a socket at the path.
  private func bindSocket(_ path: String) -> Bool {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let socket = socket(AF_UNIX, type, 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  @Suite("SQLite journal: other files") struct OtherFileTests {
    private func database(_ folder: Folder, _ name: String = "writes.db") throws -> Database {
      try Database(
        path: folder.path(name), readOnly: false, virtualFileSystem: nil, patience: .zero)
    }

    // A wrong path must not change another app's database, nor keep that app out of it.
    @Test(
      arguments: ["", "PRAGMA application_id = 77", "PRAGMA journal_mode = WAL"],
      [0, 1, -3, 7])
    func otherDatabase_isNotTouched(_ setting: String, _ version: Int) async throws {
      let folder = try Folder()
      let other = try database(folder)
      if !setting.isEmpty { try other.run(setting) }
      try other.run("CREATE TABLE recipes (name TEXT)")
      try other.run("PRAGMA user_version = \(version)")
      if setting.contains("WAL") { try other.run("PRAGMA wal_checkpoint") }
      try other.run("INSERT INTO recipes VALUES ('soup')")
      let before = try folder.files()
      let journal = SQLiteWriteJournal(path: folder.path(), patience: .zero)
      let loading = await #expect(throws: JournalError.self) { try await journal.load(alice) }
      let writing = await #expect(throws: JournalError.self) {
        try await journal.commit([.put(makeRecord(1))])
      }
      #expect(loading?.detail.contains("\(folder.path()) is a database of something else") == true)
      #expect(loading?.kind == .foreign && writing == loading)
      #expect(
        "\(loading.map { "\($0)" } ?? "")".hasPrefix("the file is no journal; give the journal"))
      #expect(try folder.files() == before)
      // The other app goes on with it while the journal is there.
      try other.run("INSERT INTO recipes VALUES ('salad')")
      #expect(try other.number("SELECT count(*) FROM recipes") == 2)
    }

    // Closed by its app, it must not be locked, switched or cleaned up either.
    @Test func closedDatabase_isNotTouched() async throws {
      let folder = try Folder()
      try {
        let other = try database(folder)
        other.keepLog(true)
        try other.run("PRAGMA journal_mode = WAL")
        try other.run("CREATE TABLE recipes (name TEXT)")
      }()
      // All but the head is in the log: only with the log can it be seen whose it is.
      let before = try folder.files()
      #expect(before["writes.db"]?.count == 4096 && before["writes.db-wal"]?.isEmpty == false)
      await {
        let journal = SQLiteWriteJournal(path: folder.path(), patience: .zero)
        await #expect(throws: JournalError.self) { try await journal.load(alice) }
      }()
      #expect(try folder.files() == before)
    }

    // A table of that name is not yet a journal.
    @Test func tableOfThatName_isNotTakenForAJournal() async throws {
      let folder = try Folder()
      try {
        let other = try database(folder)
        try other.run("CREATE TABLE writes (account TEXT, pen TEXT)")
        try other.run("PRAGMA user_version = 1")
      }()
      let before = try folder.files()
      let journal = SQLiteWriteJournal(path: folder.path(), patience: .zero)
      let error = await #expect(throws: JournalError.self) { try await journal.load(alice) }
      #expect(error?.kind == .foreign && error?.detail.contains("something else") == true)
      #expect(try folder.files() == before)
    }

    // Journals from before there was a mark.
    @Test(arguments: [true, false]) func journalWithoutMark_opens(_ killed: Bool) async throws {
      let folder = try Folder()
      try {
        let old = try database(folder)
        old.keepLog(killed)
        try old.run("PRAGMA journal_mode = WAL")
        try old.run(
          """
          CREATE TABLE writes (
            account TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, body BLOB NOT NULL,
            phase TEXT NOT NULL, sequence INTEGER NOT NULL, receipt BLOB NOT NULL,
            reason TEXT NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (account, key)
          ) WITHOUT ROWID
          """)
        try old.run("PRAGMA user_version = 1")
      }()
      #expect((folder.read("writes.db-wal") != nil) == killed)
      try await {
        let journal = SQLiteWriteJournal(path: folder.path(), patience: .zero)
        try await journal.commit([.put(makeRecord(1))])
      }()
      let journal = SQLiteWriteJournal(path: folder.path(), patience: .zero)
      let contents = try await journal.load(alice)
      #expect(contents.records == [makeRecord(1)] && contents.problem == nil)
    }

    // SQLite would take it for a new one, and throw the log away.
    @Test(arguments: [0, 1, 511]) func shortFileWithALog_isKept(_ size: Int) async throws {
      let folder = try Folder()
      let kept = SQLiteWriteJournal(path: folder.path())
      try await kept.commit([.put(makeRecord(1))])
      try folder.write(folder.read("writes.db")?.prefix(size), "short.db")
      try folder.write(folder.read("writes.db-wal"), "short.db-wal")
      let before = try folder.files()
      let journal = SQLiteWriteJournal(path: folder.path("short.db"), patience: .zero)
      let error = await #expect(throws: JournalError.self) { try await journal.load(alice) }
      #expect(error?.kind == .damaged)
      #expect(try folder.files() == before)
    }

    /// What stands at the path instead of a file.
    enum NoFile: String, CaseIterable, Sendable { case fifo, socket, device, folder }

    // SQLite would wait for somebody at the other end of a FIFO, without an end.
    @Test(.timeLimit(.minutes(1)), arguments: NoFile.allCases)
    func whatIsNoFile_isRefused(_ what: NoFile) async throws {
      let folder = try Folder()
      let (path, link) = (folder.path(), folder.path("link.db"))
      switch what {
      case .fifo: #expect(makePipe(path))
      case .socket: #expect(bindSocket(path))
      case .device:
        try FileManager.default.createSymbolicLink(
          atPath: path, withDestinationPath: "/dev/null")
      case .folder:
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: false)
      }
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
      for path in [path, link] {
        let journal = SQLiteWriteJournal(path: path, patience: .zero)
        let reading = await #expect(throws: JournalError.self) { try await journal.load(alice) }
        let writing = await #expect(throws: JournalError.self) {
          try await journal.commit([.put(makeRecord(1))])
        }
        let word = what == .folder ? "is a folder" : "is no file"
        #expect(reading?.detail.contains(word) == true, "\(reading as Any)")
        #expect(reading?.detail.contains("give the path of a file") == true)
        #expect(writing == reading && reading?.kind == .unavailable)
      }
    }

    // By its other name the log beside the first is not seen, and what is in it is lost.
    @Test func fileWithTwoNames_isRefused() async throws {
      let folder = try Folder()
      let (first, second) = (folder.path(), folder.path("second.db"))
      try await {
        let journal = SQLiteWriteJournal(path: first, patience: .zero)
        try await journal.commit([.put(makeRecord(1))])
      }()
      try FileManager.default.linkItem(atPath: first, toPath: second)
      let before = try folder.files()
      for path in [first, second] {
        let journal = SQLiteWriteJournal(path: path, patience: .zero)
        let error = await #expect(throws: JournalError.self) { try await journal.load(alice) }
        #expect(error?.kind == .unavailable)
        #expect(error?.detail.contains("\(path) has 2 names (hard links)") == true)
        #expect(error?.detail.contains("remove the others") == true, "how to mend it")
      }
      #expect(try folder.files() == before)
      try FileManager.default.removeItem(atPath: second)
      let contents = try await SQLiteWriteJournal(path: first, patience: .zero).load(alice)
      #expect(contents.records == [makeRecord(1)] && contents.problem == nil)
    }

    // Half a page at the end is a torn copy, even if what it held was not needed.
    @Test func halfAPageMore_isReported() async throws {
      let folder = try Folder()
      try await {
        let journal = SQLiteWriteJournal(path: folder.path())
        try await journal.commit([.put(makeRecord(1))])
      }()
      let main = try #require(folder.read("writes.db"))
      try folder.write(main + Data(count: 100), "writes.db")
      let journal = SQLiteWriteJournal(path: folder.path(), patience: .zero)
      let writing = await #expect(throws: JournalError.self) {
        try await journal.commit([.put(makeRecord(2))])
      }
      let contents = try await journal.load(alice)
      #expect(contents.records == [makeRecord(1)] && contents.problem?.kind == .damaged)
      #expect(writing == contents.problem)
    }

    // Who reads the message has to know what to do.
    @Test func messages_sayWhatIsWrongAndHowToMendIt() async throws {
      let folder = try Folder()
      func error(_ path: String) async -> String {
        let journal = SQLiteWriteJournal(path: path, patience: .zero)
        let error = await #expect(throws: JournalError.self) { try await journal.load(alice) }
        return error.map { "\($0)" } ?? ""
      }
      let noFolder = await error(folder.path("no/such/folder.db"))
      #expect(noFolder.contains("there is no folder \(folder.path("no/such")); make it"))
      let isFolder = await error(folder.url.path)
      #expect(isFolder.contains("\(folder.url.path) is a folder; give the path of a file in it"))
      try folder.write(Data("text".utf8), "text")
      let inAFile = await error(folder.path("text/writes.db"))
      #expect(inAFile.contains("\(folder.path("text")) is not a folder"))
      let text = await error(folder.path("text"))
      #expect(text.contains("too short") && text.contains("move it and the files beside it"))
    }

    @Test func damageOfTheStructure_isOneLine() async throws {
      let folder = try Folder()
      try await {
        let journal = SQLiteWriteJournal(path: folder.path())
        try await journal.commit((1...8).map { .put(makeRecord($0)) })
      }()
      var main = try #require(folder.read("writes.db"))
      main[4096 + 7] ^= 4  // the count of fragments
      try folder.write(main, "writes.db")
      let contents = try await SQLiteWriteJournal(path: folder.path()).load(alice)
      let problem = try #require(contents.problem)
      #expect(problem.kind == .damaged && contents.records.count == 8)
      #expect(!problem.description.contains { $0.isNewline } && !problem.detail.contains("***"))
      #expect(problem.detail.contains("ragmentation"))
    }
  }
#endif
