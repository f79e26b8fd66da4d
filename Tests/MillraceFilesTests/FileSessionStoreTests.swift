import Foundation
import Millrace
import MillraceFiles
import Testing

/// A folder of its own for each test, gone after it.
private func withFile(_ body: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(folder.appending(path: "session.json"))
}

private let ada = StoredSession(account: Account("ada"), credential: [0, 1, 255])

@Suite struct FileSessionStoreTests {
  // Fault: a sign-in is forgotten, or comes back as another.
  @Test func savedSession_isReadByAnotherStore() async throws {
    try await withFile { file in
      try await FileSessionStore(file: file).save(ada)
      try await FileSessionStore(file: file).save(
        StoredSession(account: Account("béa"), credential: []))
      try await FileSessionStore(file: file).save(ada)
      #expect(try await FileSessionStore(file: file).load() == ada)
    }
  }

  // Fault: a first launch is taken for an error, or a sign-out leaves the credential on the disk.
  @Test func missingAndClearedFile_meanNobody() async throws {
    try await withFile { file in
      let store = FileSessionStore(file: file)
      #expect(try await store.load() == nil)
      try await store.clear()
      try await store.save(ada)
      try await store.clear()
      #expect(try await store.load() == nil)
      let left = try FileManager.default.contentsOfDirectory(
        atPath: file.deletingLastPathComponent().path)
      #expect(left == [])
    }
  }

  // Fault: others on the machine can read the credential.
  @Test func file_isForItsOwnerOnly() async throws {
    try await withFile { file in
      let store = FileSessionStore(file: file)
      for _ in 0..<2 {
        try await store.save(ada)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      }
    }
  }

  // Fault: a damaged file signs the user out silently, or traps; every prefix is tried.
  @Test func damagedFile_isAnErrorThatNamesIt() async throws {
    try await withFile { file in
      let store = FileSessionStore(file: file)
      try await store.save(ada)
      let whole = try Data(contentsOf: file)
      for length in 0..<whole.count {
        try whole.prefix(length).write(to: file)
        let error = await #expect(throws: FileStoreError.self) { try await store.load() }
        #expect(error?.description.contains(file.path) ?? false)
      }
    }
  }

  // Fault: a file of a newer program is misread.
  @Test func newerVersion_isRefused() async throws {
    try await withFile { file in
      try Data(#"{"version":2,"account":"ada","credential":""}"#.utf8).write(to: file)
      let error = await #expect(throws: FileStoreError.self) {
        try await FileSessionStore(file: file).load()
      }
      #expect(error?.problem == .version(2))
    }
  }

  // Fault: who has named a folder, or a file that is too long, is told to look at its rights.
  @Test func whatIsNoFileOfTheStore_isToldAsThat() async throws {
    try await withFile { file in
      let folder = file.deletingLastPathComponent()
      try Data(count: (1 << 20) + 1).write(to: file)
      for (what, why) in [(folder, "it is a folder"), (file, "it has 1048577 bytes")] {
        let error = await #expect(throws: FileStoreError.self) {
          try await FileSessionStore(file: what).load()
        }
        guard case .foreign? = error?.problem else {
          Issue.record("\(error as Any)")
          continue
        }
        #expect(error?.description.contains(why) == true)
        #expect(error?.description.hasSuffix("name another file") == true)
      }
    }
  }

  // Fault: a save that fails takes the old sign-in along.
  @Test func missingFolder_isAnErrorOfTheSave() async throws {
    try await withFile { file in
      let nowhere = file.deletingLastPathComponent().appending(path: "none/session.json")
      await #expect(throws: FileStoreError.self) {
        try await FileSessionStore(file: nowhere).save(ada)
      }
    }
  }
}
