// `millrace` as a process with which a test talks through pipes while it runs.

import Foundation
import RaceLabCommand

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A run that goes on.
final class PipedRun: Sendable {
  private let process: Process
  private let input: FileHandle
  private let output: FileHandle
  private let ending: Task<Int32, Never>

  struct NotSeen: Error { let text: String, written: String }

  convenience init(_ arguments: String...) async throws {
    try await self.init(arguments: arguments)
  }

  init(arguments: [String]) async throws {
    takeSignals()
    let process = Process()
    let (ours, theirs) = (Pipe(), Pipe())
    process.executableURL = try BuiltProduct.url(of: "millrace")
    process.arguments = arguments
    process.standardInput = ours
    process.standardOutput = theirs
    process.standardError = theirs
    let (ends, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = {
      end.yield($0.terminationStatus)
      end.finish()
    }
    try ProcessStart.alone { try process.run() }
    // Else its end would never be seen.
    try? theirs.fileHandleForWriting.close()
    self.process = process
    input = ours.fileHandleForWriting
    output = theirs.fileHandleForReading
    ending = Task { await ends.first { _ in true } ?? -1 }
  }

  deinit { if process.isRunning { process.terminate() } }

  func write(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }
  func closeInput() throws { try input.close() }
  func closeOutput() throws { try output.close() }
  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// What is written until this text is among it.
  @discardableResult
  func written(until text: String) async throws -> String {
    let descriptor = output.fileDescriptor
    return try await withCheckedThrowingContinuation { reply in
      // A thread of its own: reading waits.
      Thread.detachNewThread {
        var all = Data()
        while !String(decoding: all, as: UTF8.self).contains(text) {
          var bytes = [UInt8](repeating: 0, count: 4_096)
          // Two minutes: what never comes is a fault, not a wait.
          var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          let count =
            unsafe poll(&source, 1, 120_000) > 0 ? unsafe read(descriptor, &bytes, bytes.count) : 0
          guard count > 0 else {
            let written = String(decoding: all, as: UTF8.self)
            return reply.resume(throwing: NotSeen(text: text, written: written))
          }
          all.append(contentsOf: bytes.prefix(count))
        }
        reply.resume(returning: String(decoding: all, as: UTF8.self))
      }
    }
  }

  /// How it ended: its status, or the signal.
  func status() async -> Int32 { await ending.value }
}

/// Signals that this process was started to ignore would be ignored by those that it starts, too: a shell
/// does so with what runs in the background.
func takeSignals() {
  for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { continue }
    let isIgnored = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    if isIgnored { Foundation.signal(number, SIG_DFL) }
  }
}
