// The journal on SQLite: keeps what it was told, and says clearly when it cannot.

#if SQLite
  import Foundation
  import Millrace
  import MillraceTesting
  import Testing

  @testable import MillraceSQLite

  @Suite("SQLite journal") struct JournalTests {
    // A journal that gives back something else than what was put in.
    @Test func records_comeBackAsTheyWere() async throws {
      let folder = try Folder()
      let records = [
        makeRecord(1), makeRecord(2, .sent), makeRecord(3, .accepted), makeRecord(4, .confirmed),
        makeRecord(5, .rejected),
        WriteRecord(
          account: alice, write: Write("", intent: Intent(key: ""), body: []), phase: .validated,
          sequence: .max),
        WriteRecord(
          account: alice, write: Write("nul\0 “quotes'", intent: Intent(key: "é\0x"), body: [0]),
          phase: .validated, sequence: 0),
      ]
      do {
        let journal = SQLiteWriteJournal(path: folder.path())
        try await journal.commit(records.map { .put($0) } + [.put(makeRecord(1, of: bob))])
      }
      let journal = SQLiteWriteJournal(path: folder.path())
      let contents = try await journal.load(alice)
      #expect(Set(contents.records) == Set(records) && contents.problem == nil)
      let ofBob = try await journal.load(bob).records
      #expect(ofBob == [makeRecord(1, of: bob)])
      try await journal.commit([
        .remove(alice, Intent(key: "key 1")), .put(makeRecord(2, .accepted)),
      ])
      let phases = try await journal.phases()
      #expect(phases["key 1"] == nil && phases["key 2"] == .accepted)
      let stillBob = try await journal.load(bob).records
      #expect(stillBob.count == 1)
    }

    // Half a move would send a write twice, or never.
    @Test func commit_isAllOrNothing() async throws {
      let folder = try Folder()
      let journal = SQLiteWriteJournal(path: folder.path(), access: .readWrite, pageLimit: 12)
      try await journal.commit([.put(makeRecord(1))])
      let large = WriteRecord(
        account: bob,
        write: Write(
          "loan", intent: Intent(key: "large"), body: .init(repeating: 1, count: 100_000)),
        phase: .validated, sequence: 1)
      let error = await #expect(throws: JournalError.self) {
        try await journal.commit([.remove(alice, Intent(key: "key 1")), .put(large)])
      }
      #expect(error?.kind == .full)
      let phases = try await journal.phases()
      let ofBob = try await journal.load(bob).records
      #expect(phases == ["key 1": .validated] && ofBob.isEmpty)
      // It goes on working with what fits.
      try await journal.commit([.put(makeRecord(1, .sent))])
    }

    // Two processes that work on one journal send everything twice.
    @Test func secondUser_isTurnedAway() async throws {
      let folder = try Folder()
      var first: SQLiteWriteJournal? = SQLiteWriteJournal(path: folder.path())
      try await first?.commit([.put(makeRecord(1))])
      let second = SQLiteWriteJournal(path: folder.path(), patience: .zero)
      let error = await #expect(throws: JournalError.self) { try await second.load(alice) }
      #expect(error?.kind == .locked)
      first = nil
      let phases = try await second.phases()
      #expect(phases == ["key 1": .validated])
    }

    // What a newer version wrote must not be touched by an older one.
    @Test func newerVersion_isLeftAlone() async throws {
      let folder = try Folder()
      try await {
        let journal = SQLiteWriteJournal(path: folder.path())
        try await journal.commit([.put(makeRecord(1))])
      }()
      try {
        let database = try Database(
          path: folder.path(), readOnly: false, virtualFileSystem: nil, patience: .zero)
        try database.run("PRAGMA user_version = 2")
      }()
      let before = folder.read("writes.db")
      let journal = SQLiteWriteJournal(path: folder.path())
      let loading = await #expect(throws: JournalError.self) { try await journal.load(alice) }
      let writing = await #expect(throws: JournalError.self) {
        try await journal.commit([.put(makeRecord(2))])
      }
      #expect(loading?.kind == .newerVersion && writing?.kind == .newerVersion)
      #expect(folder.read("writes.db") == before)
    }

    @Test func readOnly_isReadAndTakesNothing() async throws {
      let folder = try Folder()
      try await {
        let journal = SQLiteWriteJournal(path: folder.path())
        try await journal.commit([.put(makeRecord(1))])
      }()
      let journal = SQLiteWriteJournal(path: folder.path(), access: .readOnly)
      let contents = try await journal.load(alice)
      #expect(contents.records == [makeRecord(1)] && contents.problem?.kind == .readOnly)
      let error = await #expect(throws: JournalError.self) {
        try await journal.commit([.put(makeRecord(2))])
      }
      #expect(error?.kind == .readOnly)
    }

    @Test func folderThatIsNotThere_isUnavailable() async throws {
      let folder = try Folder()
      let journal = SQLiteWriteJournal(path: folder.path("no/such/folder.db"))
      let error = await #expect(throws: JournalError.self) { try await journal.load(alice) }
      #expect(error?.kind == .unavailable)
    }

    @Test func otherFiles_areNotTakenForAJournal() async throws {
      let folder = try Folder()
      try folder.write(Data("once upon a time there was a file of text".utf8), "text.db")
      let journal = SQLiteWriteJournal(path: folder.path("text.db"))
      let error = await #expect(throws: JournalError.self) { try await journal.load(alice) }
      #expect(error?.kind == .damaged)
      try {
        let database = try Database(
          path: folder.path("other.db"), readOnly: false, virtualFileSystem: nil, patience: .zero)
        try database.run("CREATE TABLE recipes (name TEXT)")
      }()
      let other = SQLiteWriteJournal(path: folder.path("other.db"))
      let otherError = await #expect(throws: JournalError.self) {
        try await other.commit([.put(makeRecord(1))])
      }
      #expect(otherError?.kind == .foreign)
    }

    // The runtime on the real journal: a relaunch finds what was kept, and sends it.
    @Test @MainActor func runtime_findsItsWritesAfterARelaunch() async throws {
      let folder = try Folder()
      let server = WriteServer()
      let write = Write("loan", intent: Intent(key: "key 1"), body: [1])
      try await {
        let (runtime, window) = try makeRuntime(server, folder)
        runtime.connectivity = .offline
        let form = try #require(window.rootFlow as? Form)
        let waiting = form.scope.task {
          _ = try await form.scope.write(write, until: .validated)
        }
        try await runtime.drained(limit: .seconds(3_600))
        #expect(waiting.outcome.map { if case .succeeded = $0 { true } else { false } } == true)
      }()
      // The first runtime lets go of the file in a later main-actor job.
      let (runtime, window) = try makeRuntime(server, folder)
      let form = try #require(window.rootFlow as? Form)
      let waiting = form.scope.task {
        while runtime.writes?.isLoaded != true {
          try await form.scope.sleep(for: .milliseconds(5))
        }
        let entry = try await form.scope.phase(of: write.intent, until: .accepted)
        #expect(entry.phases == [.validated, .sent, .accepted])
      }
      try await runtime.drained(limit: .seconds(3_600))
      #expect(waiting.outcome.map { if case .succeeded = $0 { true } else { false } } == true)
      let calls = await server.calls("send")
      #expect(calls.map(\.key) == ["key 1"])
    }

    @MainActor
    private func makeRuntime(
      _ server: WriteServer, _ folder: Folder
    ) throws -> (FlowRuntime, FlowWindow) {
      let runtime = FlowRuntime(
        writes: WriteOptions(
          service: server, journal: SQLiteWriteJournal(path: folder.path()),
          callLimit: .seconds(3_600), retry: RetryPolicy(first: .milliseconds(5)), confirmation: nil
        ))
      runtime.signIn(alice)
      return (runtime, runtime.openWindow { _ in Root { Form(scope: $0) } })
    }
  }

  @MainActor
  private final class Form: Flow {
    let scope: FlowScope<Never>
    init(scope: FlowScope<Never>) { self.scope = scope }
  }
#endif
