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
  @Test(.timeLimit(.minutes(15))) func tourOverHTTP_isAsExpected() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "live-tour-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try LibraryServerProcess(database: folder.appending(path: "library.db"))
    let run = try await MillraceProcess("--server", server.url.absoluteString)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let log = try await server.log()
    #expect(log.contains { $0.path == "/v1/library/lend" && $0.outcome == "200" })
  }

  @Test func serverOption_needsAnAddress() throws {
    let url = try #require(URL(string: "http://127.0.0.1:8080"))
    #expect(
      try Invocation(["--server", "http://127.0.0.1:8080"]) == .tour(TourOptions(server: url)))
    for wrong in ["", "8080", "127.0.0.1:8080", "ftp://127.0.0.1", "http://"] {
      #expect(throws: UsageError.self) { try Invocation(["--server", wrong]) }
    }
  }
}
