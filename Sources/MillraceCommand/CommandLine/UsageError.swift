// What goes wrong before a command runs, with what to do about it.

import LibraryApp

/// A wrong command line.
package struct UsageError: Error, Equatable {
  package let what: String
  package let remedy: String

  init(_ what: String, remedy: String) {
    self.what = what
    self.remedy = remedy
  }

  init(unknown option: String, among options: [Subcommand.Option]) {
    guard option.hasPrefix("-") else {
      self.init(
        "\"\(printable(option))\": nothing is expected here",
        remedy: "Leave it out, or see millrace --help.")
      return
    }
    let near = nearest(to: option, among: options.map(\.name))
    self.init(
      "\(printable(option)): there is no such option",
      remedy: near.map { "Did you mean \($0)?" } ?? "See millrace --help.")
  }

  init(unknownCommand name: String) {
    let near = nearest(to: name, among: Subcommand.all.map(\.name))
    self.init(
      "\"\(printable(name))\": there is no such command",
      remedy: near.map { "Did you mean \($0)?" } ?? "See millrace --help.")
  }
}

/// A word as it can be shown in a message: one line, without control characters, not too long.
func printable(_ word: String) -> String {
  let line = singleLine(word)
  return line.count > 60 ? line.prefix(57) + "..." : line
}

/// The candidate that `word` was most likely meant to be: at most two letters apart.
func nearest(to word: String, among candidates: [String]) -> String? {
  let ranked = candidates.map { (name: $0, distance: distance(word, $0)) }
  return ranked.filter { $0.distance <= 2 }.min { $0.distance < $1.distance }?.name
}

/// Letters to insert, delete or change between two words (Levenshtein, 1966).
private func distance(_ a: String, _ b: String) -> Int {
  guard a.count <= 40 else { return .max }
  let b = Array(b)
  var row = Array(0...b.count)
  for (i, letter) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for j in b.indices {
      let change = diagonal + (letter == b[j] ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(change, diagonal + 1, row[j] + 1)
    }
  }
  return row[b.count]
}
