// What the command line asks for, as a value. Reading it does nothing else, so that a wrong word is
// found before anything runs.

import Foundation

/// What `millrace` is asked to do.
package enum Invocation: Equatable {
  case tour(TourOptions)
  case play(PlayOptions)
  case open(OpenOptions)
  /// The help of one command; nil for all of them.
  case help(Subcommand?)
  case version

  /// Reads the words after the program's name.
  package init(_ arguments: [String]) throws(UsageError) {
    var words = Words(arguments)
    if words.first == "help" {
      self = try .help(Subcommand(askedForBy: &words))
      return
    }
    switch try Subcommand(takenFrom: &words) {
    case .play: self = try PlayOptions().reading(&words)
    case .open: self = try OpenOptions(url: "").reading(&words)
    default: self = try TourOptions().reading(&words)
    }
  }
}

/// What a tour is told.
package struct TourOptions: Equatable {
  /// The catalogue's path; nil for the one that is built in.
  package var catalogue: String?
  /// The library server to talk to; nil for the library in the process. It has to have the same
  /// books, and some of them on the shelf.
  package var server: URL?
  /// What books, latency and keys are drawn from; nil if the user does not say, see `Seed`.
  package var seed: UInt64?
  package var output: Output
  /// Where the trace is written; its ending says how. Nil for nowhere.
  package var trace: String?

  package enum Output { case story, verdict, json }

  /// Makes options; nil is the built-in catalogue.
  package init(
    catalogue: String? = nil, server: URL? = nil, seed: UInt64? = nil, output: Output = .story
  ) {
    self.catalogue = catalogue
    self.server = server
    self.seed = seed
    self.output = output
  }
}

extension TourOptions: CommandOptions {
  static let command = Subcommand.tour

  mutating func take(_ word: Words.Word, _ words: inout Words) throws(UsageError) -> Bool {
    switch word.name {
    case "--catalogue": catalogue = try words.catalogue(of: word)
    case "--seed": seed = try words.seed(of: word)
    case "--server": server = try words.server(of: word)
    case "--trace": trace = try words.trace(of: word)
    case "--quiet", "--json":
      let kind = try words.flag(word) && word.name == "--json" ? Output.json : .verdict
      guard output == .story || output == kind else {
        throw UsageError(
          "--json and --quiet exclude each other",
          remedy: "Leave one out; --json prints everything, --quiet the verdict only.")
      }
      output = kind
    default: return false
    }
    return true
  }

  func invocation() throws(UsageError) -> Invocation {
    try requireDifferentFiles([("--catalogue", catalogue), ("--trace", trace)])
    return .tour(self)
  }
}

extension Words {
  /// The number that --seed needs.
  mutating func seed(of word: Word) throws(UsageError) -> UInt64 {
    let text = try value(of: word, like: "a whole number, such as 7")
    guard let seed = UInt64(text) else {
      throw UsageError(
        "--seed: \"\(printable(text))\" is not a whole number from 0 to \(UInt64.max)",
        remedy: "Give one, such as --seed 7.")
    }
    return seed
  }
}

extension Subcommand {
  /// Takes the command's name, if the first word is not an option.
  fileprivate init(takenFrom words: inout Words) throws(UsageError) {
    guard let name = words.first, !name.hasPrefix("-") else {
      self = .tour
      return
    }
    guard let command = Subcommand.all.first(where: { $0.name == name }) else {
      throw UsageError(unknownCommand: name)
    }
    _ = words.next()
    words.namesCommand = true
    self = command
  }

  /// The command that comes after "help"; nil for none.
  fileprivate init?(askedForBy words: inout Words) throws(UsageError) {
    _ = words.next()
    guard let name = words.next()?.name else { return nil }
    guard let command = Subcommand.all.first(where: { $0.name == name }) else {
      throw UsageError(unknownCommand: name)
    }
    if let extra = words.next() { throw UsageError(unknown: extra.name, among: []) }
    self = command
  }
}
