// Reading the options of a command, word by word: what all commands have in common.

/// The options of one command.
protocol CommandOptions {
  /// The command, for what is said of a wrong word.
  static var command: Subcommand { get }

  /// Takes a word, with the value that belongs to it.
  ///
  /// - Returns: false if the command has no such option.
  mutating func take(_ word: Words.Word, _ words: inout Words) throws(UsageError) -> Bool

  /// What is to be done, after the last word.
  func invocation() throws(UsageError) -> Invocation
}

extension CommandOptions {
  /// Reads the words after the command's name.
  consuming func reading(_ words: inout Words) throws(UsageError) -> Invocation {
    var seen: Set<String> = []
    while let word = words.next() {
      switch word.name {
      case "-h", "--help":
        try words.refuseValue(of: word)
        return .help(words.namesCommand ? Self.command : nil)
      case "--version":
        try words.refuseValue(of: word)
        return .version
      default:
        guard !word.name.hasPrefix("-") || seen.insert(word.name).inserted else {
          throw UsageError(
            "\(printable(word.name)) is given twice", remedy: "Leave one of them out.")
        }
        guard try take(word, &words) else {
          throw UsageError(unknown: word.name, among: Self.command.options)
        }
      }
    }
    return try invocation()
  }
}

/// The arguments, one at a time; `--option=value` comes as an option with a value attached.
struct Words {
  struct Word {
    let name: String
    var attached: String?
  }

  private var rest: ArraySlice<String>
  /// Whether a command was named, and not taken for granted.
  var namesCommand = false

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

  /// The file that --catalogue needs.
  mutating func catalogue(of word: Word) throws(UsageError) -> String {
    try value(of: word, like: "a file, such as books.json")
  }

  /// The file that --trace needs.
  mutating func trace(of word: Word) throws(UsageError) -> String {
    try value(of: word, like: "a file to write, such as trace.json")
  }

  /// True, for an option that takes no value.
  func flag(_ word: Word) throws(UsageError) -> Bool {
    try refuseValue(of: word)
    return true
  }

  func refuseValue(of word: Word) throws(UsageError) {
    guard word.attached == nil else {
      throw UsageError("\(word.name) takes no value", remedy: "Write \(word.name) alone.")
    }
  }
}
