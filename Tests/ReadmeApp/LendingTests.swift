import Millrace
import MillraceTesting
import RaceLab
import Testing

@MainActor @Test func lendingSaysOnceHowItCameOut() async throws {
  try await explore(schedules: 500) { lab in
    let probe = FlowProbe { Lending(scope: $0) }
    await lab.settle()
    let sheet = probe.flow.picker.child
    lab.adversary("swipe") { sheet?.dismiss() }  // between any two steps
    Task {
      sheet?.flow?.pick(7)
      sheet?.flow?.pick(8)  // a second tap
    }
    await lab.settle()
    try lab.require(probe.outputs == [.lent(days: 28)] || probe.outputs == [.abandoned])
    try lab.require(probe.runtime.counts.operations == 0, "nothing runs on")
  }
}
