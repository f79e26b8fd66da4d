// `millrace-bench`: Millrace against the same work written by hand, in one process on one thread.

import Foundation
import Millrace

@main
enum Main {
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.showsHelp { return print(Options.help) }
      if options.onlyWrites {
        let count = options.isQuick ? 1_000 : 10_000
        runOnPlatform { await WriteBenchmark.run(count) ? 0 : 1 }
      }
      if options.onlyDepth {
        var isGood = false
        try runOnOneThread { isGood = DepthBenchmark.run() }
        exit(isGood ? 0 : 1)
      }
      // Files are read first: a run takes minutes, and a bad name is to be told at once.
      let old = try options.compare.map { try RunResult(file: $0) }
      let budget = try options.check.map { try Budget(file: $0) }
      let suite = Suite(options: options, old: old, budget: budget)
      var failure: (any Error)?
      try runOnOneThread { do { try await suite.run() } catch { failure = error } }
      if let failure { throw failure }
      try suite.finish()
      exit(suite.isGood ? 0 : 1)
    } catch let error as ToolError {
      FileHandle.standardError.write(Data("millrace-bench: \(error.message)\n".utf8))
      exit(error.status)
    } catch {
      FileHandle.standardError.write(Data("millrace-bench: \(error)\n".utf8))
      exit(70)
    }
  }
}

/// Something that the caller can mend: what, where, and how.
struct ToolError: Error {
  let message: String
  /// As in sysexits: 64 bad usage, 65 bad contents, 66 no such file, 73 cannot write.
  var status: Int32 = 64
}
