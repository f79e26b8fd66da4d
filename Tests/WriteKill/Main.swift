// Kills a process that writes, at random moments, and counts what was lost or done twice.
//
//   swift run --traits SQLite WriteKill [--kills N] [--faults SHARE] [--seed N]
//
// Each round: a process submits 50 writes and tells through a pipe which phases it heard; it is killed
// with SIGKILL; the journal that it leaves says between which phases each write was; it is started
// again, sometimes killed again, and in the end every write that was told as kept must be confirmed,
// and the server must have each exactly once.

import Foundation
import LibraryApp
import LibraryServerSupport
import Millrace
import MillraceSQLite

@main
enum Main {
  static func main() async {
    #if SQLite
      do {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == "child" {
          try await Child(words).run()
        } else {
          let options = try Options(words)
          exit(try await Rounds(options).run() ? 0 : 1)
        }
      } catch {
        print("write kill: \(error)")
        exit(2)
      }
    #else
      print("write kill: not built with the trait SQLite, nothing is done")
    #endif
  }
}

struct Options {
  var kills = 300
  var perGap = 30
  var faults = 0.0
  var seed: UInt64 = 1

  struct Wrong: Error, CustomStringConvertible { let description: String }

  init(_ words: [String]) throws {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Wrong(description: "\(word) needs a value") }
      switch (word, Int(value), Double(value)) {
      case ("--kills", let number?, _): kills = number
      case ("--per-gap", let number?, _): perGap = number
      case ("--seed", let number?, _): seed = UInt64(clamping: number)
      case ("--faults", _, let share?): faults = share
      default: throw Wrong(description: "\(word) \(value) is not understood")
      }
    }
  }
}
