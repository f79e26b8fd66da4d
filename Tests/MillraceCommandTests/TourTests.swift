// The tour as a process: what it prints, that it is the same each time, and how it ends.

import Foundation
import Testing

@Suite struct TourTests {
  private static let sample = """
    [{"id": 1, "title": "A\\nB", "issued": "2008-01-01"},
     {"id": 2, "title": "A\\nB", "issued": "2008-01-01", "authors": null},
     {"id": 3, "title": "C \\u001b[2J", "issued": "2008-01-01", "authors": []},
     {"id": 4, "title": "D", "issued": "2008-01-01", "authors": ["D, E, 1800-1850"]},
     {"id": 5, "title": "E", "issued": "2008-01-01"}]
    """

  // Prevents: a tour that ends well without having gone all the way.
  @Test func tour_isAsExpected() async throws {
    let run = try await MillraceProcess()
    #expect(run.status == 0)
    #expect(run.errors.isEmpty)
    #expect(run.output.contains("As expected: "))
    #expect(run.output.contains("12  The library closes"))
    for line in ["flows alive", "tasks alive", "values lost", "flows still in memory"] {
      #expect(run.output.contains("   \(line) ."), "\(line)")
    }
    let widest = run.output.split(separator: "\n").map(\.count).max() ?? 0
    #expect(widest <= 80)
    #expect(!run.output.contains("\u{1B}"), "no colours where there is no terminal")
  }

  // Prevents: a report that depends on time, threads or hashing.
  @Test func sameSeed_printsTheSame() async throws {
    let first = try await MillraceProcess("--seed", "7")
    for _ in 0..<5 { #expect(try await MillraceProcess("--seed=7").output == first.output) }
    #expect(try await MillraceProcess("--seed", "8").output != first.output)
  }

  // Prevents: expectations that hold for one choice of books only.
  @Test(arguments: ["0", "2", "3", "18446744073709551615"])
  func otherSeeds_areAsExpected(seed: String) async throws {
    let run = try await MillraceProcess("--quiet", "--seed", seed)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("As expected: "))
    #expect(run.output.split(separator: "\n").count == 1)
  }

  // Prevents: output for machines with something else around it, or numbers that do not add up.
  @Test func json_isOneDocument() async throws {
    let run = try await MillraceProcess("--json")
    let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
    #expect(report.verdict == "as expected")
    #expect(report.steps.count == 12)
    #expect(report.totals.flowsAlive == 0 && report.totals.tasksAlive == 0)
    #expect(report.totals.flowsLeaked == 0)
    let refused = report.steps.flatMap(\.entries).compactMap(\.refused?.kind)
    #expect(Dictionary(grouping: refused) { $0 }.mapValues(\.count) == report.totals.refusals)
    let checks = report.steps.flatMap(\.entries).flatMap {
      [$0.check].compactMap(\.self) + ($0.atRest ?? [])
    }
    #expect(checks.count > 100 && checks.allSatisfy(\.isMet))
  }

  // Prevents: a catalogue of the user's own that is read and not used.
  @Test func ownCatalogue_isUsed() async throws {
    let file = try TemporaryFile(TourTests.sample)
    let run = try await MillraceProcess("--catalogue", file.path)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("5 books"))
    #expect(!run.output.contains("\u{1B}"))
  }

  // Prevents: a wrong file that is skipped, or an error without the place, the reason or a remedy.
  @Test(arguments: [
    ("", "is empty"),
    ("{}", "must hold an array of books, but holds an object"),
    ("[1,\n  x]", "is not JSON: line 2, column 3"),
    (
      #"[{"id": 7, "title": "A", "issued": 2008}]"#,
      #"record 1 (id 7, "A"): "issued" must be a string, but is a number"#
    ),
    (
      #"[{"id": 7, "title": "A", "issued": "2008-01-01"}, {"id": 7, "title": "B", "issued": "2008-01-01"}]"#,
      #"id 7 stands in record 1 ("A") and again in record 2 ("B")"#
    ),
    (
      #"[{"id": 7, "title": "A", "issued": "2008-01-01"}]"#,
      "the tour needs 5 books, and the catalogue has 1"
    ),
  ])
  func wrongCatalogue_isExplained(content: String, message: String) async throws {
    let file = try TemporaryFile(content)
    let run = try await MillraceProcess("--catalogue", file.path)
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("millrace: "))
    #expect(run.errors.contains(message))
    #expect(run.errors.split(separator: "\n").count >= 2, "a remedy follows")
  }

  // Prevents: a path that is wrong reported as a file that is wrong.
  @Test func missingCatalogue_isExplained() async throws {
    let run = try await MillraceProcess("--catalogue", "no such file.json")
    #expect(run.status == 66)
    #expect(run.errors.contains("no such file.json: cannot be read: there is no such file"))
  }

  // Prevents: a wrong command line that runs something all the same.
  @Test func wrongUsage_runsNothing() async throws {
    let run = try await MillraceProcess("--sed", "7")
    #expect(run.status == 64)
    #expect(run.output.isEmpty)
    #expect(run.errors == "millrace: --sed: there is no such option\nDid you mean --seed?\n")
  }

  // Prevents: help that goes to the wrong place, or leaves an option out.
  @Test func helpAndVersion_goToTheOutput() async throws {
    let help = try await MillraceProcess("--help")
    #expect(help.status == 0 && help.errors.isEmpty)
    for option in ["--catalogue", "--seed", "--quiet", "--json", "--help", "--version"] {
      #expect(help.output.contains(option))
    }
    let version = try await MillraceProcess("--version")
    #expect(version.status == 0)
    #expect(version.output.hasPrefix("millrace "))
  }
}

/// The part of the JSON document that a test reads.
private struct Report: Decodable {
  struct Step: Decodable { let entries: [Entry] }
  struct Entry: Decodable {
    let refused: Refused?
    let check: Check?
    let atRest: [Check]?
  }
  struct Refused: Decodable { let kind: String }
  struct Check: Decodable { let isMet: Bool }
  struct Totals: Decodable {
    let flowsAlive: Int
    let tasksAlive: Int
    let flowsLeaked: Int
    let refusals: [String: Int]
  }
  let verdict: String
  let steps: [Step]
  let totals: Totals
}
