// Nothing of a runtime stays when the last who holds it lets go.

import Millrace
import MillraceTesting
import RaceLab
import RuleScenarios
import Testing

@MainActor @Suite struct ReleaseTests {
  /// Held by the runtime only: gone when that is.
  private final class Witness: TraceSink {
    func record(_ event: TraceEvent) {}
  }

  // Fault: an app drops its runtime, in a test or with a scene, and windows and screens stay for ever.
  @Test(arguments: [false, true])
  func runtimeThatNobodyHolds_isFreed(closing closes: Bool) async throws {
    try await Lab.run { lab in
      let host = RecordingHost()
      let witness = Witness()
      lab.expectFreed(witness, "the runtime")
      lab.expectFreed(host, "its host")
      let runtime = FlowRuntime(clock: lab.clock, sinks: [witness])
      let filled = try FilledWindow(runtime, host)
      filled.tabs[0].flow?.open(.push)
      if closes { filled.window.close() }
    }
  }
}
