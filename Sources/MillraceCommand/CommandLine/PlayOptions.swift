// What `millrace play` is told.

import Foundation

/// The options of `millrace play`.
package struct PlayOptions: Equatable {
  /// The catalogue's path; nil for the one that is built in.
  package var catalogue: String?
  /// The library server to talk to; nil for the library in the process.
  package var server: URL?
  /// What latency and keys are drawn from.
  package var seed: UInt64 = 1
  /// The script's path, "-" for the standard input; nil for the terminal, if there is one.
  package var script: String?
  /// How a script is played.
  package var scriptOptions = ScriptOptions()
  /// Where the events are written; nil for nowhere.
  package var record: String?
  /// Where the trace is written; its ending says how. Nil for nowhere.
  package var trace: String?

  package init() {}

  /// Reads the words after `play`.
  static func invocation(_ words: inout Words) throws(UsageError) -> Invocation {
    var options = PlayOptions()
    while let word = words.next() {
      switch word.name {
      case "-h", "--help":
        try words.refuseValue(of: word)
        return .help
      case "--version":
        try words.refuseValue(of: word)
        return .version
      case "--catalogue":
        options.catalogue = try words.value(of: word, like: "a file, such as books.json")
      case "--server": options.server = try words.server(of: word)
      case "--seed": options.seed = try words.seed(of: word)
      case "--script":
        options.script = try words.value(of: word, like: "a file, such as day.jsonl")
      case "--record":
        options.record = try words.value(of: word, like: "a file to write, such as day.jsonl")
      case "--trace":
        options.trace = try words.value(of: word, like: "a file to write, such as trace.json")
      case "--strict":
        try words.refuseValue(of: word)
        options.scriptOptions.isStrict = true
      case "--quiet":
        try words.refuseValue(of: word)
        options.scriptOptions.isQuiet = true
      default: throw UsageError(unknown: word.name, among: Subcommand.play.options)
      }
    }
    if let script = options.script, script != "-", script == options.record {
      throw UsageError(
        "--script and --record name the same file", remedy: "Record into another one.")
    }
    if options.server != nil, options.catalogue != nil {
      throw UsageError(
        "--server and --catalogue exclude each other",
        remedy: "Leave one out; a server has books of its own.")
    }
    return .play(options)
  }
}
