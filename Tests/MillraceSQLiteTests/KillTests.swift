// A short run of the command that kills a process while it writes; the long one is `WriteKill`.

#if SQLite
  import Foundation
  import LibraryServerSupport
  import RaceLabCommand
  import Testing

  @Suite(
    "Kill",
    .enabled(if: LibraryServerProcess.isPossible, "no python3 on PATH: nothing is killed"))
  struct KillTests {
    // A process that dies between two phases: nothing that was told as kept is lost or done twice.
    @Test(.timeLimit(.minutes(15)), arguments: ["0", "0.2"])
    func killedProcess_losesAndDoublesNothing(_ faults: String) async throws {
      let process = try await FinishedProcess(
        running: try BuiltProduct.url(of: "WriteKill"),
        ["--kills", "8", "--per-gap", "1", "--faults", faults])
      let text = process.output
      #expect(process.status == 0, "\(text)")
      #expect(
        text.contains("lost 0, double 0, asked for by nobody 0, not confirmed 0"), "\(text)")
    }

    // A count that cannot be anything but 0 proves nothing.
    @Test(
      .timeLimit(.minutes(15)),
      arguments: [
        ("second-key", ["double", "asked for by nobody"]), ("not-sent", ["lost"]),
      ])
    func plantedFault_isCounted(_ planted: (name: String, counts: [String])) async throws {
      let process = try await FinishedProcess(
        running: try BuiltProduct.url(of: "WriteKill"),
        ["--kills", "2", "--per-gap", "0", "--plant", planted.name])
      #expect(process.status == 1)
      let counts = process.output.matches(
        of: /(lost|double|asked for by nobody|not confirmed) ([0-9]+)/)
      #expect(counts.count == 4, "\(process.output)")
      let counted = Set(counts.filter { $0.2 != "0" }.map { String($0.1) })
      #expect(counted == Set(planted.counts), "\(process.output)")
    }

    @Test(arguments: [
      (["--kills", "0"], "--kills 0 is no number from 1"), (["--kills"], "--kills needs a value"),
      (["--faults", "nan"], "--faults nan is no share"),
      (["--seed", "-1"], "--seed -1 is no number"),
      (["--plant", "x"], "these are: second-key, not-sent"),
      (["--kill", "3"], "--kill is no option"),
    ])
    func wrongOption_isToldAndNothingIsDone(_ wrong: (words: [String], why: String)) async throws {
      let process = try await FinishedProcess(
        running: try BuiltProduct.url(of: "WriteKill"), wrong.words)
      #expect(process.status == 2 && process.output.isEmpty)
      #expect(process.errors.contains(wrong.why), "\(process.errors)")
    }
  }
#endif
