// `millrace` as a process that a test talks with while it runs.

import Foundation
import RaceLabCommand

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A run that goes on. It is ended with the value.
final class RunningProcess: Sendable {
  private let process: Process
  private let ending: Task<Int32, Never>

  /// What was waited for was not written in time, or the output ended before it.
  struct NotSeen: Error { let text: String, written: String }

  /// - Parameter prepare: says where its input comes from, where its output goes, and the rest.
  init(_ arguments: [String], _ prepare: (Process) -> Void) throws {
    takeSignals()
    let process = Process()
    process.executableURL = try BuiltProduct.url(of: "millrace")
    process.arguments = arguments
    prepare(process)
    let (ends, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = {
      end.yield($0.terminationStatus)
      end.finish()
    }
    try ProcessStart.alone { try process.run() }
    self.process = process
    ending = Task { await ends.first { _ in true } ?? -1 }
  }

  deinit { if process.isRunning { process.terminate() } }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// How it ended: its status, or the signal.
  func status() async -> Int32 { await ending.value }

  #if os(Linux)
    /// A process that this one has started, as soon as there is one.
    func child() async -> ChildProcess {
      let parent = "\(process.processIdentifier)"
      return await Self.waiting {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.lazy.compactMap { Int32($0) }.map(ChildProcess.init)
          .first { $0.status?.dropFirst().first.map(String.init) == parent }
      }
    }

    /// A process that another than the test has started: nothing tells of its end.
    struct ChildProcess {
      let id: Int32

      /// What the system says of it after its name: a letter for its state, its parent, and more. Nil if
      /// there is none.
      var status: [Substring]? {
        let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        return text.flatMap { $0.split(separator: ")").last?.split(separator: " ") }
      }

      func ended() async {
        // Z: it has ended, and nobody has asked how.
        await RunningProcess.waiting { status.map { $0.first == "Z" } ?? true ? () : nil }
      }
    }
  #endif

  /// Asks until there is an answer, on a thread of its own: of what is asked nothing tells.
  static func waiting<Answer: Sendable>(
    for answer: @escaping @Sendable () -> Answer?
  ) async -> Answer {
    await withCheckedContinuation { reply in
      Thread.detachNewThread {
        while true {
          if let answer = answer() { return reply.resume(returning: answer) }
          usleep(1_000)
        }
      }
    }
  }

  /// What comes from its output until this text is among it.
  ///
  /// - Parameter patience: milliseconds without a byte: what never comes is a fault, not a wait.
  static func written(
    to output: FileHandle, until text: String, patience: Int32
  ) async throws -> String {
    let descriptor = output.fileDescriptor
    return try await withCheckedThrowingContinuation { reply in
      // A thread of its own: reading waits.
      Thread.detachNewThread {
        var all = Data()
        while !String(decoding: all, as: UTF8.self).contains(text) {
          var bytes = [UInt8](repeating: 0, count: 4_096)
          var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          let count =
            unsafe poll(&source, 1, patience) > 0
            ? unsafe read(descriptor, &bytes, bytes.count) : 0
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
}

/// Signals that this process was started to ignore would be ignored by those that it starts, too: a shell
/// does so with what runs in the background.
private func takeSignals() {
  for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { continue }
    let isIgnored = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    if isIgnored { Foundation.signal(number, SIG_DFL) }
  }
}
