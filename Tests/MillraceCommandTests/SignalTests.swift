// What a signal ends: the place is kept, traces and reports are written, and it ends by the signal.

import Foundation
import LibraryApp
import Millrace
import MillraceCommand
import MillraceRoutes
import Testing

@Suite struct SignalTests {
  static let book = PlayEvent.choose("Alice's Adventures in Wonderland").line
  static let place = """
    {"version": 1, "account": "M1", "stack": [{"route": {"home": {}}, "selected": 0,
     "tabs": [[{"route": {"catalogue": {}}}]]}]}
    """

  static func savedBook(_ text: String?) throws -> LibraryRoute? {
    let saved = try SavedPlace<LibraryRoute>.read(Array((text ?? "").utf8))
    return saved.place.stack.first?.tabs.first?.last?.route
  }

  // The script waits on a pipe, and the change is newer than the last save. Who ends it sends another
  // signal right after the first: of two equal ones the system may make one.
  // Prevents: the last change of place that is lost, and a trace that is not written.
  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func script_keepsThePlaceAndWritesTheTrace(number: Int32) async throws {
    let folder = try TemporaryFolder()
    let place = try folder.write(Self.place.utf8)
    let run = try await PipedRun(
      "play", "--script", "-", "--restore", place, "--trace", folder.path("t.txt"), "--record",
      folder.path("r.jsonl"))
    try run.write(Self.book)
    try await run.written(until: "1  choose")
    run.signal(number)
    let other = number == SIGTERM ? SIGHUP : SIGTERM
    run.signal(other)
    // Which of them is taken first is the system's.
    #expect([number, other].contains(await run.status()), "it ends by the signal itself")
    #expect(try Self.savedBook(folder.text("place.json")) == .book(id: 11))
    #expect(folder.text("t.txt")?.contains("BookPage") == true)
    #expect(folder.text("r.jsonl") == Self.book + "\n")
  }

  // Prevents: a place that is lost since nobody reads the output any more.
  @Test func closedOutput_keepsThePlace() async throws {
    let folder = try TemporaryFolder()
    let place = try folder.write(Self.place.utf8)
    let run = try await PipedRun(
      "play", "--script", "-", "--restore", place, "--trace", folder.path("t.txt"))
    try await run.written(until: "0  the app opens")
    try run.closeOutput()
    try run.write(Self.book)
    #expect(await run.status() == 74)
    #expect(try Self.savedBook(folder.text("place.json")) == .book(id: 11))
    #expect(folder.text("t.txt")?.contains("BookPage") == true)
  }

  // Prevents: a process that goes on for ever at its first signal, since it waits for somebody to read a
  // full pipe.
  @Test func unreadOutput_endsBySignal() async throws {
    let folder = try TemporaryFolder()
    let script = try folder.write(
      String(repeating: PlayEvent.wait(1).line + "\n", count: 20_000).utf8)
    let run = try await PipedRun("play", "--script", script)
    await run.outputIsFull()
    run.signal(SIGTERM)
    #expect(await run.status() == SIGTERM)
  }

  // The first scenario is over soon, the second never.
  // Prevents: the reports of a search of an hour that are lost with it.
  @Test(arguments: [[], ["--in-process"]])
  func search_writesItsReports(options: [String]) async throws {
    let folder = try TemporaryFolder()
    let (short, long) = (
      "a reply is answered once, and one that is dropped says so", "sign-out during lending"
    )
    let run = try await PipedRun(
      arguments: ["explore", short, long, "--strategy", "bounded", "--schedules", "1000000000"]
        + ["--json", folder.path("r.json"), "--junit", folder.path("r.xml")] + options)
    try await run.written(until: "\(short): ")
    run.signal(SIGTERM)
    #expect(await run.status() == SIGTERM)
    #expect(folder.text("r.json")?.contains(short) == true)
    #expect(folder.text("r.xml")?.contains(short) == true)
    #expect(folder.names.sorted() == ["r.json", "r.xml"])
  }

  #if os(Linux)
    // Prevents: a search that goes on for ever, since who began it was killed and could not tell it.
    @Test func killedSearch_takesItsChildAlong() async throws {
      let run = try await PipedRun(
        "explore", "sign-out during lending", "--strategy", "bounded", "--schedules", "1000000000")
      let child = await run.child()
      run.signal(SIGKILL)
      _ = await run.status()
      await child.ended()
    }
  #endif
}
