// The one way in for other threads. Keeps R22: one queue that keeps the order of each sender,
// and one main-actor job for all that has gathered, not a task per event.

import Synchronization

/// What comes from outside the main actor.
enum IngressEvent: Sendable {
  case report(HostReport, window: UInt64)
  case windowReleased(UInt64)
  case runtimeReleased(Owner)
  case readerCancelled(AnyFlowNode)
  case operationCancelled(AnyOperation)
  case call(@MainActor @Sendable () -> Void)
}

final class Ingress: Sendable {
  private struct State {
    var events: [IngressEvent] = []
    var isScheduled = false
  }
  private let state = Mutex(State())

  /// Adds an event. The core drains it in a later main-actor job, or in `drainIngress`.
  func post(_ event: IngressEvent, to core: RuntimeCore) {
    let schedules = state.withLock { state in
      state.events.append(event)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if schedules {
      Task { @MainActor in core.drainIngress(scheduled: true) }
    }
  }

  fileprivate func takeAll(scheduled: Bool) -> [IngressEvent] {
    state.withLock { state in
      if scheduled { state.isScheduled = false }
      defer { state.events = [] }
      return state.events
    }
  }
}

extension RuntimeCore {
  /// Applies all that has come in, in order.
  func drainIngress(scheduled: Bool = false) {
    // A report made by user code that is called here goes on with this queue, itself last.
    for event in ingress.takeAll(scheduled: scheduled) { incoming.append(event) }
    while let event = incoming.popFirst() {
      switch event {
      case .report(let report, let window): apply(report, window: window)
      case .windowReleased(let window): closeWindow(window)
      case .runtimeReleased: close()
      case .readerCancelled(let node): node.wakeReader()
      case .operationCancelled(let operation):
        operation.readerCancelled()
        drain()
      case .call(let body): body()
      }
    }
  }
}
