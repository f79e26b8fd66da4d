// Kills a process that writes, at random moments, and counts what was lost or done twice.
//
//   swift run --traits SQLite WriteKill --help
//
// Each round: a process submits 50 writes and tells through a pipe which phases it heard; it is killed
// with SIGKILL; the journal that it leaves says between which phases each write was; it is started
// again, sometimes killed again, and in the end every write that was told as kept must be confirmed,
// and the server must have each exactly once: once for what it means, whatever its keys, and nothing
// that nobody asked for. `--plant` does something wrong on purpose, and the counts must say so.

import Foundation
import LibraryApp
import LibraryServerSupport
import Millrace
import MillraceSQLite
import RaceLabCommand

@main
enum Main {
  static func main() async {
    #if SQLite
      do {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == "child" { return try await Child(words).run() }
        if !Set(words).isDisjoint(with: ["--help", "-h"]) { return print(Options.usage) }
        let holds = try await Rounds(Options(words)).run()
        EndSignal.dieIfCaught()
        exit(holds ? 0 : 1)
      } catch {
        EndSignal.dieIfCaught()
        tell("\(error)")
      }
    #else
      tell("not built with the trait SQLite, nothing is done: swift run --traits SQLite WriteKill")
    #endif
  }
}

/// Says why nothing is counted, and ends.
private func tell(_ why: String) -> Never {
  FileHandle.standardError.write(Data("write kill: \(why)\n".utf8))
  exit(2)
}
