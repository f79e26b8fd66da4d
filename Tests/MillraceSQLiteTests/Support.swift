// What the tests of the journal share: a folder of their own, records, and copies of the files.

#if SQLite
  import Foundation
  import Millrace

  @testable import MillraceSQLite

  /// A folder that is gone when the test is over. In memory where that is possible: these tests open
  /// thousands of journals, and what a sync does is not what they ask.
  final class Folder: Sendable {
    let url: URL

    init() throws {
      let memory = URL(filePath: "/dev/shm")
      let files = FileManager.default
      let place = files.isWritableFile(atPath: memory.path) ? memory : files.temporaryDirectory
      url = place.appending(path: "millrace-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String = "writes.db") -> String { url.appending(path: name).path }

    func read(_ name: String) -> Data? { try? Data(contentsOf: url.appending(path: name)) }

    /// Every file in it, by name.
    func files() throws -> [String: Data] {
      var files: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
        files[name] = read(name)
      }
      return files
    }

    func write(_ data: Data?, _ name: String) throws {
      try? FileManager.default.removeItem(at: url.appending(path: name))
      if let data { try data.write(to: url.appending(path: name)) }
    }
  }

  let alice = Account("alice")
  let bob = Account("bob")

  func makeRecord(
    _ number: Int, _ phase: WritePhase = .validated, of account: Account = alice
  ) -> WriteRecord {
    WriteRecord(
      account: account,
      write: Write(
        "loan", intent: Intent(key: "key \(number)"),
        body: (0..<40).map { UInt8(truncatingIfNeeded: $0 &* number) }),
      phase: phase, sequence: UInt64(number), receipt: phase == .accepted ? [1, 2, 3] : [],
      reason: phase == .rejected ? "on loan" : "")
  }

  extension SQLiteWriteJournal {
    /// The phases by key.
    func phases(_ account: Account = alice) throws -> [String: WritePhase] {
      let records = try load(account).records
      return Dictionary(uniqueKeysWithValues: records.map { ($0.write.intent.key, $0.phase) })
    }
  }
#endif
