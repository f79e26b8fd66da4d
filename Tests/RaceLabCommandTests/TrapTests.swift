import Foundation
import RaceLab
import RaceLabCommand
import Testing

@Suite struct TrapTests {
  // A trap ends the process that meets it. From the shell it is a fault like any other: found, shrunk,
  // reported, and the scenarios after it are explored too.
  @Test func trapInAChild_isFoundShrunkAndReported_andTheSearchGoesOn() async throws {
    let trap = "trap, a continuation resumed twice"
    let json = FileManager.default.temporaryDirectory
      .appending(path: "racelab-trap-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: json) }
    let program = try BuiltProduct.url(of: "race-corpus")
    let search = try await FinishedProcess(
      running: program,
      [
        "explore", trap, "3 lost update", "3 lost update, mended", "--schedules", "300",
        "--json", json.path,
      ])
    #expect(search.status == 1)
    #expect(!search.endedBySignal)
    // Nobody looks at a terminal here.
    #expect(!search.errors.contains("schedules"))
    let reports = try JSONDecoder().decode([SearchReport].self, from: Data(contentsOf: json))
    #expect(reports.map(\.findings.first?.kind) == [.crash, .requirement, nil])
    let finding = try #require(reports.first?.findings.first)
    #expect(finding.message.contains("signal"))
    #expect(finding.deviations > 0 && finding.deviations <= finding.deviationsFound)
    #expect(finding.deviations <= 3)
    // Another process makes the same run, and ends the same way.
    let replay = try await FinishedProcess(
      running: program, ["replay", finding.token],
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(replay.endedBySignal)
    #expect(finding.message.contains("signal \(replay.status)"))
  }

  // The commands find the lines of source where a symbolizer is; without one there are functions.
  @Test func report_namesFunctionsAndLines() async throws {
    let program = try BuiltProduct.url(of: "race-corpus")
    let search = try await FinishedProcess(
      running: program, ["explore", "17 cancelled while idle, stored after it"])
    #expect(search.output.contains("Slot.wait"))
    #expect(search.output.contains("task 1 waits for a continuation to be resumed, in Slot.wait"))
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let hasSymbolizer = path.split(separator: ":").contains { folder in
      FileManager.default.isExecutableFile(atPath: folder + "/llvm-symbolizer")
    }
    #expect(search.output.contains("Slot.wait (WaitPairs.swift:") == hasSymbolizer)
  }
}
