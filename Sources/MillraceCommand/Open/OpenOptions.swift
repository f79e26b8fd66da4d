// What `millrace open` is told.

/// The options of `millrace open`.
package struct OpenOptions: Equatable {
  /// The link.
  package var url: String
  /// A link that was opened before.
  package var before: String?
  /// The catalogue's path; nil for the one that is built in.
  package var catalogue: String?
  /// What the link finds the app in.
  package var state = State.signedIn
  /// Whether the user then does what the link waits for.
  package var answers = false

  /// What the app is in when the link comes.
  package enum State: String, Sendable {
    /// Ada is signed in, as M1.
    case signedIn
    case signedOut = "--signed-out"
    /// She is signed in, and the app is locked.
    case locked = "--locked"
    /// Grace is signed in, as M2, and Ada was before.
    case otherAccount = "--other-account"
  }

  /// Makes options for a link.
  package init(url: String) { self.url = url }
}

extension OpenOptions: CommandOptions {
  static let command = Subcommand.open

  mutating func take(_ word: Words.Word, _ words: inout Words) throws(UsageError) -> Bool {
    switch word.name {
    case "--before":
      before = try words.value(of: word, like: "a link, such as millrace://account")
    case "--catalogue": catalogue = try words.catalogue(of: word)
    case "--signed-out", "--locked", "--other-account":
      try words.refuseValue(of: word)
      guard let wanted = State(rawValue: word.name), state == .signedIn || state == wanted else {
        throw UsageError(
          "\(state.rawValue) and \(word.name) exclude each other", remedy: "Leave one out.")
      }
      state = wanted
    case "--answer": answers = try words.flag(word)
    default:
      guard !word.name.hasPrefix("-"), url.isEmpty else { return false }
      url = word.name
    }
    return true
  }

  func invocation() throws(UsageError) -> Invocation {
    guard !url.isEmpty else {
      throw UsageError(
        "open needs a link", remedy: "Give one, such as millrace open millrace://books/11.")
    }
    return .open(self)
  }
}
