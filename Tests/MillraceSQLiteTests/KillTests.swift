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
      #expect(text.contains("lost 0, double 0, not confirmed 0"), "\(text)")
    }
  }
#endif
