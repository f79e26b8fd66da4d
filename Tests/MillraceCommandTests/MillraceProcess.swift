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
    process = try await FinishedProcess(running: BuiltProduct.url(of: "millrace"), arguments)
  }
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
