import Foundation
import RaceLab
import RaceLabCommand
import Testing

// The back end that is chosen stays for the process: the other one is tried in a process of its own.
@Suite struct FallbackTests {
  private static func run(_ arguments: String...) async throws -> FinishedProcess {
    try await FinishedProcess(
      running: try BuiltProduct.url(of: "race-corpus"), arguments,
      environment: ["RACELAB_BACKEND": "hooks", "SWIFT_BACKTRACE": "enable=no"])
  }

  // Where the executors cannot be replaced there has to be a lab all the same, and it must say what it
  // does not see, or "no fault" is taken for more than it is.
  @Test func backEndWithoutTheExperimentalInterface_findsFaultsAndSaysWhatItMisses() async throws {
    // On the main actor alone, and with streams, locks and continuations on it.
    for fault in [
      "7 vote of an old term is counted", "16 cancelled reader leaves an empty waiting state",
      "17 cancelled while idle, stored after it", "26 two locks in opposite order",
      "33 unsubscribing while another registers", "35 one step after twenty-five of another",
    ] {
      let faulty = try await Self.run("explore", fault, "--in-process", "--schedules", "2000")
      #expect(faulty.status == 1, "\(fault): \(faulty.output)\(faulty.errors)")
      #expect(faulty.output.contains("not controlled here: "))
      #expect(faulty.output.contains("sleep"))
      let mended = try await Self.run(
        "explore", "\(fault), mended", "--in-process", "--schedules", "500")
      #expect(mended.status == 0, "\(fault): \(mended.output)\(mended.errors)")
    }
  }

  // A token is of no use if only the back end that made it can repeat it in one process.
  @Test func tokenOfTheFallback_repeatsInAnotherProcess() async throws {
    let search = try await Self.run(
      "explore", "26 two locks in opposite order", "--in-process", "--schedules", "2000")
    let words = search.output.split(whereSeparator: \.isWhitespace)
    let token = try #require(words.first { $0.hasPrefix("rl1-") })
    let replay = try await Self.run("replay", String(token))
    #expect(replay.status == 1, "\(replay.output)\(replay.errors)")
    #expect(replay.output.contains("deadlock"))
  }
}
