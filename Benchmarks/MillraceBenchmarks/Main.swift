// `millrace-bench`: Millrace against the same work written by hand, in one process on one thread.

import Millrace

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@main
enum Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    var isQuick = false
    var onlyWrites = false
    var filter: String?
    var only: String?
    var rest = Array(arguments)
    while let argument = rest.first {
      rest.removeFirst()
      switch argument {
      case "--quick": isQuick = true
      case "--writes": onlyWrites = true
      case "--filter":
        guard let value = rest.first else { return usage("--filter needs a part of a name") }
        rest.removeFirst()
        filter = value
      case "--only":
        guard let value = rest.first, ["millrace", "hand"].contains(value) else {
          return usage("--only needs millrace or hand")
        }
        rest.removeFirst()
        only = value
      case "--help":
        print(help)
        return
      default: return usage("unknown option \(argument)")
      }
    }
    if onlyWrites {
      return try runOnOneThread { [isQuick] in await WriteBenchmark.run(isQuick ? 1_000 : 10_000) }
    }
    try runOnOneThread { [isQuick, filter, only] in
      let bench = Bench()
      let cases = allCases(bench, scale: isQuick ? 10 : 1)
        .filter { filter.map($0.name.contains) ?? true }
      if let only {
        for item in cases { await item.repeatOnly(only, times: isQuick ? 1 : 10) }
        bench.window.close()
        return
      }
      print("case                              millrace ns    hand ns   ratio    bar")
      for item in cases {
        let result = await item.measure(pairs: isQuick ? 5 : 21)
        print(row(result))
      }
      bench.window.close()
    }
  }

  private static let help = """
    usage: millrace-bench [--quick] [--filter PART] [--only SIDE]
           millrace-bench [--quick] --writes

      --quick        a tenth of the work, five pairs: a look, not a measurement
      --filter PART  only the cases whose name holds PART
      --only SIDE    only millrace or hand, untimed: to count instructions with callgrind
      --writes       submits 10,000 writes and reads them back, in each journal; a relaunch waits for
                     the disk, so this one is in real time
      --help         this text

    Each row is the median over pairs of runs, in turn, in one process on one thread.
    """

  private static func usage(_ message: String) {
    print("millrace-bench: \(message); try --help")
    exit(64)
  }

  private static func row(_ result: Measured) -> String {
    let name = result.name.padding(34)
    let verdict = result.holds ? "" : "  above the bar"
    return name + fixed(result.millrace, 10) + fixed(result.hand, 11) + fixed(result.ratio, 8, 2)
      + fixed(result.bar, 7, 2) + verdict
  }
}

private func fixed(_ value: Double, _ width: Int, _ digits: Int = 0) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let rounded = (value * scale).rounded() / scale
  var text = digits == 0 ? String(Int(rounded)) : String(rounded)
  if digits > 0, let point = text.firstIndex(of: ".") {
    let have = text.distance(from: point, to: text.endIndex) - 1
    text += String(repeating: "0", count: max(0, digits - have))
  }
  return String(repeating: " ", count: max(0, width - text.count)) + text
}

extension String {
  func padding(_ width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
