// `race-corpus`: the corpus under the lab's commands, and the table of what finds what.

import Foundation
import RaceCorpus
import RaceLab
import RaceLabCommand

@main enum Program {
  /// Ends the process when it goes wrong: to see that a search gets over it.
  private static let trap = Scenario("trap, a continuation resumed twice") { _ in
    let reply = TrappingReply()
    let one = Task.detached { await reply.answer() }
    let two = Task.detached {
      for _ in 0..<4 { await Task.yield() }
      await reply.answer()
    }
    await reply.wait()
    await one.value
    await two.value
  }

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "table" {
      exit(await CorpusTable(Array(arguments.dropFirst())).run())
    }
    if arguments.first == "bench" {
      guard let benchmark = Benchmark(Array(arguments.dropFirst())) else {
        print(Benchmark.usage)
        exit(2)
      }
      exit(await benchmark.run())
    }
    if arguments.first == "reduction" {
      exit(await ReductionTable.run(Array(arguments.dropFirst())))
    }
    if arguments.first == "tokens" {
      exit(await TokenCheck.make(arguments.count > 1 ? Int(arguments[1]) ?? 0 : 1000))
    }
    if arguments.first == "repeat" { exit(await TokenCheck.repeatAll()) }
    let scenarios =
      [trap]
      + Pair.all.flatMap { pair in
        [
          Scenario("\(pair.number) \(pair.name)", cancels: pair.cancels, pair.faulty),
          Scenario("\(pair.number) \(pair.name), mended", cancels: pair.cancels, pair.mended),
        ]
      }
    exit(await ScenarioSuite("race corpus", scenarios).run(arguments))
  }
}
