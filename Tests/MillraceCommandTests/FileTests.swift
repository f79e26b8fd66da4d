// Files of commands: why they cannot be used is told in words, pipes are read and written, and what holds
// secrets is closed to others.

import Foundation
import MillraceCommand
import Testing

@Suite struct FileTests {
  // Prevents: an output that is not written, and nobody is told why.
  @Test func outputThatCannotBeWritten_saysWhy() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("x".utf8, "file")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("dangling"), withDestinationPath: folder.path("nowhere"))
    for (path, why) in [
      (folder.url.path, "Is a directory"), (folder.path("none/x"), "No such file or directory"),
      (file + "/x", "Not a directory"),
    ] {
      for option in ["--trace", "--record"] {
        let run = try await MillraceProcess("play", "--script", "/dev/null", option, path)
        #expect(run.status == 74)
        #expect(run.errors.contains("cannot be written to \(path): \(why)"), "\(run.errors)")
      }
      let explored = try await MillraceProcess(
        "explore", "dismissal during lending", "--json", path)
      #expect(explored.status == 2)
      #expect(explored.errors == "Cannot write \(path): \(why).\n")
    }
    let traced = try await MillraceProcess("--quiet", "--trace", folder.path("dangling"))
    #expect(traced.status == 74)
    #expect(traced.errors.contains("it is a link that leads nowhere"), "\(traced.errors)")
    #expect(folder.names.sorted() == ["dangling", "file"])
  }

  // Prevents: an error in the words of a library.
  @Test func reportThatCannotBeRead_saysWhy() async throws {
    let folder = try TemporaryFolder()
    for (path, why) in [
      (folder.url.path, "Is a directory"), (folder.path("x"), "No such file or directory"),
    ] {
      let run = try await MillraceProcess("merge", path)
      #expect(run.status == 2)
      #expect(run.errors == "Cannot read \(path): \(why).\n")
    }
  }

  // Prevents: a link that is replaced by a file although it should lead elsewhere.
  @Test func linkThatLeadsNowhere_isNoPlace() async throws {
    let folder = try TemporaryFolder()
    let link = folder.path("place.json")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder.path("nowhere"))
    let run = try await MillraceProcess("play", "--script", "/dev/null", "--restore", link)
    #expect(run.status == 66)
    #expect(run.errors.contains("it is a link that leads nowhere"), "\(run.errors)")
    #expect(folder.names == ["place.json"])
    let kind = try FileManager.default.attributesOfItem(atPath: link)[.type]
    #expect(kind as? FileAttributeType == .typeSymbolicLink)
  }

  // Prevents: a program that waits for ever for a reader.
  @Test func pipeThatNobodyReads_isNotWrittenTo() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    for option in ["--record", "--trace"] {
      let run = try await MillraceProcess("play", "--script", "/dev/null", option, pipe)
      #expect(run.status == 74)
      #expect(run.errors.contains("it is a pipe, and nobody reads it"), "\(run.errors)")
    }
  }

  // Prevents: a program that waits for ever for a writer, without a word; or that takes a pipe for empty.
  @Test func pipeThatNobodyWritesTo_isWaitedFor() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    for arguments in [
      ["play", "--script", pipe], ["play", "--catalogue", pipe, "--script", "/dev/null"],
    ] {
      let run = try await PipedRun(arguments: arguments)
      try await run.written(until: "waiting for somebody to write to \(pipe)")
      let text =
        arguments[1] == "--script"
        ? PlayEvent.choose("Become a member").line
        : #"[{"id": 1, "title": "T", "authors": [], "issued": "2008-06-27"}]"#
      let writer = try FileHandle(forWritingTo: URL(filePath: pipe))
      try writer.write(contentsOf: Data((text + "\n").utf8))
      try writer.close()
      let end = try await run.written(until: "tasks are alive")
      #expect(end.contains(arguments[1] == "--script" ? "1 events were played" : "0 events"))
      #expect(await run.status() == 0)
    }
  }

  // Process substitution, as shells have it.
  @Test func streams_areReadAndWritten() async throws {
    let run = try await MillraceProcess(
      shell: "play --script /dev/stdin --record /dev/stdout --quiet <<'E'\n"
        + PlayEvent.choose("Become a member").line + "\nE\n")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.hasPrefix(PlayEvent.choose("Become a member").line + "\n\n1 events"))
  }

  // What was typed is in it: PINs.
  // Prevents: a recording that everybody may read.
  @Test(arguments: [true, false])
  func recording_isClosedToOthers(isThere: Bool) async throws {
    let folder = try TemporaryFolder()
    let record = folder.path("day.jsonl")
    if isThere {
      _ = try folder.write("old".utf8, "day.jsonl")
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: record)
    }
    let run = try await MillraceProcess("play", "--script", "/dev/null", "--record", record)
    #expect(run.status == 0)
    let mode = try FileManager.default.attributesOfItem(atPath: record)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o600)
    #expect(folder.text("day.jsonl") == "")
  }

  // Prevents: a file that was closed to writing, replaced all the same, since its folder is open.
  @Test(arguments: ["--trace", "--record", "--restore", "--json"])
  func readOnlyFile_isNotReplaced(option: String) async throws {
    let folder = try TemporaryFolder()
    let place = #"{"version": 1, "account": "M1", "stack": [{"route": {"home": {}}}]}"#
    let file = try folder.write(place.utf8, "kept")
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file)
    let command =
      option == "--json"
      ? ["explore", "dismissal during lending", "--schedules", "1"]
      : ["play", "--script", "/dev/null"]
    let run = try await MillraceProcess(command + [option, file])
    #expect(run.status == (option == "--json" ? 2 : 74))
    // In the words of the system for who is no superuser.
    #expect(
      run.errors.contains("it may only be read") || run.errors.contains("Permission denied"),
      "\(run.errors)")
    #expect(folder.text("kept") == place && folder.names == ["kept"])
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
    #expect((mode as? NSNumber)?.intValue == 0o444)
  }

  // As in other tools.
  // Prevents: a file of the name "-".
  @Test(arguments: [
    (["play", "--script", "/dev/stdin", "--quiet", "--record", "-"], #"{"do":"wait"}"#),
    (["play", "--script", "/dev/stdin", "--quiet", "--trace", "-"], "flow"),
    (["--quiet", "--trace", "-"], "flow"),
    (["explore", "dismissal during lending", "--schedules", "1", "--json", "-"], "\"schedules\""),
  ])
  func dash_isTheStandardOutput(_ arguments: [String], _ written: String) async throws {
    let run = try await MillraceProcess(
      shell: arguments.map { "'\($0)'" }.joined(separator: " ") + " <<'E'\n{\"do\": \"wait\"}\nE\n")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains(written), "\(run.output)")
    #expect(!FileManager.default.fileExists(atPath: "-"))
  }
}
