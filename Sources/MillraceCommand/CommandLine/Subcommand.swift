// The commands that `millrace` knows, as a table: the help text and the parser read it.

/// A command of `millrace`.
package struct Subcommand: Equatable, Sendable {
  package let name: String
  let summary: String
  let options: [Option]

  struct Option: Equatable, Sendable {
    let name: String
    var value: String?
    let summary: String
  }

  /// What runs when no command is named.
  static let tour = Subcommand(
    name: "tour", summary: "a day at the library, checked step by step (the default)",
    options: [
      Option(name: "--catalogue", value: "FILE", summary: "read the books from FILE (JSON)"),
      Option(name: "--server", value: "URL", summary: "talk to the library server at URL"),
      Option(
        name: "--seed", value: "N",
        summary: "draw books, latency, keys from N (1; by chance with --server)"),
      Option(
        name: "--trace", value: "FILE",
        summary: "write a trace: .json for Perfetto, .mmd for Mermaid, else text"),
      Option(name: "--quiet", summary: "print the verdict only"),
      Option(name: "--json", summary: "print one JSON document"),
      Option(name: "--help", summary: "print this"),
      Option(name: "--version", summary: "print the version"),
    ])

  /// The app in a terminal, or by a script.
  static let play = Subcommand(
    name: "play", summary: "the library app in this terminal, or by a script of events",
    options: [
      Option(
        name: "--script", value: "FILE",
        summary: "play events from FILE, one JSON object a line; - is the standard input"),
      Option(name: "--strict", summary: "end at the first wrong line of a script"),
      Option(name: "--quiet", summary: "print the end of a script only"),
      Option(name: "--record", value: "FILE", summary: "write the events as such a script"),
      Option(
        name: "--restore", value: "FILE",
        summary: "start from the place that is saved in FILE, and keep it there"),
      Option(name: "--catalogue", value: "FILE", summary: "read the books from FILE (JSON)"),
      Option(name: "--server", value: "URL", summary: "talk to the library server at URL"),
      Option(
        name: "--seed", value: "N",
        summary: "draw latency and keys from N (1; by chance with --server)"),
      Option(name: "--trace", value: "FILE", summary: "write a trace, as the tour does"),
    ])

  /// One link through the app.
  static let open = Subcommand(
    name: "open", summary: "takes a link through the app: how it is read, plan, checks, verdict",
    options: [
      Option(name: "URL", summary: "the link, such as millrace://books/11"),
      Option(name: "--before", value: "URL", summary: "a link that was opened before it"),
      Option(name: "--signed-out", summary: "nobody is signed in"),
      Option(name: "--locked", summary: "Ada is signed in (M1), and the app is locked"),
      Option(name: "--other-account", summary: "Grace is signed in (M2), and Ada was before"),
      Option(name: "--answer", summary: "then the user does what the link waits for"),
      Option(name: "--catalogue", value: "FILE", summary: "read the books from FILE (JSON)"),
    ])

  /// What the lab does with the app: see `millrace help` of each.
  static let explorations = [
    Subcommand(name: "list", summary: "names the scenarios that can be explored", options: []),
    Subcommand(
      name: "explore", summary: "runs scenarios, or all, under many schedules",
      options: [
        Option(name: "SCENARIO...", summary: "the scenarios; all when none is named"),
        Option(name: "--schedules", value: "N", summary: "runs at most, for each (10000)"),
        Option(name: "--time", value: "S", summary: "seconds at most, for each"),
        Option(
          name: "--strategy", value: "NAME",
          summary: "portfolio, bounded, reduced, random, weighted, pct:3, pos"),
        Option(name: "--seed", value: "N", summary: "what random choices start from (1)"),
        Option(name: "--shard", value: "I/N", summary: "only part I of N"),
        Option(name: "--cancels", value: "N", summary: "tasks that may be cancelled in a run"),
        Option(
          name: "--corpus", value: "DIR", summary: "keep failing tokens there, run them first"),
        Option(name: "--json", value: "FILE", summary: "a report; --junit and --html too"),
      ]),
    Subcommand(name: "replay", summary: "makes the run of a TOKEN again", options: []),
    Subcommand(name: "merge", summary: "adds up the JSON reports of shards", options: []),
  ]

  static let all = [tour, play, open] + explorations
}

/// The text that `--help` prints: of one command, or of all.
func helpText(_ command: Subcommand? = nil) -> String {
  var lines = [
    command.map { "usage: millrace \($0.name) [OPTIONS]" } ?? "usage: millrace [COMMAND] [OPTIONS]",
    "",
  ]
  for command in command.map({ [$0] }) ?? Subcommand.all {
    lines.append("  " + padded(command.name, to: 20) + command.summary)
    for option in command.options {
      let name = [option.name, option.value].compactMap(\.self).joined(separator: " ")
      lines.append("    " + padded(name, to: 18) + option.summary)
    }
  }
  lines += [
    "", "help [COMMAND] and --help print this. No option may be given twice.", "",
    "Exit status: 0 all as expected; 1 something differed from what it should be, or a link is",
    "parked; 2 list, explore, replay or merge was used wrongly; 64 the command line is wrong; 65 the",
    "catalogue, the script or the saved place is wrong, or a link was rejected; 66 it cannot be read;",
    "69 the server cannot be used; 74 the output cannot be written; 128 and the number of the signal,",
    "as a shell shows it, for what a signal ended: the place, the trace and reports are written first.",
    "",
    "A file may be a pipe. One with a name that nobody writes to yet is waited for, and that is told;",
    "to write to one that nobody reads is an error. The place is kept in a file only. - is the standard",
    "output for what is written; a file that may only be read is not replaced.",
  ]
  return lines.joined(separator: "\n")
}

/// `text`, filled up with spaces or something else.
func padded(_ text: String, to width: Int, with filler: Character = " ") -> String {
  text + String(repeating: filler, count: max(0, width - text.count))
}
