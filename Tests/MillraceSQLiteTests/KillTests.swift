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
        running: try Self.binary(), ["--kills", "8", "--per-gap", "1", "--faults", faults])
      let text = process.output
      #expect(process.status == 0, "\(text)")
      #expect(text.contains("lost 0, double 0, not confirmed 0"), "\(text)")
    }

    /// The command is built into the folder of the test bundle.
    private static func binary() throws -> URL {
      let candidates =
        CommandLine.arguments.filter { $0.contains(".xctest") }
        + Bundle.allBundles.map(\.bundlePath) + [Bundle.main.bundlePath]
      for candidate in candidates {
        var folder = URL(filePath: candidate)
        for _ in 0..<5 {
          let binary = folder.appending(path: "WriteKill")
          if FileManager.default.isExecutableFile(atPath: binary.path) { return binary }
          folder.deleteLastPathComponent()
        }
      }
      throw NotBuilt()
    }

    struct NotBuilt: Error {}
  }
#endif
