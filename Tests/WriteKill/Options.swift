// What the command is told: how many kills, which faults, where.

#if SQLite
  import Foundation

  struct Options {
    var kills = 300
    var perGap = 30
    var faults = 0.0
    var seed: UInt64 = 1
    var plant: Plant?
    /// Where the folder of the run is made; nil for the usual place.
    var place: URL?

    struct Wrong: Error, CustomStringConvertible { let description: String }

    static let usage = """
      usage: WriteKill [OPTION...]

      Kills a process that submits 50 writes, at random moments, starts it again, and compares what it
      told with what the server has. Ends with 0 if nothing was lost or done twice, with 1 if something
      was or too few kills hit a gap, with 2 if nothing could be counted.

        --kills N       how often it is killed at least (300)
        --per-gap N     how many kills between each two phases at least (30)
        --faults SHARE  share of the requests that the server mistreats, 0 to 1 (0)
        --seed N        what moments and faults are drawn from (1)
        --plant FAULT   does something wrong on purpose, so that the counts show it: \(Plant.names)
        --folder DIR    where journals and database are kept while it runs (in memory if possible)
        --help          this text
      """

    init(_ words: [String]) throws {
      var rest = words[...]
      while let word = rest.popFirst() {
        guard Self.names.contains(word) else {
          throw Wrong(
            description: "\(word.debugDescription) is no option; there are "
              + "\(Self.names.joined(separator: ", ")) and --help")
        }
        guard let value = rest.popFirst() else { throw Wrong(description: "\(word) needs a value") }
        try set(word, value)
      }
    }

    private static let names = [
      "--kills", "--per-gap", "--faults", "--seed", "--plant", "--folder",
    ]

    private mutating func set(_ word: String, _ value: String) throws {
      switch word {
      case "--kills": kills = try Self.number(word, value, in: 1...1_000_000)
      case "--per-gap": perGap = try Self.number(word, value, in: 0...1_000_000)
      case "--seed": seed = UInt64(try Self.number(word, value, in: 0...Int.max))
      case "--faults":
        guard let share = Double(value), (0...1).contains(share) else {
          throw Wrong(description: "--faults \(value) is no share from 0 to 1")
        }
        faults = share
      case "--plant": plant = try Self.plant(word, value)
      default:
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: value, isDirectory: &isFolder),
          isFolder.boolValue
        else { throw Wrong(description: "--folder \(value) is no folder; make it first") }
        place = URL(filePath: value)
      }
    }

    static func plant(_ word: String, _ value: String) throws -> Plant {
      guard let fault = Plant(rawValue: value) else {
        throw Wrong(description: "\(word) \(value) is no fault, but these are: \(Plant.names)")
      }
      return fault
    }

    static func number(_ word: String, _ value: String, in range: ClosedRange<Int>) throws -> Int {
      guard let number = Int(value), range.contains(number) else {
        throw Wrong(
          description:
            "\(word) \(value) is no number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
  }
#endif
