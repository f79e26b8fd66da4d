// `millrace play` as a process without a terminal: files, errors, exit statuses.

import Foundation
import MillraceCommand
import Testing

@Suite struct PlayProcessTests {
  private let script = [
    PlayEvent.choose("Become a member").line, "nonsense", PlayEvent.back(nil).line,
  ].joined(separator: "\n")

  // Prevents: an error that is told without its line, and a wrong script that counts as a right one.
  @Test func wrongLine_isNamedWithItsNumber() async throws {
    let file = try TemporaryFile(script)
    let free = try await MillraceProcess("play", "--script", file.path)
    #expect(free.status == 0)
    #expect(free.errors.contains("\(file.path.suffix(20)), line 2: is not JSON"))
    #expect(free.output.contains("3  back"))
    let strict = try await MillraceProcess("play", "--script", file.path, "--strict")
    #expect(strict.status == 65)
    #expect(strict.errors.contains("line 2: is not JSON"))
    #expect(!strict.output.contains("3  back"))
  }

  // Prevents: any text that counts as a script that was played.
  @Test func scriptWithoutAnEvent_isWrong() async throws {
    let file = try TemporaryFile("nonsense\n\n{}\n")
    let run = try await MillraceProcess("play", "--script", file.path)
    #expect(run.status == 65)
    #expect(run.errors.contains("no line of it is an event"), "\(run.errors)")
    let blank = try TemporaryFile("\n \n")
    #expect(try await MillraceProcess("play", "--script", blank.path).status == 0)
  }

  // Prevents: a file that cannot be read and counts as an empty script.
  @Test func scriptThatCannotBeRead_isAnError() async throws {
    for path in ["/nowhere/day.jsonl", "/"] {
      let run = try await MillraceProcess("play", "--script", path)
      #expect(run.status == 66)
      #expect(run.errors.contains("\(path) cannot be read"))
    }
    let run = try await MillraceProcess("play", "--script", "/dev/null", "--record", "/nowhere/r")
    #expect(run.status == 74)
    #expect(run.errors.contains("cannot be written to /nowhere/r"))
  }

  // Prevents: a process without standard streams whose own descriptors get their numbers: it reads
  // its input from one of them, writes to another, and says that all went well.
  @Test func closedStreams_areTold() async throws {
    let record = try TemporaryFile("")
    for closed in [">&-", "<&- >&-", "<&- >&- 2>&-"] {
      let run = try await MillraceProcess(
        shell: "play --script /dev/null --record \"$1\" \(closed)", record.path)
      #expect(run.status == 74, "\(closed): \(run.errors)")
      #expect(try Data(contentsOf: URL(filePath: record.path)).isEmpty)
    }
    let run = try await MillraceProcess(shell: "play <&-")
    #expect(run.status == 66)
    #expect(run.errors.contains("the standard input cannot be read: Bad file descriptor"))
  }

  // Prevents: without a terminal a program that waits for keys for ever, or draws on a pipe.
  @Test func withoutATerminal_theInputIsAScript() async throws {
    let run = try await MillraceProcess("play")
    #expect(run.status == 0)
    #expect(run.output.contains("0 events were played"))
    #expect(!run.output.contains("\u{1B}"))
  }

  // Prevents: a recording that is not what was played.
  @Test func recording_isTheScriptWithoutItsWrongLines() async throws {
    let file = try TemporaryFile(script)
    let record = try TemporaryFile("")
    let trace = try TemporaryFile("")
    let run = try await MillraceProcess(
      "play", "--script", file.path, "--record", record.path, "--trace", trace.path, "--quiet")
    #expect(run.status == 0)
    #expect(!run.output.contains("to the host"))
    let lines = try String(contentsOfFile: record.path, encoding: .utf8)
    #expect(
      lines == PlayEvent.choose("Become a member").line + "\n" + PlayEvent.back(nil).line + "\n")
    #expect(try String(contentsOfFile: trace.path, encoding: .utf8).contains("OnboardingFlow"))
  }
}
