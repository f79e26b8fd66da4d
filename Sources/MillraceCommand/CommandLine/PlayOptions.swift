// What `millrace play` is told.

import Foundation

/// The options of `millrace play`.
package struct PlayOptions: Equatable {
  /// The catalogue's path; nil for the one that is built in.
  package var catalogue: String?
  /// The library server to talk to; nil for the library in the process.
  package var server: URL?
  /// What latency and keys are drawn from; nil if the user does not say, see `Seed`.
  package var seed: UInt64?
  /// The script's path, "-" for the standard input; nil for the terminal, if there is one.
  package var script: String?
  /// How a script is played.
  package var scriptOptions = ScriptOptions()
  /// Where the events are written; nil for nowhere.
  package var record: String?
  /// Where the trace is written; its ending says how. Nil for nowhere.
  package var trace: String?
  /// Where the place is kept: the play starts from it. Nil for nowhere.
  package var restore: String?

  package init() {}
}

extension PlayOptions: CommandOptions {
  static let command = Subcommand.play

  mutating func take(_ word: Words.Word, _ words: inout Words) throws(UsageError) -> Bool {
    switch word.name {
    case "--catalogue": catalogue = try words.catalogue(of: word)
    case "--server": server = try words.server(of: word)
    case "--seed": seed = try words.seed(of: word)
    case "--trace": trace = try words.trace(of: word)
    case "--script": script = try words.value(of: word, like: "a file, such as day.jsonl")
    case "--record": record = try words.value(of: word, like: "a file to write, such as day.jsonl")
    case "--restore":
      restore = try words.value(of: word, like: "a file to read and write, such as place.json")
    case "--strict": scriptOptions.isStrict = try words.flag(word)
    case "--quiet": scriptOptions.isQuiet = try words.flag(word)
    default: return false
    }
    return true
  }

  func invocation() throws(UsageError) -> Invocation {
    try requireDifferentFiles([
      ("--script", script == "-" ? nil : script), ("--catalogue", catalogue), ("--record", record),
      ("--trace", trace), ("--restore", restore),
    ])
    if server != nil, catalogue != nil {
      throw UsageError(
        "--server and --catalogue exclude each other",
        remedy: "Leave one out; a server has books of its own.")
    }
    if restore == "-" {
      throw UsageError(
        "--restore cannot be the standard input: the place is written there, too",
        remedy: "Give a file, such as --restore place.json.")
    }
    return .play(self)
  }
}
