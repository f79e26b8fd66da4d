// The command line.

struct Options: Sendable {
  var showsHelp = false
  var lists = false
  var isQuick = false
  var onlyWrites = false
  var onlyDepth = false
  var countsInstructions = false
  var filter: String?
  var only: String?
  var json: String?
  var html: String?
  var compare: String?
  var check: String?
  var writeBudget: String?
  var pairs: Int?
  var units: Int?
  var planted = 0.0

  static let budgetPath = "Benchmarks/budget.json"

  static let help = """
    usage: millrace-bench [OPTION...]

    Measures what Millrace does against the same work written by hand: in one process, on one
    thread, side by side in pairs, in processor time of that thread.

      --list             name the cases and do nothing else
      --filter PART      only the cases whose name holds PART
      --quick            fewer units and pairs, no growth: a look, and what CI does
      --pairs N          pairs of runs for each case; 40, and 12 with --quick
      --writes           submits 10,000 writes and reads them back, in each journal; a relaunch
                         waits for the disk, so this one is in real time
      --depth            what navigation commands cost in deep stacks and beside many windows
      --instructions     count instructions too; takes valgrind and some minutes
      --json FILE        write the result, all samples included
      --html FILE        write a report with plots
      --compare OLD      say what differs from a result that --json wrote; exit 1 if a case is worse
      --check            hold ratios and allocations against \(budgetPath); exit 1 if they miss
      --budget FILE      the same, with another file
      --write-budget FILE
                         write the budget that this run would just hold
      --plant PERCENT    make Millrace's side slower by so much, to see that --compare finds it
      --only SIDE        run one case's millrace or hand side once, for callgrind from outside
      --units N          units a run, in place of each case's own
      --help             this text
    """

  init(_ arguments: [String]) throws(ToolError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      func value(_ what: String) throws(ToolError) -> String {
        guard let value = rest.popFirst(), !value.hasPrefix("--") else {
          throw ToolError(message: "\(argument) needs \(what) after it; --help lists the options")
        }
        return value
      }
      switch argument {
      case "--help", "-h": showsHelp = true
      case "--list": lists = true
      case "--quick": isQuick = true
      case "--writes": onlyWrites = true
      case "--depth": onlyDepth = true
      case "--instructions": countsInstructions = true
      case "--filter": filter = try value("a part of a case's name")
      case "--json": json = try value("a file to write")
      case "--html": html = try value("a file to write")
      case "--compare": compare = try value("a file that --json wrote")
      case "--check": check = check ?? Self.budgetPath
      case "--budget": check = try value("a budget file")
      case "--write-budget": writeBudget = try value("a file to write")
      case "--only":
        let side = try value("millrace or hand")
        guard ["millrace", "hand"].contains(side) else {
          throw ToolError(message: "--only takes millrace or hand, not '\(side)'")
        }
        only = side
      case "--pairs":
        pairs = try number(try value("a number of pairs"), 1...10_000, argument)
      case "--units":
        units = try number(try value("a number of units"), 1...10_000_000, argument)
      case "--plant":
        planted = Double(try number(try value("a number of per cent"), 1...1000, argument)) / 100
      default:
        throw ToolError(message: "unknown option '\(argument)'; --help lists the options")
      }
    }
  }

  var effort: Effort {
    var effort = isQuick ? Effort.quick : Effort.full
    if let pairs { effort.pairs = pairs }
    effort.planted = planted
    effort.units = units
    return effort
  }
}

private func number(
  _ text: String, _ range: ClosedRange<Int>, _ option: String
) throws(ToolError) -> Int {
  guard let number = Int(text), range.contains(number) else {
    throw ToolError(
      message: "\(option) takes a whole number from \(range.lowerBound) to "
        + "\(range.upperBound), not '\(text)'")
  }
  return number
}
