// What a navigation command costs in a stack of 10 to 10,000 screens, and beside 1 to 1,000 windows.
// It must not grow with the rest: the exponent of the best fit through the sizes says how it does.

import BenchmarkProbe
import Foundation
import Millrace

/// A host that does at once what it is asked, and reports it.
@MainActor
private final class PromptHost: Millrace.Host {
  private var connection: HostConnection?
  func connect(_ connection: HostConnection) { self.connection = connection }
  func perform(_ command: HostCommand) { connection?.report(command.report) }
}

@MainActor
enum DepthBenchmark {
  private static let rounds = 2_000
  private static let tries = 7
  /// A command may cost so much more with what is there besides.
  private static let bar = 0.1

  /// - Returns: whether all exponents are within the bar.
  static func run() -> Bool {
    var exponents: [Double] = []
    func measure(_ name: String, _ sizes: [Int], windows: Bool, _ body: (Stage) -> Void) {
      exponents.append(Self.measure(name, sizes, windows: windows, body))
    }
    print("command                   " + sizes([10, 100, 1_000, 10_000]) + "  exponent")
    measure("push and dismiss", [10, 100, 1_000, 10_000], windows: false) { stage in
      stage.top.start(as: .push) { Leaf(scope: $0) }.dismiss()
    }
    measure("push and swipe", [10, 100, 1_000, 10_000], windows: false) { stage in
      let child = stage.top.start(as: .push) { Leaf(scope: $0) }
      stage.window.report(.didDismiss(child.id))
    }
    measure("sheet and dismiss", [10, 100, 1_000, 10_000], windows: false) { stage in
      stage.top.start(as: .sheet) { Leaf(scope: $0) }.dismiss()
    }
    measure("replace in a slot", [10, 100, 1_000, 10_000], windows: false) { stage in
      stage.top.start(in: stage.slot, as: .push) { Leaf(scope: $0) }
    }
    measure("push and pop to it by id", [10, 100, 1_000, 10_000], windows: false) { stage in
      stage.top.start(as: .push) { Leaf(scope: $0) }
      stage.window.navigate(.pop(to: stage.top.id))
    }
    print("windows                   " + sizes([1, 10, 100, 1_000]) + "  exponent")
    measure("push and dismiss", [1, 10, 100, 1_000], windows: true) { stage in
      stage.top.start(as: .push) { Leaf(scope: $0) }.dismiss()
    }
    let isGood = exponents.allSatisfy { $0 <= bar }
    if !isGood { print("an exponent is above \(bar)") }
    return isGood
  }

  private static func sizes(_ sizes: [Int]) -> String {
    sizes.map { pad("\($0)", 10) }.joined()
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func measure(
    _ name: String, _ sizes: [Int], windows: Bool, _ body: (Stage) -> Void
  ) -> Double {
    let times = sizes.map { size in
      let stage = Stage(depth: windows ? 1 : size, windows: windows ? size : 1)
      for _ in 0..<rounds { body(stage) }
      // The quickest of several tries: what else runs on the machine only adds to it.
      let best = (0..<tries).map { _ in time(stage, body) }.min() ?? 0
      stage.close()
      return best
    }
    let text = times.map { pad(String(format: "%.0f ns", $0), 10) }.joined()
    let label = name + String(repeating: " ", count: max(0, 26 - name.count))
    let exponent = exponent(sizes, times)
    print(label + text + pad(String(format: "%.3f", exponent), 10))
    return exponent
  }

  private static func time(_ stage: Stage, _ body: (Stage) -> Void) -> Double {
    let begin = millrace_probe_thread_time()
    for _ in 0..<rounds { body(stage) }
    return Double(millrace_probe_thread_time() - begin) / Double(rounds)
  }

  private static func exponent(_ sizes: [Int], _ times: [Double]) -> Double {
    let points = zip(sizes, times).map { (log(Double($0)), log($1)) }
    let meanX = points.map(\.0).reduce(0, +) / Double(points.count)
    let meanY = points.map(\.1).reduce(0, +) / Double(points.count)
    let above = points.map { ($0.0 - meanX) * ($0.1 - meanY) }.reduce(0, +)
    let below = points.map { ($0.0 - meanX) * ($0.0 - meanX) }.reduce(0, +)
    return above / below
  }

  @MainActor
  private final class Stage {
    let runtime: FlowRuntime
    let window: FlowWindow
    let top: FlowScope<Leaf.Output>
    let slot = Slot<Leaf>()
    private var others: [FlowWindow] = []
    private var hosts: [PromptHost] = []

    init(depth: Int, windows: Int) {
      runtime = FlowRuntime(clock: StillClock(), options: RuntimeOptions(checksLeaks: false))
      for _ in 1..<max(2, windows) where windows > 1 {
        let host = PromptHost()
        hosts.append(host)
        others.append(runtime.openWindow(host: host) { _ in Root { Leaf(scope: $0) } })
      }
      let host = PromptHost()
      hosts.append(host)
      window = runtime.openWindow(host: host) { _ in Root { Leaf(scope: $0) } }
      var scope = (window.rootFlow as? Leaf)?.scope ?? .preview()
      for _ in 1..<max(2, depth) where depth > 1 {
        scope = scope.start(as: .push) { Leaf(scope: $0) }.flow?.scope ?? scope
      }
      top = scope
    }

    func close() {
      window.close()
      for other in others { other.close() }
    }
  }
}
