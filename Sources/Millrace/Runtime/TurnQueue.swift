// Turns and deliveries. Keeps R13 and R21: handlers never nest, deliveries come first in first
// out, outside a turn before the call returns, inside one after the outermost turn.

/// One delivery that is due, unless its flow's end has dropped it meanwhile.
enum Delivery {
  /// The oldest undelivered output of this flow, or its overflow.
  case output(AnyFlowNode)
  /// The telling of this end.
  case ending(Owner)
  /// A call into user code.
  case call(@MainActor () -> Void)
}

@MainActor
struct TurnQueue {
  /// How many turns are on the stack.
  var depth = 0
  var due = Fifo<Delivery>()
  /// What children sent before `start` had handed their `Child` back.
  var nextJob = Fifo<Delivery>()
}

extension RuntimeCore {
  /// Calls into user code. Deliveries that it causes follow when the outermost turn is over.
  @inline(__always)
  func turn<R, E>(_ body: () throws(E) -> R) throws(E) -> R {
    turns.depth += 1
    defer {
      turns.depth -= 1
      if turns.depth == 0, !turns.due.isEmpty { drain() }
    }
    return try body()
  }

  /// Delivers what is due, if no turn is on the stack.
  func drain() {
    guard turns.depth == 0 else { return }
    while let delivery = turns.due.popFirst() {
      turns.depth = 1
      switch delivery {
      case .output(let node): node.deliverOutput()
      case .ending(let owner): owner.tell()
      case .call(let body): body()
      }
      turns.depth = 0
    }
  }

  /// Queues a delivery for the next main-actor job.
  func deliverInNextJob(_ delivery: Delivery) {
    if turns.nextJob.isEmpty {
      Task { @MainActor in self.releaseNextJob() }
    }
    turns.nextJob.append(delivery)
  }

  private func releaseNextJob() {
    while let delivery = turns.nextJob.popFirst() {
      if case .output(let node) = delivery { node.deferredCount -= 1 }
      turns.due.append(delivery)
    }
    drain()
  }

  /// An end overtakes what waits for the next job below it: children are told before owners (R3).
  func releaseDeferredBelowEnded() {
    guard !turns.nextJob.isEmpty else { return }
    let overtaken = turns.nextJob.extract { delivery in
      switch delivery {
      case .output(let node): node.parent.map { !$0.isRunning } ?? true
      case .ending(let owner): owner.parent.map { !$0.isRunning } ?? true
      case .call: false
      }
    }
    for delivery in overtaken {
      if case .output(let node) = delivery { node.deferredCount -= 1 }
      turns.due.append(delivery)
    }
  }
}
