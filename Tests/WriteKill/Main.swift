// Kills a process that writes, at random moments, and counts what was lost or done twice.
//
//   swift run --traits SQLite WriteKill [--kills N] [--per-gap N] [--faults SHARE] [--seed N]
//                                       [--plant FAULT]
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
        tell("\(error)")
      }
    #else
      tell("not built with the trait SQLite, nothing is done")
    #endif
  }
}

/// Says why nothing is counted, and ends.
private func tell(_ why: String) -> Never {
  FileHandle.standardError.write(Data("write kill: \(why)\n".utf8))
  exit(2)
}

#if SQLite
  struct Options {
    var kills = 300
    var perGap = 30
    var faults = 0.0
    var seed: UInt64 = 1
    var plant: Plant?

    struct Wrong: Error, CustomStringConvertible { let description: String }

    init(_ words: [String]) throws {
      var rest = words[...]
      while let word = rest.popFirst() {
        guard let value = rest.popFirst() else { throw Wrong(description: "\(word) needs a value") }
        switch word {
        case "--kills": kills = try Self.number(word, value, in: 1...1_000_000)
        case "--per-gap": perGap = try Self.number(word, value, in: 0...1_000_000)
        case "--seed": seed = UInt64(try Self.number(word, value, in: 0...Int.max))
        case "--faults":
          guard let share = Double(value), (0...1).contains(share) else {
            throw Wrong(description: "--faults \(value) is no share from 0 to 1")
          }
          faults = share
        case "--plant":
          guard let fault = Plant(rawValue: value) else {
            throw Wrong(description: "--plant \(value) is no fault, but these are: \(Plant.names)")
          }
          plant = fault
        default:
          throw Wrong(
            description: "\(word) is no option; there are --kills N, --per-gap N, --faults SHARE, "
              + "--seed N and --plant FAULT")
        }
      }
    }

    private static func number(
      _ word: String, _ value: String, in range: ClosedRange<Int>
    ) throws -> Int {
      guard let number = Int(value), range.contains(number) else {
        throw Wrong(
          description:
            "\(word) \(value) is no number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
  }
#endif
