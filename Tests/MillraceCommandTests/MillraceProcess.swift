// Runs the built `millrace` as a process, as a user does.

import Foundation
import RaceLabCommand
import Testing

/// What a run printed, and how it ended.
struct MillraceProcess {
  private let process: FinishedProcess
  var status: Int32 { process.status }
  var output: String { process.output }
  var errors: String { process.errors }

  /// Runs `millrace` with these arguments and waits for its end.
  init(_ arguments: String...) async throws { try await self.init(arguments) }

  /// The same, for arguments in a list.
  init(_ arguments: [String]) async throws {
    process = try await FinishedProcess(running: MillraceProcess.binary(), arguments)
  }

  /// The product is built into the folder of the test bundle.
  static func binary() throws -> URL {
    let candidates =
      CommandLine.arguments.filter { $0.contains(".xctest") }
      + Bundle.allBundles.map(\.bundlePath) + [Bundle.main.bundlePath]
    for candidate in candidates {
      var folder = URL(fileURLWithPath: candidate)
      // On Apple's systems the test's code lies inside the bundle, elsewhere it is the bundle.
      for _ in 0..<5 {
        let binary = folder.appendingPathComponent("millrace")
        var isFolder: ObjCBool = false
        // Safe: the call writes one flag before it returns, and keeps no pointer.
        let exists = unsafe FileManager.default.fileExists(
          atPath: binary.path, isDirectory: &isFolder)
        if exists, !isFolder.boolValue, FileManager.default.isExecutableFile(atPath: binary.path) {
          return binary
        }
        folder.deleteLastPathComponent()
      }
    }
    throw NotBuilt(candidates: candidates)
  }

  struct NotBuilt: Error { let candidates: [String] }
}

/// A file that is there for the time of a test.
struct TemporaryFile: ~Copyable {
  let path: String

  init(_ content: String) throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "\(UUID().uuidString).json")
    try Data(content.utf8).write(to: file)
    path = file.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
