// `millrace` as a process with which a test talks through pipes while it runs.

import Foundation

/// A run that goes on.
final class PipedRun: Sendable {
  private let process: RunningProcess
  private let input: FileHandle
  private let output: FileHandle

  convenience init(_ arguments: String...) async throws {
    try await self.init(arguments: arguments)
  }

  init(arguments: [String]) async throws {
    let (ours, theirs) = (Pipe(), Pipe())
    process = try RunningProcess(arguments) {
      $0.standardInput = ours
      $0.standardOutput = theirs
      $0.standardError = theirs
    }
    // Else its end would never be seen.
    try? theirs.fileHandleForWriting.close()
    input = ours.fileHandleForWriting
    output = theirs.fileHandleForReading
  }

  func write(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }
  func closeInput() throws { try input.close() }
  func closeOutput() throws { try output.close() }
  func signal(_ number: Int32) { process.signal(number) }

  /// What is written until this text is among it.
  @discardableResult
  func written(until text: String) async throws -> String {
    try await RunningProcess.written(to: output, until: text, patience: 120_000)
  }

  /// Returns when so much of its output is unread that the pipe, which holds 64 KB, takes little more or
  /// nothing.
  func outputIsFull() async {
    let descriptor = output.fileDescriptor
    await RunningProcess.waiting {
      var unread: Int32 = 0
      let isKnown = unsafe ioctl(descriptor, UInt(FIONREAD), &unread) == 0
      return !isKnown || unread >= 57_344 ? () : nil
    }
  }

  #if os(Linux)
    func child() async -> RunningProcess.ChildProcess { await process.child() }
  #endif

  /// How it ended: its status, or the signal.
  func status() async -> Int32 { await process.status() }
}
