// A journal that may be read and not written: it is shown, and nothing is changed in it or beside it.

#if SQLite
  import Foundation
  import Millrace
  import Testing

  @testable import MillraceSQLite

  @Suite("SQLite journal: read only") struct ReadOnlyTests {
    private func journal(_ folder: Folder, _ access: SQLiteWriteJournal.Access)
      -> SQLiteWriteJournal
    {
      SQLiteWriteJournal(path: folder.path(), access: access)
    }

    private func closed(_ folder: Folder) async throws {
      try await journal(folder, .readWrite).commit([.put(makeRecord(1)), .put(makeRecord(2))])
    }

    @Test func withoutALog_nothingIsMadeBesideIt() async throws {
      let folder = try Folder()
      try await closed(folder)
      let before = try folder.files()
      #expect(Set(before.keys) == ["writes.db"])
      let reading = journal(folder, .readOnly)
      let contents = try await reading.load(alice)
      #expect(contents.records == [makeRecord(1), makeRecord(2)])
      #expect(contents.problem?.kind == .readOnly)
      #expect(try folder.files() == before)
    }

    // Without the log it would be as it was before.
    @Test func withALog_whatIsInTheLogIsShown() async throws {
      let folder = try Folder()
      let kept = SQLiteWriteJournal(path: folder.path("kept.db"))
      try await kept.commit([.put(makeRecord(1))])
      try folder.write(folder.read("kept.db"), "writes.db")
      try folder.write(folder.read("kept.db-wal"), "writes.db-wal")
      let contents = try await journal(folder, .readOnly).load(alice)
      #expect(contents.records == [makeRecord(1)] && contents.problem?.kind == .readOnly)
    }

    // The characters that mean something in a link.
    @Test func strangePath_isReadToo() async throws {
      let folder = try Folder()
      let path = folder.path("100% é?immutable=0#a&b.db")
      try await SQLiteWriteJournal(path: path).commit([.put(makeRecord(1))])
      let contents = try await SQLiteWriteJournal(path: path, access: .readOnly).load(alice)
      #expect(contents.records == [makeRecord(1)])
    }

    // As the system refuses it.
    @Test(
      .enabled(if: OrdinaryUser.isPossible, OrdinaryUser.whyNot),
      arguments: [(0o444, 0o755), (0o444, 0o555), (0o644, 0o555)])
    func whatTheSystemForbids_isShown(_ file: Int, _ place: Int) async throws {
      let folder = try Folder()
      try await closed(folder)
      try folder.giveAway()
      try permit(file, folder.path())
      try permit(place, folder.url.path)
      defer { try? permit(0o755, folder.url.path) }
      let before = try folder.files()
      let reading = journal(folder, .readWrite)
      let contents = try await asOrdinaryUser { try await reading.load(alice) }
      #expect(contents.records == [makeRecord(1), makeRecord(2)])
      #expect(contents.problem?.kind == .readOnly)
      let error = await #expect(throws: JournalError.self) {
        try await asOrdinaryUser { try await reading.commit([.put(makeRecord(3))]) }
      }
      #expect(error?.kind == .readOnly)
      #expect(try folder.files() == before)
    }

    // The log can hold what the file does not: it is never left out silently.
    @Test(
      .enabled(if: OrdinaryUser.isPossible, OrdinaryUser.whyNot),
      arguments: [
        [0o444, 0o444, 0o555], [0o444, 0o644, 0o555], [0o644, 0o444, 0o555],
        [0o644, 0o644, 0o555], [0o444, 0o444, 0o755], [0o644, 0o444, 0o755],
      ])
    func whatTheSystemForbidsWithALog_isShownOrExplained(_ permissions: [Int]) async throws {
      let folder = try Folder()
      let kept = SQLiteWriteJournal(path: folder.path("kept.db"))
      try await kept.commit([.put(makeRecord(1))])
      try folder.write(folder.read("kept.db"), "writes.db")
      try folder.write(folder.read("kept.db-wal"), "writes.db-wal")
      try folder.giveAway()
      let paths = [folder.path(), folder.path("writes.db-wal"), folder.url.path]
      for (path, permissions) in zip(paths, permissions) { try permit(permissions, path) }
      defer { try? permit(0o755, folder.url.path) }
      do {
        let contents = try await load(folder)
        #expect(contents.records == [makeRecord(1)])
        #expect(contents.problem == nil || contents.problem?.kind == .readOnly)
      } catch let error as JournalError {
        #expect(error.kind == .readOnly && error.detail.contains("copy both"))
      }
    }

    @Test(.enabled(if: OrdinaryUser.isPossible, OrdinaryUser.whyNot))
    func folderThatTakesNoFile_isNamed() async throws {
      let folder = try Folder()
      try folder.giveAway()
      try permit(0o555, folder.url.path)
      defer { try? permit(0o755, folder.url.path) }
      let error = await #expect(throws: JournalError.self) { try await load(folder) }
      #expect(error?.kind == .unavailable)
      #expect(
        error?.detail.contains("no file may be made in the folder \(folder.url.path)") == true)
    }

    @Test(.enabled(if: OrdinaryUser.isPossible, OrdinaryUser.whyNot))
    func whatMayNotBeRead_isNamed() async throws {
      let folder = try Folder()
      try await closed(folder)
      try folder.giveAway()
      try permit(0o000, folder.path())
      defer { try? permit(0o755, folder.url.path) }
      let file = await #expect(throws: JournalError.self) { try await load(folder) }
      #expect(file?.kind == .unavailable && file?.detail.contains("may not be read") == true)
      try permit(0o000, folder.url.path)
      let place = await #expect(throws: JournalError.self) { try await load(folder) }
      #expect(place?.kind == .unavailable && place?.detail.contains("looked into") == true)
    }

    private func load(_ folder: Folder) async throws -> JournalContents {
      let journal = journal(folder, .readWrite)
      return try await asOrdinaryUser { try await journal.load(alice) }
    }

    private func permit(_ permissions: Int, _ path: String) throws {
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
  }
#endif
