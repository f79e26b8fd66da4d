// The command line as a value: what each wrong word says.

import Foundation
import MillraceCommand
import Testing

@Suite struct OptionsTests {
  private func fault(_ arguments: String...) -> UsageError? {
    do {
      _ = try Invocation(arguments)
      return nil
    } catch {
      return error
    }
  }

  // Prevents: an option that is read and then forgotten.
  @Test func everyOption_isRead() throws {
    #expect(try Invocation([]) == .tour(TourOptions()))
    #expect(
      try Invocation(["tour", "--catalogue", "a b.json", "--seed=18446744073709551615", "--json"])
        == .tour(TourOptions(catalogue: "a b.json", seed: .max, output: .json)))
    #expect(
      try Invocation(["--quiet", "--seed", "0"]) == .tour(TourOptions(seed: 0, output: .verdict)))
    #expect(try Invocation(["--catalogue=-"]) == .tour(TourOptions(catalogue: "-")))
    #expect(try Invocation(["--seed", "3", "--help"]) == .help(nil))
    #expect(try Invocation(["--version"]) == .version)
    var play = PlayOptions()
    (play.catalogue, play.seed, play.script) = ("a.json", 3, "-")
    (play.record, play.trace, play.restore) = ("r.jsonl", "t.json", "p.json")
    play.scriptOptions = ScriptOptions(isStrict: true, isQuiet: true)
    #expect(
      try Invocation([
        "play", "--catalogue", "a.json", "--seed=3", "--script", "-", "--record", "r.jsonl",
        "--trace=t.json", "--strict", "--quiet", "--restore", "p.json",
      ]) == .play(play))
  }

  // Prevents: a misspelt option that is ignored, or a message without a way out.
  @Test func unknownWord_namesItAndTheNearest() {
    #expect(fault("--catalog", "f")?.what == "--catalog: there is no such option")
    #expect(fault("--catalog", "f")?.remedy == "Did you mean --catalogue?")
    #expect(fault("tuor")?.remedy == "Did you mean tour?")
    #expect(fault("--zzz")?.remedy == "See millrace --help.")
    #expect(fault("tour", "extra")?.what == "\"extra\": nothing is expected here")
    #expect(fault("--\u{1B}[2J")?.what == "--[2J: there is no such option")
  }

  // Prevents: an option that swallows the next option as its value.
  @Test func missingValue_isTold() {
    #expect(fault("--seed")?.what == "--seed needs a value")
    #expect(fault("--seed", "--json")?.what == "--seed needs a value")
    #expect(fault("--catalogue=")?.what == "--catalogue needs a value")
    #expect(fault("--json=yes")?.what == "--json takes no value")
  }

  // Prevents: a wrong number read as another number.
  @Test(arguments: ["x", "-1", "1.5", "18446744073709551616", " 1", "0x1"])
  func wrongNumber_isTold(text: String) {
    #expect(fault("--seed", text)?.what.hasPrefix("--seed: \"") == true)
  }

  // Prevents: a script, or the books, that are written over under another name.
  @Test func linkToTheSameFile_isRefused() throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    let file = try folder.write([], "a")
    try files.createSymbolicLink(atPath: folder.path("symbolic"), withDestinationPath: "a")
    try files.linkItem(atPath: file, toPath: folder.path("hard"))
    try files.createSymbolicLink(atPath: folder.path("folder"), withDestinationPath: ".")
    for (one, other) in [
      ("a", "symbolic"), ("a", "hard"), ("hard", "symbolic"), ("a", "folder/a"),
      ("new", "folder/new"),
    ] {
      #expect(
        fault("play", "--script", folder.path(one), "--record", folder.path(other))?.what
          == "--script and --record name the same file", "\(one) \(other)")
      #expect(fault("--catalogue", folder.path(one), "--trace", folder.path(other)) != nil)
    }
    #expect(fault("play", "--script", file, "--record", folder.path("new")) == nil)
  }

  // Prevents: one of two contrary wishes that silently wins.
  @Test func contraryOptions_areRefused() {
    #expect(fault("--json", "--quiet")?.what == "--json and --quiet exclude each other")
    for (one, other) in [
      ("--script", "--record"), ("--record", "--restore"), ("--trace", "--restore"),
      ("--catalogue", "--restore"), ("--script", "--restore"), ("--record", "--trace"),
    ] {
      let found = fault("play", one, "a", other, "./b/../a")
      #expect(found?.what == "\(one) and \(other) name the same file")
    }
    #expect(fault("play", "--restore", "-")?.what.contains("standard input") == true)
    #expect(
      fault("open", "a", "--locked", "--signed-out")?.what
        == "--locked and --signed-out exclude each other")
    #expect(fault("play", "--server", "http://a", "--catalogue", "b") != nil)
    #expect(fault("play", "--json")?.what == "--json: there is no such option")
  }

  // Prevents: a file that is not kept, since a second one silently took its place.
  @Test func optionGivenTwice_isRefused() {
    for words in [
      ["play", "--restore", "a", "--restore", "b"], ["play", "--strict", "--strict"],
      ["--json", "--json"], ["--seed", "1", "--seed=2"], ["open", "a", "--locked", "--locked"],
    ] {
      let found = #expect(throws: UsageError.self) { try Invocation(words) }
      #expect(found?.what.hasSuffix(" is given twice") == true, "\(words)")
    }
  }

  // Prevents: help that is an unknown command, or that has to be looked for among that of others.
  @Test func help_isThatOfTheCommand() throws {
    func asked(_ words: String...) throws -> String? {
      guard case .help(let command) = try Invocation(words) else { return "no help" }
      return command?.name
    }
    #expect(try asked("help") == nil)
    #expect(try asked("--help") == nil)
    #expect(try asked("help", "open") == "open")
    #expect(try asked("open", "--help") == "open")
    #expect(try asked("play", "--quiet", "-h") == "play")
    #expect(try asked("tour", "--help") == "tour")
    #expect(fault("help", "opne")?.remedy == "Did you mean open?")
    #expect(fault("help", "open", "x")?.what == "\"x\": nothing is expected here")
  }
}
