// Files that are not where they should be: nothing is begun anew in their place, and nothing is told as
// kept that has no name to be found by.

#if SQLite
  import Foundation
  import Millrace
  import Testing

  @testable import MillraceSQLite

  @Suite("SQLite journal: missing files") struct MissingFileTests {
    // SQLite would make a new file, and throw the log of the old one away with all that is in it.
    @Test(arguments: [SQLiteWriteJournal.Access.readWrite, .readOnly])
    func missingFileWithALog_isToldAndTheLogIsKept(_ access: SQLiteWriteJournal.Access) async throws
    {
      let folder = try Folder()
      let kept = SQLiteWriteJournal(path: folder.path())
      try await kept.commit([.put(makeRecord(1))])
      try folder.write(folder.read("writes.db-wal"), "gone.db-wal")
      let before = try folder.files()
      let journal = SQLiteWriteJournal(path: folder.path("gone.db"), access: access)
      let loading = await #expect(throws: JournalError.self) { try await journal.load(alice) }
      let writing = await #expect(throws: JournalError.self) {
        try await journal.commit([.put(makeRecord(2))])
      }
      #expect(loading?.kind == .missing && writing == loading)
      let text = loading.map { "\($0)" } ?? ""
      #expect(text.contains("\(folder.path("gone.db"))-wal"), "\(text)")
      #expect(try folder.files() == before)
      // Put back, it is read as it was; its log moved away, a new one is begun.
      try folder.write(folder.read("writes.db"), "gone.db")
      let contents = try await journal.load(alice)
      #expect(contents.records == [makeRecord(1)])
      try folder.write(folder.read("writes.db-wal"), "moved.db-wal")
      let anew = SQLiteWriteJournal(path: folder.path("moved.db"))
      await #expect(throws: JournalError.self) { try await anew.load(alice) }
      try folder.write(nil, "moved.db-wal")
      let empty = try await anew.load(alice)
      #expect(empty.records.isEmpty && empty.problem == nil)
    }

    // What is written to a file without a name is gone with the process, and was told as kept.
    @Test(arguments: ["writes.db", "writes.db-wal"], [true, false])
    func fileThatIsTakenAwayInUse_isToldAtOnce(_ name: String, _ isReplaced: Bool) async throws {
      let folder = try Folder()
      let journal = SQLiteWriteJournal(path: folder.path())
      try await journal.commit([.put(makeRecord(1))])
      let away = folder.url.appending(path: "away")
      try FileManager.default.moveItem(at: folder.url.appending(path: name), to: away)
      if isReplaced {
        try FileManager.default.copyItem(at: away, to: folder.url.appending(path: name))
      }
      let error = await #expect(throws: JournalError.self) {
        try await journal.commit([.put(makeRecord(2))])
      }
      #expect(error?.kind == .missing && error?.detail.contains("\(name) was removed") == true)
      // Put back, it goes on.
      try? FileManager.default.removeItem(at: folder.url.appending(path: name))
      try FileManager.default.moveItem(at: away, to: folder.url.appending(path: name))
      try await journal.commit([.put(makeRecord(3))])
      let phases = try await journal.phases()
      #expect(phases == ["key 1": .validated, "key 3": .validated])
    }

    // SQLite keeps the log beside the file that a link names: looked for beside the link, it is missed.
    @Test(arguments: [true, false]) func linkToAFile_isFollowed(_ isRelative: Bool) async throws {
      let folder = try Folder()
      let kept = SQLiteWriteJournal(path: folder.path("kept.db"))
      try await kept.commit([.put(makeRecord(1))])
      try folder.write(folder.read("kept.db"), "real.db")
      try folder.write(folder.read("kept.db-wal"), "real.db-wal")
      let files = FileManager.default
      try files.createSymbolicLink(
        atPath: folder.path("link.db"),
        withDestinationPath: isRelative ? "real.db" : folder.path("real.db"))
      try files.createSymbolicLink(atPath: folder.path("second.db"), withDestinationPath: "link.db")
      let path = folder.path("second.db")
      let shown = try await SQLiteWriteJournal(path: path, access: .readOnly).load(alice)
      #expect(shown.records == [makeRecord(1)])
      // The file that it names is gone, and its log is there.
      try folder.write(nil, "real.db")
      try folder.write(nil, "real.db-shm")
      let before = try folder.files()
      let error = await #expect(throws: JournalError.self) {
        try await SQLiteWriteJournal(path: path).load(alice)
      }
      #expect(error?.kind == .missing)
      #expect(try folder.files() == before)
      try files.createSymbolicLink(atPath: folder.path("round.db"), withDestinationPath: "round.db")
      let round = await #expect(throws: JournalError.self) {
        try await SQLiteWriteJournal(path: folder.path("round.db")).load(alice)
      }
      #expect(round?.kind == .unavailable)
    }

    // What SQLite takes for no file at all: what is told as kept would be gone with the process.
    @Test(arguments: ["", "a\0b"]) func pathThatIsNone_isRefused(_ path: String) async throws {
      let error = await #expect(throws: JournalError.self) {
        try await SQLiteWriteJournal(path: path).commit([.put(makeRecord(1))])
      }
      #expect(error?.kind == .unavailable && error?.detail.contains("is no path") == true)
    }

    @Test func nameThatSQLiteTakesForMemory_isAFile() throws {
      let file = JournalFile(path: ":memory:", virtualFileSystem: nil, patience: .zero)
      #expect(file.path == "./:memory:")
    }
  }
#endif
