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
      (["--kill", "3"], "\"--kill\" is no option"), (["more"], "\"more\" is no option"),
      (["--folder", "/nowhere"], "--folder /nowhere is no folder"),
      (["child"], "wants child JOURNAL"),
      (["child", "j", "u", "a", "1", "not-sent", "x"], "wants child"),
      (["child", "j", "http://127.0.0.1:1", "a", "-5"], "COUNT -5 is no number from 0"),
      (["child", "j", "http://127.0.0.1:1", "a", "x"], "COUNT x is no number"),
      (["child", "j", "http://127.0.0.1:1", "a", "99999999999999999999"], "is no number"),
      (["child", "j", "nonsense", "a", "1"], "\"nonsense\" is no address of a server"),
      (["child", "j", "http://127.0.0.1:1", "", "1"], "the account has no name"),
      (["child", "j", "http://127.0.0.1:1", "a", "1", "x"], "these are: second-key, not-sent"),
      (["child", "/nowhere/j", "http://127.0.0.1:1", "a", "0"], "/nowhere"),
      (["child", "", "http://127.0.0.1:1", "a", "0"], "no path"),
    ])
    func wrongOption_isToldAndNothingIsDone(_ wrong: (words: [String], why: String)) async throws {
      let process = try await FinishedProcess(
        running: try BuiltProduct.url(of: "WriteKill"), wrong.words)
      #expect(process.status == 2 && process.output.isEmpty)
      #expect(process.errors.contains(wrong.why), "\(process.errors)")
    }

    @Test func help_isToldAndNothingIsDone() async throws {
      let process = try await FinishedProcess(
        running: try BuiltProduct.url(of: "WriteKill"), ["--kills", "--help"])
      #expect(process.status == 0 && process.errors.isEmpty)
      for option in ["--kills", "--per-gap", "--faults", "--seed", "--plant", "--folder"] {
        #expect(process.output.contains("  \(option) "), "\(process.output)")
      }
    }

    // Told to end in the middle of a round, it leaves neither its folder nor the process that it kills.
    @Test(.timeLimit(.minutes(15)), arguments: [SIGTERM, SIGINT, SIGHUP])
    func signal_leavesNothing(_ signal: Int32) async throws {
      let folder = try Folder()
      let process = Process()
      process.executableURL = try BuiltProduct.url(of: "WriteKill")
      process.arguments = ["--folder", folder.url.path]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      process.terminationHandler = { _ in end.finish() }
      try ProcessStart.alone { try process.run() }
      // The journal of the first round: the process that writes it runs.
      while !Self.processes(folder.url.path).contains("child") { await Task.yield() }
      kill(process.processIdentifier, signal)
      for await _ in ends {}
      #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
      #expect(!Self.processes(folder.url.path).contains("child"))
    }

    /// The second words of the commands that run and name this folder.
    private static func processes(_ folder: String) -> [String] {
      let files = FileManager.default
      let numbers = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
      return numbers.filter { $0.allSatisfy(\.isNumber) }.compactMap { number in
        guard let line = files.contents(atPath: "/proc/\(number)/cmdline") else { return nil }
        let words = String(decoding: line, as: UTF8.self).split(separator: "\0")
        guard words.count > 2, words.dropFirst(2).contains(where: { $0.hasPrefix(folder) })
        else { return nil }
        return String(words[1])
      }
    }
  }
#endif
