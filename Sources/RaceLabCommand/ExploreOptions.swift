// What stands on the command line of `explore`.

import RaceLab

struct ExploreOptions: Sendable {
  var names: [String] = []
  var search = SearchOptions()
  var cancels: Int?
  var reports = ReportFiles()
  var corpus: String?
  var inProcess = false
  /// Set in a child process: where its records and its result go.
  var childFolder: String?
  /// As given, for children.
  var passedOn: [String] = []

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    func value(of option: String) throws -> String {
      guard let value = rest.popFirst() else {
        throw CommandError("\(option) wants a value.")
      }
      return value
    }
    func number(of option: String, from lowest: Int) throws -> Int {
      let text = try value(of: option)
      guard let number = Int(text), number >= lowest else {
        throw CommandError("\(option) wants a whole number from \(lowest), not \"\(text)\".")
      }
      return number
    }
    var seen: Set<String> = []
    while let argument = rest.popFirst() {
      let before = rest
      if argument.hasPrefix("-"), !seen.insert(argument).inserted {
        throw CommandError("\(argument) is given twice: leave one of them out.")
      }
      switch argument {
      case "--strategy":
        let name = try value(of: argument)
        guard let strategy = Strategy(name: name) else {
          throw CommandError(
            "There is no strategy \"\(name)\". There are: portfolio, bounded, reduced, random, weighted, "
              + "pct, pct:DEPTH (1 to 20), pos.")
        }
        search.strategy = strategy
      case "--schedules": search.schedules = try number(of: argument, from: 1)
      case "--seed": search.seed = UInt64(try number(of: argument, from: 0))
      case "--time":
        let text = try value(of: argument)
        guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
          throw CommandError("--time wants seconds, not \"\(text)\".")
        }
        search.time = .milliseconds(Int64(seconds * 1000))
        search.schedules = max(search.schedules, 1_000_000_000)
      case "--shard": search.shard = try Self.shard(try value(of: argument))
      case "--cancels": cancels = try number(of: argument, from: 0)
      case "--json": reports.json = try value(of: argument)
      case "--junit": reports.junit = try value(of: argument)
      case "--html": reports.html = try value(of: argument)
      case "--corpus": corpus = try value(of: argument)
      case "--in-process": inProcess = true
      case "--child": childFolder = try value(of: argument)
      case _ where argument.hasPrefix("-"):
        throw CommandError("There is no option \(argument). Try: help")
      default: names.append(argument)
      }
      let passes = ["--strategy", "--schedules", "--seed", "--time", "--shard", "--cancels"]
      if passes.contains(argument) {
        passedOn += [argument] + before.prefix(before.count - rest.count)
      }
    }
  }

  private static func shard(_ text: String) throws -> Shard {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1],
      let shard = Shard(index: index - 1, of: count)
    else { throw CommandError("--shard wants I/N with I from 1 to N, not \"\(text)\".") }
    return shard
  }

  /// The options for one scenario.
  func search(for scenario: Scenario) -> SearchOptions {
    var search = search
    search.cancels = cancels ?? scenario.cancels
    return search
  }
}
