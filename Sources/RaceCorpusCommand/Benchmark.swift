// How many schedules a second, by the number of steps, and whether memory grows.

import Foundation
import RaceLab

struct Benchmark {
  /// Runs of the part that looks at memory.
  private let schedules: Int

  /// Argument: how many schedules the part that looks at memory makes (1,000,000). Nil if it is no
  /// such number.
  init?(_ arguments: [String]) {
    guard let schedules = arguments.isEmpty ? 1_000_000 : Int(arguments[0]), schedules > 0,
      arguments.count < 2
    else { return nil }
    self.schedules = schedules
  }

  static let usage = "bench [SCHEDULES]"

  @MainActor private final class Counter {
    private(set) var value = 0
    func add() { value += 1 }
  }

  private struct Shape: Sendable {
    let name: String
    let sizes: [Int]
    /// The scenario of that many tasks, or waits.
    let scenario: @Sendable (_ size: Int) -> @MainActor (Lab) async throws -> Void
  }

  /// A task for each step, or two tasks that wait in between: the price of a task is the greater part
  /// of the first.
  private static let shapes = [
    Shape(name: "a task each", sizes: [2, 5, 13, 29, 61, 125]) { tasks in
      { lab in
        let counter = Counter()
        for _ in 0..<tasks { Task { counter.add() } }
        await lab.settle()
        try lab.require(counter.value == tasks)
      }
    },
    Shape(name: "two tasks that wait", sizes: [1, 3, 7, 15, 30]) { waits in
      { lab in
        let counter = Counter()
        for _ in 0..<2 {
          Task {
            for _ in 0..<waits { await Task.yield() }
            counter.add()
          }
        }
        await lab.settle()
        try lab.require(counter.value == 2)
      }
    },
  ]

  func run() async -> Int32 {
    print("With default oracles and records; random strategy, one thread, all on the main actor.")
    print("A second is one of this process's own time on a core, so that others do not count.")
    do {
      for shape in Self.shapes {
        print("\n\(shape.name)\nsteps   schedules/s   ns/step")
        for size in shape.sizes {
          let (rate, steps) = try await rate(shape, size, schedules: 400_000 / (size + 3))
          print("\(steps)\t\(Int(rate))\t\(Int(1e9 / rate / Double(steps)))")
        }
      }
      let bare = BareQueue.rate(tasks: 5, times: 100_000)
      print(
        "\nfive tasks and what waits for them, run from an array and nothing else: \(Int(bare))/s")
      _ = try await rate(Self.shapes[0], 5, schedules: 20_000)
      let before = Self.resident
      let (rate, _) = try await rate(Self.shapes[0], 5, schedules: schedules)
      print(
        "\nmemory: \(Self.resident - before) KB more after \(schedules) schedules (\(Int(rate))/s)")
    } catch {
      print("\(error)")
      return 1
    }
    return 0
  }

  /// Schedules a second, and the steps that the longest had.
  private func rate(
    _ shape: Shape, _ size: Int, schedules: Int
  ) async throws -> (rate: Double, steps: Int) {
    var options = SearchOptions()
    options.schedules = schedules
    options.strategy = .random
    let start = processSeconds
    let result = try await explore("bench", options: options, shape.scenario(size))
    return (Double(result.schedules) / (processSeconds - start), result.longestRun.steps)
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

/// Time that this process has had on cores.
private var processSeconds: Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// What a lab cannot be faster than: tasks made, and run one after another from an array.
// Sendable by confinement: used by the thread that makes it only.
@safe private final class BareQueue: TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []
  private var value = 0
  private var waiting: UnsafeContinuation<Void, Never>?

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// How many times a second a task makes `tasks` others and goes on when nothing is left to run.
  static func rate(tasks: Int, times: Int) -> Double {
    let queue = BareQueue()
    let start = processSeconds
    for _ in 0..<times {
      Task(executorPreference: queue) {
        for _ in 0..<tasks { Task(executorPreference: queue) { queue.value += 1 } }
        await unsafe withUnsafeContinuation { unsafe queue.waiting = $0 }
      }
      queue.run()
    }
    precondition(queue.value == tasks * times)
    return Double(times) / (processSeconds - start)
  }

  private func run() {
    while true {
      var next = 0
      while next < jobs.count {
        unsafe jobs[next].runSynchronously(on: asUnownedTaskExecutor())
        next += 1
      }
      jobs.removeAll(keepingCapacity: true)
      guard let waiting = unsafe waiting else { return }
      unsafe self.waiting = nil
      unsafe waiting.resume()
    }
  }
}
