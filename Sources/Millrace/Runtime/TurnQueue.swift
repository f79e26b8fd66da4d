// Turns and deliveries. Keeps R13 and R21: handlers never nest, deliveries come first in first
// out, outside a turn before the call returns, inside one after the outermost turn.

/// One delivery that is due, unless its flow's end has dropped it meanwhile.
enum Delivery {
  /// The oldest undelivered output of this flow, or its overflow.
  case output(AnyFlowNode)
  /// The telling of this end.
  case ending(Owner)
  /// A call into user code.
  case call(Call)

  /// The owner that is told.
  @MainActor var receiver: Owner? {
    switch self {
    case .output(let node): node.parent
    case .ending(let node): node.parent
    case .call: nil
    }
  }

  /// A boxed closure, so that a delivery is one word.
  final class Call {
    let body: @MainActor () -> Void
    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
  }
}

/// Deliveries in order. Its count is a plain number, so that asking costs next to nothing.
@MainActor
final class DeliveryQueue {
  private var deliveries = Fifo<Delivery>()
  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  func append(_ delivery: Delivery) {
    count += 1
    deliveries.append(delivery)
  }

  func popFirst() -> Delivery? {
    guard count > 0 else { return nil }
    count -= 1
    return deliveries.popFirst()
  }

  func extract(where test: (Delivery) -> Bool) -> [Delivery] {
    let taken = deliveries.extract(where: test)
    count = deliveries.count
    return taken
  }
}

extension RuntimeCore {
  /// Calls into user code. Deliveries that it causes follow when the outermost turn is over.
  @inline(__always)
  func turn<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
    turnDepth += 1
    defer {
      turnDepth -= 1
      if turnDepth == 0, !due.isEmpty { drain() }
    }
    return try body()
  }

  /// Delivers what is due, if no turn is on the stack.
  func drain() {
    guard turnDepth == 0 else { return }
    while let delivery = due.popFirst() {
      turnDepth = 1
      switch delivery {
      case .output(let node): node.deliverOutput()
      case .ending(let owner): owner.tell()
      case .call(let call): call.body()
      }
      turnDepth = 0
    }
  }

  /// Queues a call into user code.
  func deliver(_ body: @escaping @MainActor () -> Void) { due.append(.call(.init(body))) }

  /// Queues a delivery for the next main-actor job.
  func deliverInNextJob(_ delivery: Delivery) {
    if nextJob.isEmpty {
      Task { @MainActor in self.releaseNextJob() }
    }
    delivery.receiver?.deferredBelow += 1
    nextJob.append(delivery)
  }

  private func releaseNextJob() {
    while let delivery = nextJob.popFirst() { release(delivery) }
    drain()
  }

  /// An end overtakes what waits for the next job below it: children are told before owners (R3).
  func releaseDeferredBelowEnded() {
    for delivery in nextJob.extract(where: { $0.receiver.map { !$0.isRunning } ?? false }) {
      release(delivery)
    }
  }

  private func release(_ delivery: Delivery) {
    delivery.receiver?.deferredBelow -= 1
    if case .output(let node) = delivery { node.deferredCount -= 1 }
    due.append(delivery)
  }
}
