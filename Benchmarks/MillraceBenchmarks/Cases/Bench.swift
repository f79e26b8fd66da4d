// What the cases work with: a flow that does nothing, and a runtime with one to work under.

import Millrace
import Synchronization

@MainActor
final class Leaf: Flow {
  let scope: FlowScope<Int>
  init(scope: FlowScope<Int>) { self.scope = scope }
}

/// A runtime with one flow to work under.
@MainActor
final class Bench {
  let runtime = FlowRuntime(clock: StillClock(), options: RuntimeOptions(checksLeaks: false))
  let window: FlowWindow

  init() { window = runtime.openWindow { _ in Root { Leaf(scope: $0) } } }

  /// The scope of the root flow that is there now.
  var scope: FlowScope<Int> {
    guard let leaf = window.rootFlow as? Leaf else {
      preconditionFailure("an open window has a root")
    }
    return leaf.scope
  }
}

/// Work off the main actor that answers 1. What it reads could be anything, so that the compiler
/// cannot see that a twin needs no other executor, and leave the crossings out.
@inline(never) @concurrent
func one() async -> Int { answer.load(ordering: .sequentiallyConsistent) }
private let answer = Atomic<Int>(1)

/// Starts a task that waits until it is cancelled, then arrives.
@MainActor
func startWaiting(_ scope: FlowScope<Int>, _ latch: Latch) {
  scope.task {
    await waitForCancellation()
    latch.arrive()
  }
}

@MainActor
func startWaiting(_ owner: HandOwner, _ latch: Latch) {
  owner.task {
    await waitForCancellation()
    latch.arrive()
  }
}

@MainActor
func startWaiting(_ node: HandNode, _ latch: Latch) {
  node.task {
    await waitForCancellation()
    latch.arrive()
  }
}

/// Lets everything run that can: on one thread one turn of the queue is enough to begin what was
/// started, and a second one for what that hopped to.
@MainActor
func settle() async { for _ in 0..<4 { await Task.yield() } }

/// All cases, in the order of the table. They work under this bench, which is to be kept.
@MainActor
func allCases(_ bench: Bench) -> [Case] {
  operationCases(bench) + cancelCases(bench) + replaceAndJoinCases(bench) + outputCases(bench)
    + childCases(bench) + treeCases(bench) + sessionCases() + hostCases()
    + traceCases(bench) + memoryCases(bench)
}
