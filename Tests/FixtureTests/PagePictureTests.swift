// What README.md shows as the output of a command is what that command prints.

import Foundation
import RaceLabCommand
import Testing

// Where code goes on is seen in full on Linux, and the lines are those of a debug build.
#if os(Linux) && DEBUG
  struct PagePictureTests {
    // Prevents: a picture of a tree that no app of this version has.
    @Test func theTreeIsThatOfTheTour() async throws {
      let tree = try block("runtime\n")
      let tour = try await printed(by: "millrace", ["tour"])
      let drawn = tree.split(separator: "\n").map { "     \($0)" }.joined(separator: "\n")
      #expect(tour.contains(drawn), "Show a tree that 'swift run millrace' prints.")
    }

    // Prevents: a report in a form that the lab does not print any more.
    @Test func theRaceIsThatOfTheCorpus() async throws {
      let name = "23 result written to a dismissed screen"
      let report = try await printed(by: "race-corpus", ["explore", name])
      #expect(
        try block("\(name): ") == report,
        "Show what 'swift run race-corpus explore \"\(name)\"' prints.")
    }

    /// The block of README.md that begins so.
    private func block(_ beginning: String) throws -> String {
      let page = try String(
        contentsOf: Fixture.packageRoot.appending(path: "README.md"), encoding: .utf8)
      // Every second part is in a block; its first line is the language, here none.
      let parts = page.components(separatedBy: "\n```").enumerated()
      let blocks = parts.filter { $0.offset % 2 == 1 }.map { String($0.element.dropFirst()) }
      return try #require(blocks.first { $0.hasPrefix(beginning) }, "README.md has no such block.")
    }

    /// What a program prints, without spaces at the ends of lines and empty lines at the end.
    private func printed(by program: String, _ arguments: [String]) async throws -> String {
      let process = try await FinishedProcess(
        running: try BuiltProduct.url(of: program), arguments)
      let lines = process.output.split(separator: "\n", omittingEmptySubsequences: false)
        .map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
      return lines.reversed().drop { $0.isEmpty }.reversed().joined(separator: "\n")
    }
  }
#endif
