// How many schedules a second, by the number of steps, and whether memory grows.

import Foundation
import RaceLab

struct Benchmark {
  /// Argument: `--schedules N` for the memory run (1,000,000).
  private let schedules: Int

  init(_ arguments: [String]) {
    schedules = arguments.count == 2 ? Int(arguments[1]) ?? 1_000_000 : 1_000_000
  }

  @MainActor private final class Counter {
    private(set) var value = 0
    func add() { value += 1 }
  }

  /// A scenario of `tasks` tasks on the main actor, each of them one step.
  private static func scenario(tasks: Int) -> @MainActor (Lab) async throws -> Void {
    { lab in
      let counter = Counter()
      for _ in 0..<tasks { Task { counter.add() } }
      await lab.settle()
      try lab.require(counter.value == tasks)
    }
  }

  func run() async -> Int32 {
    print("With default oracles and records; random strategy, one thread.")
    print("A second is one of this process's own time on a core, so that others do not count.")
    print("steps   schedules/s   ns/step")
    do {
      for tasks in [2, 5, 6, 14, 30, 62, 126] {
        let start = Self.processSeconds
        let result = try await measure(tasks, schedules: 3_000_000 / (tasks + 2) / 4)
        let rate = Double(result.schedules) / (Self.processSeconds - start)
        let steps = result.longestRun.steps
        print("\(steps)\t\(Int(rate))\t\(Int(1e9 / rate / Double(steps)))")
      }
      _ = try await measure(6, schedules: 20_000)
      let before = Self.resident
      let start = Self.processSeconds
      let result = try await measure(6, schedules: schedules)
      let rate = Int(Double(result.schedules) / (Self.processSeconds - start))
      print("memory: \(Self.resident - before) KB more after \(schedules) schedules (\(rate)/s)")
    } catch {
      print("\(error)")
      return 1
    }
    return 0
  }

  private func measure(_ tasks: Int, schedules: Int) async throws -> Exploration {
    var options = SearchOptions()
    options.schedules = max(schedules, 1000)
    options.strategy = .random
    return try await explore("bench", options: options, Self.scenario(tasks: tasks))
  }

  /// Time that this process has had on cores.
  private static var processSeconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Resident memory in kilobytes, where the system tells.
  private static var resident: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4
  }
}
