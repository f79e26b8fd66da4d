// What the command line asks for, as a value. Reading it does nothing else, so that a wrong word is
// found before anything runs.

import Foundation

/// What `millrace` is asked to do.
package enum Invocation: Equatable {
  case tour(TourOptions)
  case play(PlayOptions)
  case open(OpenOptions)
  case help
  case version

  /// Reads the words after the program's name.
  package init(_ arguments: [String]) throws(UsageError) {
    var words = Words(arguments)
    let command = try Subcommand(takenFrom: &words)
    if command == .play {
      self = try PlayOptions.invocation(&words)
      return
    }
    if command == .open {
      self = try OpenOptions.invocation(&words)
      return
    }
    var options = TourOptions()
    var output: (option: String, kind: TourOptions.Output)?
    while let word = words.next() {
      switch word.name {
      case "-h", "--help":
        try words.refuseValue(of: word)
        self = .help
        return
      case "--version":
        try words.refuseValue(of: word)
        self = .version
        return
      case "--catalogue":
        options.catalogue = try words.value(of: word, like: "a file, such as books.json")
      case "--seed":
        options.seed = try words.seed(of: word)
      case "--server":
        options.server = try words.server(of: word)
      case "--trace":
        options.trace = try words.value(of: word, like: "a file to write, such as trace.json")
      case "--quiet", "--json":
        try words.refuseValue(of: word)
        if let output, output.option != word.name {
          throw UsageError(
            "\(output.option) and \(word.name) exclude each other",
            remedy: "Leave one out; --json prints everything, --quiet the verdict only.")
        }
        output = (word.name, word.name == "--json" ? .json : .verdict)
      default:
        throw UsageError(unknown: word.name, among: command.options)
      }
    }
    options.output = output?.kind ?? .story
    self = .tour(options)
  }
}

/// What a tour is told.
package struct TourOptions: Equatable {
  /// The catalogue's path; nil for the one that is built in.
  package var catalogue: String?
  /// The library server to talk to; nil for the library in the process. It has to be new, and to
  /// have the same books.
  package var server: URL?
  /// What latency, faults and keys are drawn from.
  package var seed: UInt64
  package var output: Output
  /// Where the trace is written; its ending says how. Nil for nowhere.
  package var trace: String?

  package enum Output { case story, verdict, json }

  /// Makes options; nil is the built-in catalogue.
  package init(
    catalogue: String? = nil, server: URL? = nil, seed: UInt64 = 1, output: Output = .story
  ) {
    self.catalogue = catalogue
    self.server = server
    self.seed = seed
    self.output = output
  }
}

/// The arguments, one at a time; `--option=value` comes as an option with a value attached.
struct Words {
  struct Word {
    let name: String
    var attached: String?
  }

  private var rest: ArraySlice<String>

  init(_ arguments: [String]) { rest = arguments[...] }

  var first: String? { rest.first }

  mutating func next() -> Word? {
    guard let word = rest.popFirst() else { return nil }
    guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else {
      return Word(name: word, attached: nil)
    }
    return Word(name: String(word[..<sign]), attached: String(word[word.index(after: sign)...]))
  }

  /// The value that an option needs.
  mutating func value(of word: Word, like example: String) throws(UsageError) -> String {
    let isNext = word.attached == nil && rest.first?.hasPrefix("--") == false
    let value = word.attached ?? (isNext ? rest.popFirst() : nil)
    guard let value, !value.isEmpty else {
      throw UsageError("\(word.name) needs a value", remedy: "Put \(example), after it.")
    }
    return value
  }

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

  /// The address that --server needs.
  mutating func server(of word: Word) throws(UsageError) -> URL {
    let text = try value(of: word, like: "an address, such as http://127.0.0.1:8080")
    guard let url = URL(string: text), url.scheme == "http", url.host() != nil else {
      throw UsageError(
        "--server: \"\(printable(text))\" is no address of a server",
        remedy: "Give one, such as --server http://127.0.0.1:8080.")
    }
    return url
  }

  func refuseValue(of word: Word) throws(UsageError) {
    guard word.attached == nil else {
      throw UsageError("\(word.name) takes no value", remedy: "Write \(word.name) alone.")
    }
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
    self = command
  }
}
