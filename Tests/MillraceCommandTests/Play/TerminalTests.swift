// The program in a terminal: it can be used by keys, and leaves the terminal as it was.

import Foundation
import LibraryApp
import LibraryServerSupport
import Millrace
import MillraceCommand
import Testing

@Suite(.serialized) struct TerminalTests {
  /// The alternate screen is left, and the cursor shown.
  private static let left = "\u{1B}[?25h\u{1B}[?1049l"

  // Prevents: a program that cannot be used by its keys, or that records something else.
  @Test func keys_driveTheApp() async throws {
    let record = try TemporaryFile("")
    let run = try await TerminalRun(columns: 90, rows: 24, "--record", record.path)
    let begin = try await run.written(until: "Become a member")
    #expect(begin.contains("\u{1B}[?1049h\u{1B}[?25l"))
    #expect(!run.isRestored, "raw mode is on")
    try run.type("\u{1B}[B\u{1B}[B\r")
    _ = try await run.written(until: "What are you called?")
    try run.type("Ada\u{1B}[B\r")
    _ = try await run.written(until: "Four digits")
    try run.type("1815\u{1B}[B\r")
    _ = try await run.written(until: "Moby-Dick")
    try run.type("?")
    _ = try await run.written(until: "go through with it")
    try run.type("x\u{3}")
    _ = try await run.written(until: Self.left)
    #expect(await run.status() == 0)
    #expect(run.isRestored)
    let lines = try String(contentsOfFile: record.path, encoding: .utf8)
    let events = try lines.split(separator: "\n").map { try PlayEvent(line: String($0)) }
    #expect(events.first == .choose("Become a member"))
    #expect(events.contains(.type("Ada", field: "Name")))
    #expect(events.contains(.type("1815", field: "PIN")))
    let replay = try await PlaySessionTests.play(events.map(\.line), ScriptOptions(isStrict: true))
    #expect(replay.wrong.isEmpty)
    #expect(replay.output.contains("SignedInFlow"))
  }

  // Prevents: a terminal in raw mode on its second screen after the program was told to end, or has
  // trapped.
  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGSEGV, SIGILL])
  func signal_leavesTheTerminalAsItWas(number: Int32) async throws {
    let run = try await TerminalRun(columns: 60, rows: 12)
    _ = try await run.written(until: "Become a member")
    run.signal(number)
    _ = try await run.written(until: Self.left)
    #expect(await run.status() == number, "it ends by the signal itself")
    #expect(run.isRestored)
  }

  // The shell sends a signal of its own while the place is being kept.
  // Prevents: the last change of place that is lost with the terminal.
  @Test func closedTerminal_keepsThePlace() async throws {
    let folder = try TemporaryFolder()
    let book = #", {"route": {"book": {"id": 11}}}]]"#
    let place = try folder.write(SignalTests.place.replacing("]]", with: book).utf8)
    let run = try await TerminalRun(
      columns: 90, rows: 24, "--restore", place, "--trace", folder.path("t.txt"))
    _ = try await run.written(until: "The saved place is shown")
    try run.type("\u{1B}[Dl")
    _ = try await run.written(until: "Locked")
    run.signal(SIGHUP)
    run.signal(SIGTERM)
    #expect([SIGHUP, SIGTERM].contains(await run.status()))
    #expect(try SignalTests.savedBook(folder.text("place.json")) == .catalogue)
    #expect(folder.text("place.json")?.contains("locked") == true)
    #expect(folder.text("t.txt")?.contains("LockFlow") == true)
  }

  // Prevents: a recording that is written into the picture.
  @Test func recordingOnTheTerminal_isRefused() async throws {
    let run = try await TerminalRun(columns: 90, rows: 24, "--record", "-")
    let told = try await run.written(until: "such as --record day.jsonl.")
    #expect(told.contains("--record - would write into what is drawn"))
    #expect(await run.status() == 64)
  }

  // Prevents: a window that is too small for anything, and a program that dies of it.
  @Test func tinyTerminal_canBeLeft() async throws {
    let run = try await TerminalRun(columns: 1, rows: 1)
    _ = try await run.written(until: "\u{1B}[?25l")
    try run.type("\u{1B}[B\u{1B}[B\u{1B}[B\rt?gd")
    try run.type("\u{3}")
    _ = try await run.written(until: Self.left)
    #expect(await run.status() == 0)
    #expect(run.isRestored)
  }

  // Prevents: an app that can be played with the library in the process only.
  @Test(.enabled(if: LibraryServerProcess.isPossible, "no python3 on PATH: nothing over HTTP"))
  func server_canBePlayedOn() async throws {
    let folder = try TemporaryFolder()
    let server = try LibraryServerProcess(database: folder.url.appending(path: "library.db"))
    let events =
      PlaySessionTests.joining + [PlayEvent.choose("Alice's Adventures in Wonderland").line]
    let script = try TemporaryFile(events.joined(separator: "\n"))
    let run = try await MillraceProcess(
      "play", "--script", script.path, "--strict", "--server", server.url.absoluteString)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("BookPage"))
    #expect(run.output.contains("0 tasks are alive"))
  }
}
