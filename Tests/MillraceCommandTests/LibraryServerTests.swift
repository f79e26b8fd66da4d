// The library server as a user starts it.

import Foundation
import LibraryServerSupport
import RaceLabCommand
import Testing

@Suite(.enabled(if: LibraryServerProcess.isPossible, "no python3 on PATH: no server"))
struct LibraryServerTests {
  // Prevents: a server in the background of a script, where the input is empty, that ends at once.
  @Test func withoutAnInput_itRuns() async throws {
    let folder = try TemporaryFolder()
    let server = try LibraryServerProcess(
      database: folder.url.appending(path: "library.db"), endsWithInput: false)
    for _ in 1...20 { #expect(try await server.loans().isEmpty) }
    #expect(server.isRunning)
    // A second one on its port.
    let python = try #require(LibraryServerProcess.python)
    let port = try #require(server.url.port)
    let other = try await FinishedProcess(
      running: python,
      [LibraryServerProcess.script, "--database", folder.path("b.db"), "--port", "\(port)"])
    #expect(other.status == 2)
    #expect(
      other.errors.hasPrefix("library_server.py: cannot listen on port \(port): "),
      "\(other.errors)")
  }

  // Prevents: a fault with a slip in its name, which befalls nobody, and a test that finds nothing.
  @Test func faultThatDoesNotExist_isRefused() async throws {
    let server = try LibraryServerProcess()
    try await server.setFaults(["500", "hold"])
    let failure = await #expect(throws: LibraryServerProcess.Failure.self) {
      try await server.setFaults(["slow", "lose-anwser"])
    }
    guard case .refused(let code, let text) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(code == 400 && text.contains("lose-anwser"))
    for name in [
      "lose-answer", "lose-request", "reset", "500", "500-after", "429", "slow", "hold", "409",
      "401",
    ] {
      #expect(text.contains(name))
      try await server.setFaults([name])
    }
  }

  // Prevents: a connection that is closed without a word, and a page of Python's own for the server's user.
  @Test(arguments: [
    ("/v1/library/nonsense", "{}"), ("/v1/library/register", #"{"name": "Ada"}"#),
    ("/v1/library/lend", "x"), ("/v1/library/register", "[]"), ("/control/faults", "x"),
    ("/control/faults", #"{"faults": "500"}"#), ("/control/faults", #"{"faults": [["500"], 5]}"#),
    ("/v1/library/giveBack", #"{"book": 1000000000000000000000000000000}"#),
    ("/v1/library/lend", String(repeating: "[", count: 100_000)),
    ("/v1/library/answer", "{}"),
  ])
  func wrongCall_isAnswered(_ call: (path: String, body: String)) async throws {
    let server = try LibraryServerProcess()
    let card = try await server.answer("/v1/library/register", #"{"name": "Ada", "pin": "1815"}"#)
    #expect(card.code == 200)
    let token = try await server.answer("/v1/library/signIn", card.text).text
    let words = token.split(separator: "\"")
    let answer = try await server.answer(
      call.path, call.body, token: words.last { $0.allSatisfy(\.isNumber) })
    #expect(answer.code == 400 && answer.text.contains("error"), "\(answer)")
  }

  // Prevents: calls that change something and are never put to the test.
  @Test(arguments: [
    ("register", #"{"name": "Ben", "pin": "1816"}"#, 1),
    ("lend", #"{"books": [11], "key": "k"}"#, 1),
    ("giveBack", #"{"book": 11}"#, 1), ("addToReadingList", #"{"book": 11}"#, 1),
    ("removeFromReadingList", #"{"book": 11}"#, 1), ("save", #"{"book": 11, "text": "x"}"#, 1),
    ("renew", "{}", 1), ("revoke", "{}", 1), ("eligibility", #"{"book": 11}"#, 0),
    ("loans", "{}", 0),
    ("readingList", "{}", 0), ("answer", #"{"key": "k"}"#, 0),
  ])
  func fault_befallsWhatChangesSomething(
    _ call: (name: String, body: String, faults: Int)
  ) async throws {
    let server = try LibraryServerProcess()
    let card = try await server.answer("/v1/library/register", #"{"name": "Ada", "pin": "1815"}"#)
    let member = try await server.answer("/v1/library/signIn", card.text).text
    let token = member.split(separator: "\"").last { $0.allSatisfy(\.isNumber) }
    try await server.setFaults(["500"])
    var codes: [Int] = []
    for _ in 0..<2 {
      codes.append(
        try await server.answer("/v1/library/\(call.name)", call.body, token: token).code)
    }
    #expect(codes == (call.faults == 1 ? [500, 200] : [200, 200]))
  }

  // Prevents: a server that reads for ever, or all of its memory full.
  @Test func bodyWithoutMeasure_isRefused() async throws {
    let server = try LibraryServerProcess()
    let answer = try await server.answer(
      "/v1/writes/k", String(repeating: "x", count: 1 << 20 + 1))
    #expect(answer.code == 413 && answer.text.contains("1048576"), "\(answer)")
  }

  // Prevents: a page of Python's own for a slip of the user.
  @Test(arguments: [
    (["--port", "99999"], "'99999' is no number from 0 to 65535"),
    (["--port", "http"], "'http' is no number"), (["--faults", "nan"], "'nan' is no number"),
    (["--seed", "x"], "argument --seed: 'x' is no number from 0 to"),
    (["--seed", "-1"], "'-1' is no number"), (["--confirm-after", "1.5"], "'1.5' is no number"),
    (["--database", ""], "argument --database: it is empty"),
    (["--see", "1"], "unrecognized arguments: --see 1"), (["more"], "unrecognized arguments: more"),
    (["--today", "2024-13-01"], "'2024-13-01' is no day"),
    (["--today", "9999-12-31"], "no book can be lent on 9999-12-31"),
    (["--database", "/nowhere/library.db"], "the database /nowhere/library.db cannot be used"),
    (["--catalogue", "/nowhere.json"], "the catalogue /nowhere.json cannot be read"),
    (["--catalogue", LibraryServerProcess.script], "is no list of books in JSON"),
  ])
  func wrongOption_isToldInALine(wrong: (options: [String], why: String)) async throws {
    let python = try #require(LibraryServerProcess.python)
    let run = try await FinishedProcess(
      running: python,
      [LibraryServerProcess.script, "--database", ":memory:"] + wrong.options)
    #expect(run.status == 2)
    #expect(run.errors.contains(wrong.why), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
  }
}
