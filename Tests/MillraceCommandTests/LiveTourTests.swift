// The tour against the library server, over HTTP.

import Foundation
import LibraryServerSupport
import MillraceCommand
import Testing

@Suite(
  "Live tour",
  .enabled(if: LibraryServerProcess.isPossible, "no python3 on PATH: no tour over HTTP"))
struct LiveTourTests {
  // What holds with the library in the process must hold with one behind a network.
  // Also prevents: a second day on the same database that wants books which are on loan since the
  // first, with keys that stand for the orders of that day.
  @Test(.timeLimit(.minutes(15))) func tourOverHTTP_isAsExpected_andAgain() async throws {
    let folder = try TemporaryFolder()
    let server = try LibraryServerProcess(database: folder.url.appending(path: "library.db"))
    for day in 1...2 {
      let run = try await MillraceProcess("--server", server.url.absoluteString)
      #expect(run.status == 0, "day \(day): \(run.output)\(run.errors)")
    }
    let log = try await server.log()
    #expect(log.contains { $0.path == "/v1/library/lend" && $0.outcome == "200" })
    let lost = try await MillraceProcess(
      "--server", server.url.appending(path: "elsewhere").absoluteString)
    #expect(lost.status == 69)
    #expect(lost.errors.contains("what answers at \(server.url)/elsewhere is no library server"))
  }

  // Prevents: a tour that waits at each step for a server that is not there, and does not name it.
  @Test func absentServer_isToldBeforeTheDay() async throws {
    let run = try await MillraceProcess("--server", "http://127.0.0.1:1")
    #expect(run.status == 69)
    #expect(run.output.isEmpty)
    #expect(
      run.errors.hasPrefix("millrace: the server at http://127.0.0.1:1 cannot be reached: "),
      "\(run.errors)")
  }

  @Test func serverOption_needsAnAddress() throws {
    let url = try #require(URL(string: "http://127.0.0.1:8080"))
    #expect(
      try Invocation(["--server", "http://127.0.0.1:8080"]) == .tour(TourOptions(server: url)))
    for wrong in [
      "", "8080", "127.0.0.1:8080", "ftp://127.0.0.1", "http://", "http://a:0", "http://a:65536",
      "http://a:99999999999999999999", "http://a:-1", "http://me@a", "http://me:secret@a",
      "http://a?b=c", "http://a/#b",
    ] {
      let fault = #expect(throws: UsageError.self, "\(wrong)") {
        try Invocation(["--server", wrong])
      }
      #expect(fault?.what.contains("secret") != true)
    }
    #expect(throws: Never.self) { try Invocation(["--server", "http://[::1]:65535/library"]) }
  }
}
