// The one way in for other threads. Keeps R22: one queue that keeps the order of each sender,
// and one main-actor job for all that has gathered, not a task per event.

import Synchronization

/// What comes from outside the main actor.
enum IngressEvent: Sendable {
  case report(HostReport, window: UInt64, host: Int?)
  case windowReleased(UInt64)
  case runtimeReleased(Owner)
  case readerCancelled(AnyFlowNode)
  case operationCancelled(AnyOperation)
  case call(@MainActor @Sendable () -> Void)
}

/// A stack that any thread pushes on and the main actor takes as a whole: taken in one exchange and
/// turned over, it is the order in which the pushes came, and so the order of each sender. Nothing
/// waits, and no lock is held while anybody's code runs (R23).
@safe final class Ingress: Sendable {
  @safe private final class Link: Sendable {
    let event: IngressEvent
    /// Owns the link below it. Written once, before the push that publishes it.
    let below: Unmanaged<Link>?

    init(_ event: IngressEvent, below: Unmanaged<Link>?) {
      self.event = event
      unsafe self.below = below
    }
  }

  /// Owns the newest link. All are taken at once, so that an address which is used anew between
  /// reading and comparing does no harm: the link there is then the newest, as it should be.
  private let newest = unsafe Atomic<Unmanaged<Link>?>(nil)

  deinit { _ = takeAll() }

  /// Adds an event. With `schedules`, the core drains it in a later main-actor job at the latest;
  /// without, the caller drains it now.
  func post(_ event: IngressEvent, to core: RuntimeCore, schedules: Bool = true) {
    var below = unsafe newest.load(ordering: .relaxed)
    while true {
      let link = unsafe Unmanaged.passRetained(Link(event, below: below))
      let (isPushed, found) = unsafe newest.weakCompareExchange(
        expected: below, desired: link, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      if isPushed { break }
      // Not published: it is ours, and owns nothing yet.
      unsafe link.release()
      unsafe below = found
    }
    // Whoever pushes on an empty stack sees that it is drained; those who come after go with it.
    if schedules, unsafe below == nil {
      Task { @MainActor in core.drainIngress() }
    }
  }

  /// All events, oldest first.
  fileprivate func takeAll() -> [IngressEvent] {
    var events: [IngressEvent] = []
    var next = unsafe newest.exchange(nil, ordering: .acquiringAndReleasing)
    while let link = unsafe next?.takeRetainedValue() {
      events.append(link.event)
      unsafe next = link.below
    }
    return events.reversed()
  }
}

extension RuntimeCore {
  /// Applies all that has come in, in order.
  func drainIngress() {
    // A report made by user code that is called here goes on with this queue, itself last.
    for event in ingress.takeAll() { incoming.append(event) }
    while let event = incoming.popFirst() {
      switch event {
      case .report(let report, let window, let host):
        apply(report, window: window, host: host)
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
