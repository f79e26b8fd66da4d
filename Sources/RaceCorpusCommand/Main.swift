// `race-corpus`: the corpus under the lab's commands, and the table of what finds what.

import Foundation
import RaceCorpus
import RaceLab
import RaceLabCommand

@main enum Program {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "table" {
      exit(await CorpusTable(Array(arguments.dropFirst())).run())
    }
    let scenarios = Pair.all.flatMap { pair in
      [
        Scenario("\(pair.number) \(pair.name)", cancels: pair.cancels, pair.faulty),
        Scenario("\(pair.number) \(pair.name), mended", cancels: pair.cancels, pair.mended),
      ]
    }
    exit(await ScenarioSuite("race corpus", scenarios).run(arguments))
  }
}
