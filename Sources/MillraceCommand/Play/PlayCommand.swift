// `millrace play`: the app in the lab, driven by a terminal or by a script. In the lab time passes by
// events only, so a recording of a session leads to the same end whenever it is played.

import Foundation
import LibraryApp
import Millrace
import MillraceTrace
import RaceLab
import RaceLabCommand
import TerminalHooks

enum PlayCommand {
  /// Plays, and says how the process is to end.
  static func run(_ options: PlayOptions) async -> ExitStatus {
    do {
      let catalogue = try Catalogue(file: options.catalogue)
      let script = try source(of: options).map { path throws(ScriptFile.Unreadable) in
        try ScriptFile(path)
      }
      let place: PlaceFile? =
        if let path = options.restore {
          try await PlaceFile(path, isInProcess: options.server == nil)
        } else { nil }
      // From here on there is a place to save, or a trace to write, before a signal ends it.
      EndSignal.catchAll()
      return try await Lab.run(outsideLimit: .seconds(90), stepLimit: .max) { lab in
        try await play(lab, options, catalogue, script: script, place)
      }
    } catch {
      return Main.tell(error, otherwise: "the session has ended", remedy: "Start it again.")
    }
  }

  /// The script's path, or nil for the terminal.
  private static func source(of options: PlayOptions) throws(UsageError) -> String? {
    if let script = options.script { return script }
    let kind = millrace_terminal_kind()
    guard kind & 1 != 0 else { return "-" }
    guard kind & 2 != 0, ProcessInfo.processInfo.environment["TERM"] != "dumb" else {
      throw UsageError(
        "there is no terminal that can be drawn on",
        remedy: "Give a script: --script FILE, or --script - for the standard input.")
    }
    guard options.scriptOptions == ScriptOptions() else {
      throw UsageError(
        "--strict and --quiet are for scripts", remedy: "Leave them out, or add --script FILE.")
    }
    guard options.record != "-" else {
      throw UsageError(
        "--record - would write into what is drawn",
        remedy: "Name a file, such as --record day.jsonl.")
    }
    return nil
  }

  @MainActor
  private static func play(
    _ lab: Lab, _ options: PlayOptions, _ catalogue: Catalogue, script: ScriptFile?,
    _ place: PlaceFile?
  ) async throws -> ExitStatus {
    let seed = Seed.drawn(options.seed, for: options.server)
    let session =
      if let server = options.server {
        await PlaySession(lab, server: server, seed: seed)
      } else {
        await PlaySession(lab, catalogue: catalogue, seed: seed)
      }
    let recorder = options.trace.map { _ in TraceRecorder(clock: session.runtime.clock) }
    if let recorder { session.runtime.addSink(recorder) }
    let recording: EventRecording?
    do throws(FileFault) {
      recording =
        if let path = options.record { try EventRecording(path: path) } else { nil }
    } catch { return cannotRecord(error) }
    let played: @MainActor (PlayEvent) throws -> Void = { event in
      try recording?.add(event)
      if script != nil, EndSignal.caught != nil { throw ScriptFile.Interrupted() }
    }
    var faults: [PlaceFile.Fault] = []
    if let place {
      // What is told while the terminal is drawn on is told after it.
      await session.keepPlace(in: place) { fault in
        faults.append(fault)
        if script != nil { Main.tell(fault) }
      }
    }
    var status: ExitStatus
    do {
      status =
        if let script {
          try await playScript(session, script, options.scriptOptions, played)
        } else {
          try await playTerminal(session, played)
        }
    } catch let fault as FileFault {
      status = cannotRecord(fault)
    }
    await session.end()
    if script == nil { for fault in faults { Main.tell(fault) } }
    if status == .asExpected {
      status = faults.map(\.status).first { $0 != .asExpected } ?? .asExpected
    }
    if let path = options.trace, let recorder, !Main.write(recorder.recording, to: path) {
      status = .noOutput
    }
    // The signal's own action, now that all is kept.
    EndSignal.dieIfCaught()
    return status
  }

  private struct OutputFailed: Error {}

  private static func cannotRecord(_ fault: FileFault) -> ExitStatus {
    Main.complain(
      "the events cannot be written to \(printable(fault.path)): \(fault.reason)",
      remedy: "Name a file in a folder that exists, on a disk that is not full.")
    return .noOutput
  }

  // MARK: - Script

  @MainActor
  private static func playScript(
    _ session: PlaySession, _ file: ScriptFile, _ options: ScriptOptions,
    _ played: @escaping @MainActor (PlayEvent) throws -> Void
  ) async throws -> ExitStatus {
    do {
      let name = file.name
      let output = ScriptRun.Output(
        happened: { text in
          guard Main.print(text) == .asExpected else { throw OutputFailed() }
        },
        wrong: { line in
          Main.complain(
            "\(printable(name)), line \(line.number): \(line.what)", remedy: line.remedy)
        }, played: played)
      var run = ScriptRun(session, options, output)
      switch try await run.play(file.lines) {
      case .played: return .asExpected
      case .nothing:
        Main.complain(
          "\(printable(name)): no line of it is an event",
          remedy: "Is it a script? \(LineFault.example)")
        return .wrongData
      case .stopped: return .wrongData
      case .different(let fault):
        Main.complain(fault, remedy: "This is a fault of Millrace: keep the script.")
        return .different
      }
    } catch let error as ScriptFile.Unreadable {
      return Main.tell(error)
    } catch is ScriptFile.Interrupted {
      return .different
    } catch is OutputFailed {
      return .noOutput
    }
  }

  // MARK: - Terminal

  @MainActor
  private static func playTerminal(
    _ session: PlaySession, _ played: @escaping @MainActor (PlayEvent) throws -> Void
  ) async throws -> ExitStatus {
    let ending: Console.Ending
    do {
      let terminal = try Terminal(hasColour: Main.hasColour)
      // Whatever is told after this is told on the first screen.
      defer { terminal.leave() }
      var console = Console(session, terminal, played: played)
      ending = try await console.play()
    } catch let error as Terminal.Failure {
      // One that was closed is told by a signal.
      guard EndSignal.caught == nil else { return .different }
      Main.complain(
        "the terminal cannot be used: \(error.what)", remedy: "Play a script: --script FILE.")
      return .noOutput
    }
    switch ending {
    case .left: return .asExpected
    case .signal: return .different
    case .different(let fault):
      Main.complain(fault, remedy: "This is a fault of Millrace: play it again with --record.")
      return .different
    }
  }
}
