// What `millrace open` is told.

/// The options of `millrace open`.
package struct OpenOptions: Equatable {
  /// The link.
  package var url: String
  /// A link that was opened before.
  package var before: String?
  /// The catalogue's path; nil for the one that is built in.
  package var catalogue: String?
  /// True for an app in which nobody is signed in.
  package var isSignedOut = false

  /// Makes options for a link.
  package init(url: String) { self.url = url }

  /// Reads the words after `open`.
  static func invocation(_ words: inout Words) throws(UsageError) -> Invocation {
    var options = OpenOptions(url: "")
    while let word = words.next() {
      switch word.name {
      case "-h", "--help":
        try words.refuseValue(of: word)
        return .help
      case "--before":
        options.before = try words.value(of: word, like: "a link, such as millrace://account")
      case "--catalogue":
        options.catalogue = try words.value(of: word, like: "a file, such as books.json")
      case "--signed-out":
        try words.refuseValue(of: word)
        options.isSignedOut = true
      default:
        guard !word.name.hasPrefix("-"), options.url.isEmpty else {
          throw UsageError(unknown: word.name, among: Subcommand.open.options)
        }
        options.url = word.name
      }
    }
    guard !options.url.isEmpty else {
      throw UsageError(
        "open needs a link", remedy: "Give one, such as millrace open millrace://books/11.")
    }
    return .open(options)
  }
}
