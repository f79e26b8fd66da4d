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

  /// The same, for words that a shell reads: they may redirect streams, and `"$1"` is the first of the
  /// arguments.
  init(shell words: String, _ arguments: String...) async throws {
    process = try await FinishedProcess(
      running: URL(filePath: "/bin/sh"),
      ["-c", "exec \"$0\" \(words)", try BuiltProduct.url(of: "millrace").path] + arguments)
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

/// A folder that is there for the time of a test.
struct TemporaryFolder: ~Copyable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }
  func write(_ bytes: some Sequence<UInt8>, _ name: String = "place.json") throws -> String {
    try Data(bytes).write(to: url.appending(path: name))
    return path(name)
  }
  func text(_ name: String) -> String? {
    try? String(contentsOfFile: path(name), encoding: .utf8)
  }
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
}
