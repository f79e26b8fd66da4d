// The process that writes, as the one that kills it has it in hand.

#if SQLite
  import Foundation
  import RaceLabCommand
  import Synchronization

  /// A process that was started, and what it wrote.
  struct Started {
    private let process: Process
    private let output: Pipe

    /// Starts this program with other arguments. It ends with this one, also if that is told to end.
    init(_ words: [String]) throws {
      let process = Process()
      process.executableURL = Bundle.main.executableURL
      process.arguments = words
      process.standardInput = FileHandle.nullDevice
      output = try ProcessStart.alone {
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        return output
      }
      self.process = process
      AtHand.one.set(process.processIdentifier)
    }

    /// Kills it. False if it had come to its end before.
    func kill() -> Bool {
      let wasRunning = process.isRunning
      if wasRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
      wait()
      return wasRunning && process.terminationReason == .uncaughtSignal
    }

    /// All whole lines, after its end.
    func lines() -> [String] {
      let data = output.fileHandleForReading.readDataToEndOfFile()
      wait()
      var lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
      lines.removeLast()
      return lines
    }

    private func wait() {
      process.waitUntilExit()
      AtHand.one.set(nil)
    }
  }

  /// The process that runs now, for the thread that hears of a signal: whoever waits for it goes on, and
  /// finds that it is time to end.
  final class AtHand: Sendable {
    static let one = AtHand()
    private let state = Mutex<(process: pid_t?, isOver: Bool)>((nil, false))

    func set(_ process: pid_t?) {
      state.withLock { state in
        state.process = process
        if state.isOver, let process { kill(process, SIGKILL) }
      }
    }

    func end() {
      state.withLock { state in
        state.isOver = true
        if let process = state.process { kill(process, SIGKILL) }
      }
    }
  }
#endif
