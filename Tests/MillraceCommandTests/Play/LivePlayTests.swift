// `millrace play` on a library server, over HTTP.

import Foundation
import LibraryServerSupport
import MillraceCommand
import Testing

@Suite(.enabled(if: LibraryServerProcess.isPossible, "no python3 on PATH: nothing over HTTP"))
struct LivePlayTests {
  // The server remembers keys from one launch to the next.
  // Prevents: the first order of each launch with the key of the launch before: it is refused, or
  // taken for that order if it is the same.
  @Test func keys_areDrawnAnewAtEachLaunch_unlessASeedIsGiven() async throws {
    let folder = try TemporaryFolder()
    let server = try LibraryServerProcess(database: folder.url.appending(path: "library.db"))
    func outcomes(of book: String, _ options: String...) async throws -> [String] {
      let before = try await server.log().count
      let day =
        PlaySessionTests.joining
        + [
          PlayEvent.choose("Lend a book"), .choose(book), .choose("Take it"), .wait(nil),
          .choose("Lend it"), .wait(nil),
        ].map(\.line)
      let script = try TemporaryFile(day.joined(separator: "\n"))
      let run = try await MillraceProcess(
        ["play", "--script", script.path, "--strict", "--server", server.url.absoluteString]
          + options)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      return try await server.log().dropFirst(before).filter { $0.path == "/v1/library/lend" }
        .map(\.outcome)
    }
    #expect(try await outcomes(of: "Alice's Adventures in Wonderland") == ["200"])
    #expect(try await outcomes(of: "The Mayflower Compact") == ["200"])
    let constitution = "The United States Constitution"
    #expect(try await outcomes(of: constitution, "--seed", "7") == ["200"])
    let speech = "Give Me Liberty or Give Me Death"
    #expect(try await outcomes(of: speech, "--seed", "7") == ["keyInUse"])
  }
}
