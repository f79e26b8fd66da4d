// Tokens of many failing runs, made by one process and repeated by another.

import RaceCorpus
import RaceLab

enum TokenCheck {
  /// Prints a line with number and token for each of `count` failing runs, over all pairs, seeds
  /// and random strategies.
  static func make(_ count: Int) async -> Int32 {
    var left = count
    for seed in 1...UInt64(max(count, 1)) {
      for pair in Pair.all {
        guard left > 0 else { return 0 }
        var options = SearchOptions()
        options.seed = seed
        options.strategy = seed.isMultiple(of: 2) ? .weighted : .pos
        options.cancels = pair.cancels
        options.patience = .zero
        let exploration = try? await Exploration.search(
          pair.name, options: options, elsewhere: { nil }, pair.faulty)
        guard let finding = exploration?.finding else { continue }
        print("\(pair.number) \(finding.failure.kind.rawValue) \(finding.token)")
        left -= 1
      }
    }
    return left == 0 ? 0 : 1
  }

  /// Reads such lines, and makes each run again. Says how many showed the same course and the same
  /// kind of fault.
  static func repeatAll() async -> Int32 {
    var same = 0
    var others: [String] = []
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, let number = Int(words[0]),
        let pair = Pair.all.first(where: { $0.number == number })
      else {
        others.append(line)
        continue
      }
      var options = SearchOptions()
      options.cancels = pair.cancels
      options.patience = .zero
      do {
        let exploration = try await Exploration.replay(
          pair.name, words[2], options: options, elsewhere: { nil }, pair.faulty)
        if exploration.finding?.failure.kind.rawValue == words[1] {
          same += 1
        } else {
          others.append("\(line): no such fault")
        }
      } catch {
        others.append("\(line): \(error)")
      }
    }
    print("\(same) repeated, \(others.count) did not")
    for other in others.prefix(10) { print(other) }
    return others.isEmpty ? 0 : 1
  }
}
