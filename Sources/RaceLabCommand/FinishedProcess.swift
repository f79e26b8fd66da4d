// Running other programs from a program of several threads.

import Foundation

/// Starts processes one at a time.
///
/// Foundation on Linux opens its pipes, and the socket by which it learns of an exit, without "close
/// on exec", and closes in the child what it found open just before. What another thread opens in
/// between goes along and is held as long as the child lives: an end of file that does not come, an
/// exit that nobody sees.
package enum ProcessStart {
  private static let lock = NSLock()

  /// Makes the pipes of a process and starts it, while no other does.
  package static func alone<Value>(_ start: () throws -> Value) rethrows -> Value {
    try lock.withLock(start)
  }
}

/// What a program printed, and how it ended.
package struct FinishedProcess: Sendable {
  /// The exit status, or the signal that ended it.
  package let status: Int32
  package let endedBySignal: Bool
  package let output: String
  package let errors: String

  /// Runs a program with an empty standard input and waits for its end, without holding up a thread.
  /// If the waiting task is cancelled, the program is told to end. `environment` is added to this
  /// process's own.
  package init(
    running program: URL, _ arguments: [String], environment: [String: String] = [:]
  ) async throws {
    // Files, not pipes: a pipe that nobody empties would hold the program up.
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: "process-\(UUID().uuidString)")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let logs = ["output", "errors"].map { folder.appending(path: $0) }
    let handles = try logs.map {
      try Data().write(to: $0)
      return try FileHandle(forWritingTo: $0)
    }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if !environment.isEmpty {
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handles[0]
    process.standardError = handles[1]
    status = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (reply: CheckedContinuation<Int32, any Error>) in
        process.terminationHandler = { reply.resume(returning: $0.terminationStatus) }
        do {
          try ProcessStart.alone { try process.run() }
          // Cancelled before there was a program to tell.
          if Task.isCancelled { process.terminate() }
        } catch {
          process.terminationHandler = nil
          reply.resume(throwing: error)
        }
      }
    } onCancel: {
      if process.isRunning { process.terminate() }
    }
    endedBySignal = process.terminationReason == .uncaughtSignal
    for handle in handles { try handle.close() }
    let texts = try logs.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    (output, errors) = (texts[0], texts[1])
  }
}
